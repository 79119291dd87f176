// SPDX-License-Identifier: MIT OR Apache-2.0
// Links of the page under Node, without a browser: node link.mjs SETTINGS.mjs SECONDS SEED. A link is read or refused: nothing is thrown, and
// what it stands for is bounded. What is read is written as a link that is read as the same.
import { deflateRawSync } from "node:zlib";

const [module, seconds, seed] = process.argv.slice(2);
const { stateOf, hashOf } = await import(module);
/** A state as text, whatever the order of its keys. */
const textOf = (state) => JSON.stringify(state, (_, value) => (value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value));
const broken = (what, hash) => {
  console.log(`${what} (seed ${seed}): ${JSON.stringify(hash.slice(0, 300))}, ${hash.length} characters`);
  process.exit(1);
};
const packed = (text) => `#z:${deflateRawSync(text).toString("base64url")}`;

// A kilobyte for a megabyte: 64 MiB of one letter.
const bomb = packed("a".repeat(64 << 20));
if ((await stateOf(bomb)) !== null) broken("a link that stands for 64 MiB was read", bomb);
const largest = packed("a".repeat(1 << 20));
if ((await stateOf(largest))?.state.scenario?.length !== 1 << 20) broken("a link that stands for 1 MiB was not read", largest);
const nested = packed(`{"flows":${"[".repeat(100_000)}`);
if ((await stateOf(nested)) !== null) broken("a link with lists in lists was read as settings", nested);

/** A link that is read is written as one that is read as the same. */
async function check(hash) {
  const found = await stateOf(hash);
  if (found === null) return false;
  if ({}.polluted !== undefined || Object.getPrototypeOf(found.state.settings) !== Object.prototype) broken("a link changes prototypes", hash);
  const again = await stateOf(await hashOf(found.state));
  if (textOf(again?.state) !== textOf(found.state)) broken("a link comes back as another", hash);
  return true;
}
// What random links found: an empty value, and dots at an end of two values.
for (const hash of ["#rate=", "#loss=&seed=1", "#codel=5ms.", "#red=..5.", "#flow=cubic&reverse=true&drop_head=true&packet_size=600B", packed('{"flows":["cubic"],"measure":["1s.","3s"]}')])
  if (!(await check(hash))) broken("a link was not read", hash);
if ((await stateOf("#rateX")) !== null) broken("a key without a value was read", "#rateX");

// xorshift32.
let state = (Number(seed) | 1) >>> 0;
const random = (below) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
};
const SEEDS = [
  "#rate=50Mbit/s&rtt=40ms&flow=cubic:2@beta=0.85&flow=reno&codel=5ms..100ms&measure=1s..3s&ecn=true&seed=7",
  "#flow=cubic&v=1.0&d=0123456789abcdef",
  packed('{"flows":["cubic","reno"],"rate":"20Mbit/s","seed":3,"red":{"min":"5","max":"15"}}'),
  packed('duration = "1s"\n[link]\nrate = "5Mbit/s"\nrtt = "20ms"\n[[flow]]\ncc = "reno"\n'),
];
const WORDS = ["%", "%00", "%E2%80%AE", "&", "#", "=", "..", "__proto__", "constructor", "<img src=x onerror=alert(1)>", "9007199254740993", "-1", "NaN", "z:"];
const until = performance.now() + Number(seconds) * 1000;
let [count, read] = [0, 0];
while (performance.now() < until || count < 200) {
  let hash = SEEDS[random(SEEDS.length)];
  for (let times = random(6); times >= 0; times--) {
    const at = random(hash.length + 1);
    const cut = random(3) ? at : Math.min(hash.length, at + random(20));
    hash = hash.slice(0, at) + (random(2) ? WORDS[random(WORDS.length)] : String.fromCharCode(random(128))) + hash.slice(cut);
  }
  count++;
  try {
    if (await check(hash)) read++;
  } catch (error) {
    broken(String(error), hash);
  }
}
console.log(`link: ${count} links from seed ${seed}, ${read} of them read and the others refused`);
