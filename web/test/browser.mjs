// SPDX-License-Identifier: MIT OR Apache-2.0
// The page in Chromium, from a file: node test/browser.mjs out/lab.html. It waits for results, never for times.

import { browser, check, finish, opened, page_url, violations } from "./harness.mjs";

async function open(options = {}, hash = "") {
  const page = await opened(hash, options);
  await page.waitForFunction(() => window.lab?.result());
  await page.evaluate(() => lab.settled());
  return page;
}
const state = (page) => page.evaluate(() => ({ settings: JSON.stringify(lab.settings()), digest: lab.result().digest }));
const rest = (page) => page.evaluate(() => lab.settled());

const page = await open();

// The first result, and the words.
const first = await page.evaluate(() => lab.result());
check("the first result has two flows and a busy link", first.flows.length === 2 && first.link.utilization > 0.9);
await page.waitForFunction(() => document.getElementById("sentence").textContent.includes("of the link"));
await page.waitForFunction(() => document.getElementById("sentence").textContent.includes("Over ten seeds"));
check("the sentence has the shares and what ten seeds say", true);
check("the table has a row for each group", (await page.locator("#pane tr.group").count()) === 2);

// Before there is a module, the run that the page begins with is shown: here there never is one.
const without = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await without.addInitScript(() => (window.Worker = class { postMessage() {} }));
await without.goto(page_url);
await without.waitForFunction(() => document.getElementById("sentence").textContent.includes("of the link"));
const words = (page) => page.textContent("#sentence");
check("the first picture and its words are there before the module", (await words(page)).startsWith((await words(without)).trim()), await words(without));
await without.waitForFunction(() => new Set(document.querySelector("#plot-window canvas").getContext("2d").getImageData(100, 0, 800, 150).data).size > 50);
check("and what is drawn is not the frame alone", true);
await without.close();

// All presets run; those of the papers say what was claimed and found.
const options = await page.$$eval("#preset option[value]:not([value=''])", (all) => all.map(({ value, text }) => [value, text]));
check("there are presets of settings, scenarios and figures", ["s", "t"].every((kind) => options.filter(([value]) => value.startsWith(kind)).length > 8));
for (const [value, text] of options) {
  const { refused, runs } = await page.evaluate(() => lab.stats);
  await page.selectOption("#preset", value);
  await rest(page);
  const stats = await page.evaluate(() => lab.stats);
  check(`preset ${text} runs`, stats.refused === refused && stats.runs > runs, await page.textContent("#line"));
  if (/^\w+2\d{3}\/|^shanker/.test(text)) check("and says claims and verdicts", /(holds?|reported)\. Measure: /.test(await page.textContent("#claims")) && (await page.isVisible("#claims")));
}
check("a figure's scenario is TOML, which cwnd run takes", await page.evaluate(async () => (document.getElementById("tab-scenario").click(), document.querySelector("#pane textarea").value.includes("[link]") || document.querySelector("#pane textarea").value.includes("[[link]]"))));
await page.click("#tab-flows");
await page.selectOption("#preset", options.find(([, text]) => text === "parking lot")[0]);
await rest(page);
await page.waitForFunction(() => document.getElementById("sentence").textContent.includes("Over ten seeds"));
check("a scenario has its ten seeds too", true);
// One flow of 10 MB, and responses of many sizes, both with their times.
await page.selectOption("#preset", options.find(([, text]) => text === "request response")[0]);
await rest(page);
await page.waitForSelector("#transfers");
const times = await page.$$eval("#transfers tr", (rows) => rows.map((row) => Array.from(row.cells, ({ textContent }) => textContent)));
check("the table of transfers has groups and their classes of sizes", times.some((row) => row[2] === "all" && row[3] === "1") && times.some((row) => row[2] === "10kB..100kB" && Number(row[3]) > 100 && Number(row[6]) > 0), JSON.stringify(times));
await page.selectOption("#preset", "s0");
await rest(page);
await page.waitForSelector("#transfers", { state: "detached" });
check("a run without transfers has no table of them", (await page.locator("#pane tr.group").count()) === 2);
check("claims are of their figure alone", await page.isHidden("#claims"));

// Every slider that is shown, by keyboard and by mouse.
for (const summary of await page.locator("#controls summary").all()) await summary.click();
const sliders = await page.$$eval("#controls input[type=range]", (all) => all.filter((one) => one.offsetParent).map(({ id }) => id));
check("there are sliders of the path and of each group", sliders.length >= 12, sliders.join());
for (const id of sliders) {
  const slider = page.locator(`[id="${id}"]`);
  await slider.focus();
  const before = await state(page);
  const place = await slider.inputValue();
  await page.keyboard.press("ArrowRight");
  if ((await slider.inputValue()) === place) await page.keyboard.press("ArrowLeft");
  await rest(page);
  const keyed = await state(page);
  check(`${id}: the keyboard changes the settings`, before.settings !== keyed.settings);
  const text = await slider.getAttribute("aria-valuetext");
  check(`${id}: its value is said`, text !== null && text !== "");
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  const target = (await slider.evaluate((one) => one.value / one.max)) > 0.5 ? 0.35 : 0.6;
  await page.mouse.click(box.x + box.width * target, box.y + box.height / 2);
  await rest(page);
  const clicked = await state(page);
  check(`${id}: the mouse changes the settings`, clicked.settings !== keyed.settings);
  // Some have no part in this scenario, and some are refused at times; what is run must be new for those of the path.
  if (["rate", "rtt", "buffer", "duration", "g0.count", "g0.beta"].includes(id))
    check(`${id}: another result`, clicked.digest !== before.digest && keyed.digest !== clicked.digest);
  await page.evaluate(() => lab.set({ flows: ["cubic", "reno"], rate: "20Mbit/s", rtt: "40ms", buffer: "1bdp", duration: "20s", seed: 1 }));
  await rest(page);
}

// hash -> state -> hash.
let seed = 7;
const random = (count) => (seed = (seed * 1103515245 + 12345) % 2147483648) % count;
const pick = (list) => list[random(list.length)];
for (let number = 0; number < 20; number++) {
  const flows = Array.from({ length: 1 + random(4) }, () =>
    pick(["cubic", "reno:2", "cubic:3@beta=0.85,c=1.5", "bic@start=2s", "cubic@slow_start=hystart++,rtt=20ms", "sack@rtt=90ms", "cubic@label=a b&c#d%e ä"]),
  );
  const settings = { flows, rate: `${1 + random(30)}Mbit/s`, rtt: `${1 + random(200)}ms`, buffer: `${(1 + random(40)) / 10}bdp`, duration: `${5 + random(9)}s`, seed: random(99) };
  if (random(2)) settings.loss = `random:0.00${1 + random(9)}`;
  if (random(2)) settings.jitter = `${1 + random(9)}ms`;
  if (random(2)) settings.measure = ["1s", `${2 + random(3)}s`];
  if (random(3) === 0) settings.packet_size = "1250B";
  const queue = random(4);
  if (queue === 0) Object.assign(settings, { codel: { target: "5ms", interval: `${10 + random(90)}ms` }, ecn: true });
  if (queue === 1) settings.red = { min: "0.2bdp", max: `0.${3 + random(6)}bdp` };
  if (queue === 2) settings.codel = { target: "5ms", interval: "100ms", ecn: "x" };
  const [before, there, back] = await page.evaluate(async (given) => {
    lab.set(given);
    const hash = await lab.hash();
    const before = JSON.stringify(lab.settings());
    lab.set({ flows: ["reno"] });
    await lab.readHash(hash);
    return [[before, JSON.stringify(lab.settings())], hash, await lab.hash()];
  }, settings);
  check(`hash ${number} comes back`, there === back, `${there} ${back}`);
  const sorted = (text) => JSON.stringify(Object.entries(JSON.parse(text)).sort());
  check(`state ${number} comes back`, sorted(before[0]) === sorted(before[1]), `${before}`);
  await rest(page);
}

// A link says whether its result is the one that was shared.
const shared = await open({}, `#flow=cubic&flow=reno&rate=20Mbit/s&duration=10s&v=0&d=00000000`);
await shared.waitForFunction(() => document.getElementById("sentence").textContent.includes("Not the result that was shared"));
const digest = (await state(shared)).digest.slice(0, 8);
await shared.close();
const unread = await open({}, "#z:AAAA");
await unread.waitForFunction(() => document.getElementById("line").textContent.includes("cannot read"));
check("an address that cannot be read is said", true);
await unread.close();
const same = await open({}, `#flow=cubic&flow=reno&rate=20Mbit/s&duration=10s&v=0&d=${digest}`);
await same.waitForFunction(() => document.getElementById("sentence").textContent.includes("Same result as when this was shared"));
check("a link says whether its result is the one that was shared", true);
await same.close();

for (const hash of ["#nonsense", "#flow=cubic&seed=abc", "#flow=cubic&seed=9007199254740993", "#flow=cubic&ecn=perhaps"]) {
  const odd = await open({}, hash);
  await odd.waitForFunction(() => document.getElementById("line").textContent.includes("cannot read"));
  await odd.close();
}
check("a seed that is none, or too large, and another ecn than true or false are not read", true);
check("ecn=false is no ECN", await page.evaluate(async () => (await lab.readHash("#flow=cubic&codel=5ms..100ms&ecn=false"), lab.settings().ecn === undefined)));
await rest(page);

// What is refused.
await page.evaluate(() => lab.set({ flows: ["cubic", "reno"], rate: "20Mbit/s", duration: "10s" }));
await rest(page);
const good = await state(page);
for (const [given, where] of [
  [{ flows: ["cubic@beta=7", "reno"], rate: "20Mbit/s" }, '[id="g0.beta"] ~ .wrong'],
  [{ flows: ["nothing"], rate: "20Mbit/s" }, "#line"],
  [{ flows: ["cubic:999999"], rate: "20Mbit/s" }, "#line"],
  [{ flows: ["reno"], rate: "fast" }, "#rate ~ .wrong"],
]) {
  await page.evaluate((settings) => lab.set(settings), given);
  await rest(page);
  check(`${JSON.stringify(given)} is refused in words`, await page.locator(where).first().isVisible());
  check("the last result is kept", (await state(page)).digest === good.digest);
  check("and so is its address", (await page.evaluate(() => lab.linkHash())).startsWith("#rate=20Mbit/s&rtt=40ms&buffer=1bdp&duration=10s&flow=cubic&flow=reno"));
}
await page.evaluate(() => lab.set({ flows: ["cubic", "reno"], rate: "20Mbit/s", duration: "10s" }));
await rest(page);

// A scenario of one's own, and back.
await page.click("#tab-scenario");
await page.waitForFunction(() => document.querySelector("#pane textarea").value.includes('duration = "10s"'));
await page.fill("#pane textarea", (await page.inputValue("#pane textarea")).replace('duration = "10s"', 'duration = "12s"').replace('"10s",\n]', '"12s",\n]'));
await page.click("text=Run this");
await rest(page);
check("a scenario runs as it is written", (await page.evaluate(() => lab.result().measured_s[1])) === 12 && (await page.locator("#controls").evaluate((one) => one.inert)));
await page.click("text=Back to the sliders");
await rest(page);
check("and the sliders come back", (await page.evaluate(() => lab.result().measured_s[1])) === 10);

// The calls of hooks, A and B, the map, packets.
await page.locator("#plot-window").click({ position: { x: 400, y: 60 } });
await page.waitForSelector(".hooks td");
check("a click on a curve shows eight calls", (await page.locator(".hooks thead th").count()) === 9);
check("with the lines of their sources", (await page.$$eval(".hooks small", (all) => all.map((one) => one.textContent))).some((text) => /^\w+[\w/]*\.rs:\d+$/.test(text)));
await page.click("#tab-compare");
await page.click("text=Keep this as A");
await page.evaluate(() => lab.set({ flows: ["cubic@beta=0.9", "reno"], rate: "20Mbit/s", duration: "10s" }));
await page.waitForFunction(() => /beta=0.9[^]*[+−]\d+\.\d ± \d+\.\d points/.test(document.getElementById("pane").textContent));
// With β 0.9 it keeps more after each loss: more than with 0.7.
const compared = await page.$$eval("#pane tbody tr", (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
const [, nothing, paired] = compared[0];
const parts = compared.find(([name]) => name.startsWith("first group"));
check("A and B have a difference over ten seeds", nothing === "–" && /^\+\d+\.\d ± \d+\.\d points$/.test(paired) && parseFloat(parts[2]) > parseFloat(parts[1]), JSON.stringify(compared));
await page.evaluate(() => lab.set({ flows: ["cubic", "reno"], rate: "20Mbit/s", duration: "10s", loss: "random:0.001" }));
await rest(page);
await page.waitForFunction(() => document.getElementById("pane").textContent.includes("random:0.001"));
check("and name each setting that differs", true);
await page.click('[aria-label="Remove A"]');
await page.click("#tab-map");
await page.waitForFunction(() => !/simulated/.test(document.querySelector("#map p").textContent) && document.querySelector("#map p").textContent);
const unlike = await state(page);
await page.locator("#map canvas").click({ position: { x: 30, y: 20 } });
await rest(page);
check("a cell of the map sets both sliders", (await state(page)).settings !== unlike.settings);
await page.click("#slow");
await page.waitForFunction(() => /[1-9]\d* on the path/.test(document.getElementById("pipe").getAttribute("aria-label")));
check("packets are seen", true);
await page.click("#slow");
await page.click("#you");
await page.waitForFunction(() => document.getElementById("sentence").textContent.includes("You had"));
check("the visitor's minute ends with a result", true);
await page.click("#copy-link");
check("what was steered by hand has no address", (await page.textContent("#line")).includes("steered by hand"));
await page.evaluate(() => lab.set({ flows: ["cubic:30", "reno:3"], rate: "20Mbit/s", duration: "3s" }));
await rest(page);
check("of many flows some of each group are drawn", (await page.textContent("#drawn")) === " (16 of 33 are drawn)" && (await page.evaluate(() => lab.drawn())).join() === [...Array(13).keys(), 30, 31, 32].join());

// What is dropped.
const drop = (name, text) =>
  page.evaluate(([name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  }, [name, text]);
await drop("picture.png", "x");
await page.waitForFunction(() => document.getElementById("line").textContent.includes("picture.png is not read"));
await drop("a.toml", 'duration = "7s"\n[link]\nrate = "9Mbit/s"\nrtt = "30ms"\nqueue = { kind = "droptail", limit = "1bdp" }\n[[flow]]\ncc = "bic"\n');
await page.waitForFunction(() => lab.result().link.capacity_mbps === 9);
check("a scenario that is dropped runs, another file is refused", true);

// A trap in the module.
await drop("lot.toml", 'duration = "5s"\n[[link]]\nname = "west"\nfrom = "a"\nto = "b"\nrate = "9Mbit/s"\ndelay = "15ms"\nqueue = { kind = "droptail", limit = "1bdp" }\n[[link]]\nname = "east"\nfrom = "b"\nto = "c"\nrate = "5Mbit/s"\ndelay = "15ms"\nqueue = { kind = "droptail", limit = "1bdp" }\n[[flow]]\ncc = "bic"\nfrom = "a"\nto = "c"\n');
await page.waitForFunction(() => document.getElementById("sentence").textContent.includes("Of 2 links, ‘west’ is busy"));
check("of several links the first is named, and rates are said", (await page.textContent("#sentence")).includes("Mbit/s") && (await page.textContent("#of-link")) === " of west");
await page.evaluate(() => lab.set({ flows: ["cubic", "reno"], rate: "20Mbit/s", duration: "10s" }));
await rest(page);
await page.evaluate(() => lab.trap());
await page.waitForFunction(() => lab.stats.failed === 1);
await page.evaluate(() => lab.set({ flows: ["cubic", "reno"], rate: "10Mbit/s", duration: "10s" }));
await rest(page);
check("after a trap it simulates again", (await page.evaluate(() => lab.result().link.capacity_mbps)) === 10);

// Memory. Within the first three hundred the allocator may still take a piece more, depending on the order of sizes: seventy different runs come by turns.
const memory = await page.evaluate(async () => {
  const simulate = async (number) => {
    lab.set({ flows: ["cubic", "reno"], rate: `${5 + (number % 10)}Mbit/s`, duration: "10s", seed: number % 7 });
    await lab.settled();
  };
  for (let number = 0; number < 300; number++) await simulate(number);
  const before = lab.stats.memory;
  for (let number = 0; number < 300; number++) await simulate(number);
  return [before, lab.stats.memory];
});
check("memory is constant over 300 simulations after 300", memory[0] === memory[1], memory.join());

// By touch.
const touched = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
await touched.evaluate(() => lab.set({ flows: ["cubic", "reno"], rate: "20Mbit/s", rtt: "40ms", buffer: "1bdp", duration: "10s", seed: 1 }));
await rest(touched);
for (const summary of await touched.locator("#controls summary").all()) await summary.tap();
for (const id of sliders) {
  const slider = touched.locator(`[id="${id}"]`);
  await slider.scrollIntoViewIfNeeded();
  const before = (await state(touched)).settings;
  // In the middle of the page: the charts stick to its top.
  await slider.evaluate((one) => one.scrollIntoView({ block: "center" }));
  const box = await slider.boundingBox();
  const target = (await slider.evaluate((one) => one.value / one.max)) > 0.5 ? 0.3 : 0.7;
  await touched.touchscreen.tap(box.x + box.width * target, box.y + box.height / 2);
  await rest(touched);
  check(`${id}: a touch changes the settings`, (await state(touched)).settings !== before);
}
await touched.close();

// Forced colours: what is pressed has a border of its own.
const forced = await open({ forcedColors: "active" });
check("forced colours: what is chosen has a thicker border", await forced.evaluate(() => getComputedStyle(document.getElementById("tab-flows")).borderTopWidth !== getComputedStyle(document.getElementById("tab-map")).borderTopWidth));
await forced.close();

// Widths, and what axe-core finds.
for (const [width, height] of [[1280, 800], [390, 844]]) {
  for (const colorScheme of ["light", "dark"]) {
    const other = await open({ viewport: { width, height }, colorScheme });
    const name = `${width} px, ${colorScheme}`;
    const [across, along] = await other.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return [scrollWidth <= innerWidth, scrollHeight <= innerHeight];
    });
    check(`${name}: no horizontal scroll`, across);
    check(`${name}: the essay is in reach`, await other.isVisible("a[href='#essay']"));
    if (width === 1280) check(`${name}: no vertical scroll`, along);
    for (const tab of ["flows", "compare", "step", "map", "scenario"]) {
      await other.click(`#tab-${tab}`);
      const found = await violations(other);
      check(`${name}, ${tab}: axe-core finds nothing`, found.length === 0, found.join("\n       "));
    }
    await other.close();
  }
}

await finish();
