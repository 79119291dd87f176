// SPDX-License-Identifier: MIT OR Apache-2.0
// The essay in Chromium, from a file: node test/essay.mjs out/lab.html. Each statement of its text is looked at in the figure beside it.

import { check, finish, opened, violations } from "./harness.mjs";

const near = (value, wanted, part) => Math.abs(value - wanted) <= part * wanted;

async function open(options = {}, hash = "#essay") {
  const page = await opened(hash, options);
  await page.waitForFunction(() => window.essay ?? window.lab);
  return page;
}
const page = await open();
const figure = (id) => page.evaluate((id) => essay.figures().find((one) => one.id === id), id);
/** Scrolls to a figure and waits for what it begins with. */
async function shown(id) {
  await page.evaluate((id) => document.getElementById(id).scrollIntoView({ block: "center" }), id);
  await page.waitForFunction((id) => essay.figures().find((one) => one.id === id).isSettled, id);
  return figure(id);
}
/** The numbers of a figure after its settings were changed. */
async function after(id, change) {
  await page.evaluate(([id, change]) => essay.set(id, { ...essay.figures().find((one) => one.id === id).settings, ...change }), [id, change]);
  await page.waitForFunction((id) => essay.figures().find((one) => one.id === id).isSettled, id);
  return (await figure(id)).values;
}
const seeds = async (id) => {
  await page.waitForFunction((id) => "mean" in essay.figures().find((one) => one.id === id).values, id);
  return (await figure(id)).values;
};
const pressed = async (id, name) => {
  await page.locator(`#${id} .tools button`, { hasText: new RegExp(`^${name}$`) }).click();
  await page.waitForFunction((id) => essay.figures().find((one) => one.id === id).isSettled, id);
  return figure(id);
};

// 1. 10 Mbit/s in 80 ms are 66 packets of 1500 bytes. 40 of them in a round trip: 40/66 of the rate. 120: 54 wait, 1.2 ms each.
let { values } = await shown("fill");
check("1: below the pipe nothing waits, and throughput is that part of it", values.bdp === 66 && near(values.rate, 10 * 40 / 66.7, 0.04) && values.wait < 1.2, JSON.stringify(values));
await page.waitForFunction(() => /[1-9]\d* on the path/.test(document.querySelector("canvas.pipe").getAttribute("aria-label")));
values = await after("fill", { flows: ["reno@rwnd=120,start=0s"] });
check("1: above it each further packet waits", values.rate > 9.9 && near(values.wait, (120 - 66.7) * 1.2, 0.05) && values.drops === 0, JSON.stringify(values));

// 2. The half minute is all of it: the drops that are drawn at its beginning too.
const you = await shown("you");
({ values } = you);
check("2: the drops are those of the half minute", values.drops > 100 && you.settings.measure.join() === "0s,30s", JSON.stringify(values));
check("2: two flows have the link", near(values.other + values.own, 1, 0.03));
await page.click("#you .tools button");
await page.waitForFunction(() => essay.figures().find((one) => one.id === "you").values.yours > 0);
check("2: the visitor's half minute has a result in words", /You had \d/.test(await page.textContent("section:has(#you)")));

// 3. From 500 to 1000 segments one in each round trip of 100 ms: 50 s.
const fat = await shown("fat");
const { flows, columns } = fat.curves;
const cwnd = Object.values(flows[0]["cwnd.last"]);
const [half, whole] = [cwnd.findIndex((value, at) => at > columns / 50 && value >= 530), cwnd.findIndex((value) => value >= 1000)];
const each = ((whole - half) * fat.duration_s) / columns / (cwnd[whole] - cwnd[half]);
check("3: Reno grows by one segment in 100 ms", near(each, 0.1, 0.05), `${each} s`);
check("3: and comes back in 500 round trips, 50 s", fat.values.bdp === 1000 && fat.values.rounds === 500 && fat.values.back === 50);
check("3: CUBIC keeps the link busier", (await pressed("fat", "CUBIC")).values.busy > fat.values.busy + 0.05);
values = await after("fat", { rate: "10000Mbit/s" });
const said = await page.textContent("#fat-says");
check("3: at 10 Gbit/s 100,000 packets, 50,000 round trips, 1 h 23 min", said.includes("100,000") && said.includes("50,000") && said.includes("1 h 23 min"), said);
check("3: fewer seconds are simulated, and that is said", values.simulated < 120 && (await page.textContent("section:has(#fat)")).includes(`(now ${values.simulated} s)`));

// 4.
let cubic = await shown("cubic");
check("4: K of the simulated flow is the formula's", near(cubic.values.k, cubic.values.formula, 0.02), JSON.stringify(cubic.values));
const box = await page.locator("#plot-cubic-window").boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
await page.mouse.down();
await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 - 30, { steps: 5 });
await page.mouse.up();
await page.waitForFunction((k) => essay.figures().find((one) => one.id === "cubic").isSettled && essay.figures().find((one) => one.id === "cubic").values.k !== k, cubic.values.k);
const dragged = (await figure("cubic")).values;
check("4: dragged to the right K grows, dragged up W_max", dragged.k > cubic.values.k + 0.5 && dragged.most > cubic.values.most + 10 && dragged.c < 0.4, JSON.stringify(dragged));

// 5.
const ratios = { CUBIC: (await shown("clock")).values.ratio };
for (const name of ["BIC", "H-TCP", "Reno"]) ratios[name] = (await pressed("clock", name)).values.ratio;
check("5: with Reno the far flows have less than with any of the others", Object.entries(ratios).every(([name, ratio]) => name === "Reno" || ratio < ratios.Reno), JSON.stringify(ratios));

// 6.
await shown("friendly");
const friendly = await seeds("friendly");
const off = await pressed("friendly", "off");
check("6: without W_est CUBIC has less than half", off.values.own < 0.5 && off.values.own < friendly.own - 0.1, JSON.stringify([friendly, off.values]));
const without = await seeds("friendly");
check("6: over ten seeds too", without.mean + without.half < 0.5 && friendly.mean - friendly.half > 0.5, JSON.stringify([friendly, without]));

// 7.
const late = (await shown("late")).values.late;
check("7: without fast convergence the late one has less", (await pressed("late", "off")).values.late < late - 0.05);

// 8. What the text says of this project's own experiment is held by tests/python/page/test_essay.py.
const six = (await shown("six")).values;
check("8: CUBIC has more than SACK", six.cubic > 1.5 * six.sack && near(six.cubic + six.sack, 1, 0.03));
const kept = { 0.7: await seeds("six") };
check("8: with 0.7 the interval stays below 72 %", kept[0.7].mean + kept[0.7].half < 0.72, JSON.stringify(kept));
await pressed("six", "0\\.8");
kept[0.8] = await seeds("six");
check("8: with 0.8 the interval has it", Math.abs(kept[0.8].mean - 0.72) < kept[0.8].half, JSON.stringify(kept));
await pressed("six", "0\\.7");
await pressed("six", "each");
kept.each = await seeds("six");
check("8: an acknowledgement for each packet is worth about as much", near(kept.each.mean - kept[0.7].mean, kept[0.8].mean - kept[0.7].mean, 0.5), JSON.stringify(kept));

// 9.
await shown("kernel");
await page.waitForSelector("#kernel .hooks td.changed");
await page.locator("#plot-kernel-window").click({ position: { x: 300, y: 60 } });
await page.waitForFunction(() => !document.querySelector("#kernel .hooks th b").closest("th").textContent.startsWith("20."));
const cells = await page.$$eval("#kernel .hooks td:not(:has(small))", (all) => all.map((cell) => cell.textContent));
check("9: the calls have integers alone", cells.length > 20 && cells.every((cell) => /^-?\d+( → -?\d+)?$/.test(cell)), cells.filter((cell) => !/^-?\d+( → -?\d+)?$/.test(cell)).join());

// Every button of a choice makes another run.
for (const id of ["fat", "clock", "friendly", "late", "six"]) {
  await shown(id);
  for (const group of await page.locator(`#${id} .tools [role=group]`).all()) {
    const digests = new Set();
    const buttons = await group.locator("button").all();
    for (const button of buttons) {
      await button.click();
      await page.waitForFunction((id) => essay.figures().find((one) => one.id === id).isSettled, id);
      digests.add((await figure(id)).digest);
      check(`${id}: the pressed button says so`, (await button.getAttribute("aria-pressed")) === "true");
    }
    check(`${id}, ${await group.getAttribute("aria-label")}: each makes another run`, digests.size === buttons.length);
  }
  // And each slider.
  for (const slider of await page.locator(`#${id} input[type=range]`).all()) {
    const before = (await figure(id)).digest;
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((id) => essay.figures().find((one) => one.id === id).isSettled, id);
    check(`${id}, ${await slider.getAttribute("id")}: the keyboard makes another run`, (await figure(id)).digest !== before);
  }
}

// Each opens in the laboratory, which has its result to the last bit.
for (const id of await page.evaluate(() => essay.figures().map((one) => one.id))) {
  const read = await open();
  await read.evaluate((id) => document.getElementById(id).scrollIntoView({ block: "center" }), id);
  await read.waitForFunction((id) => essay.figures().find((one) => one.id === id).isSettled, id);
  const digest = await read.evaluate((id) => essay.figures().find((one) => one.id === id).digest, id);
  await read.locator(`#${id} .open`).click();
  await read.waitForFunction(() => window.lab?.result());
  await read.evaluate(() => lab.settled());
  check(`${id}: the laboratory has the same result`, (await read.evaluate(() => lab.result().digest)) === digest);
  await read.close();
}

// Each slider has its label, and no two things one id.
const [doubled, unnamed] = await page.evaluate(() => {
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  return [ids.filter((id, at) => ids.indexOf(id) !== at), [...document.querySelectorAll("input[type=range]")].filter(({ labels }) => !labels.length).map(({ id }) => id)];
});
check("ids are single, and sliders have labels", !doubled.length && !unnamed.length, `${doubled} ${unnamed}`);

// To the laboratory, with the figure's settings, and back.
await page.locator("#late .open").click();
await page.waitForFunction(() => window.lab?.result());
check("a figure opens in the laboratory with its settings", (await page.evaluate(() => JSON.stringify(lab.settings()))).includes("start=15s"));
await page.click("a[href='#essay']");
await page.waitForFunction(() => window.essay);
check("and the way back is a link", true);
await page.close();

for (const [width, height] of [[1280, 900], [390, 844]]) {
  for (const colorScheme of ["light", "dark"]) {
    const other = await open({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
    const name = `${width} px, ${colorScheme}`;
    check(`${name}: no horizontal scroll`, await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await other.waitForFunction(() => Object.keys(essay.figures()[0].values).length);
    check(`${name}: nothing moves by itself`, (await other.getAttribute("#fill .tools button", "aria-pressed")) === "false");
    const found = await violations(other);
    check(`${name}: axe-core finds nothing`, found.length === 0, found.join("\n       "));
    await other.close();
  }
}
await finish();
