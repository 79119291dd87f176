// SPDX-License-Identifier: MIT OR Apache-2.0
// The run that the page begins with, on standard output: node first.mjs MODULE.wasm, after esbuild has bundled it.

import { readFileSync } from "node:fs";
import { Engine } from "./src/engine.ts";
import { START, textOf } from "./src/settings.ts";

const COLUMNS = 300;
/** What the charts draw. */
const ROWS = ["cwnd.min", "cwnd.max", "cwnd.last", "rate_mbps", "drops", "losses", "reductions", "timeouts", "packets.min", "packets.max", "packets.last"];

const engine = await Engine.of(await WebAssembly.compile(readFileSync(process.argv[2])));
const description = engine.describe(textOf({ settings: START, scenario: null }));
engine.load(0, description.duration_s, COLUMNS);
while (!engine.step(20_000));
const { flows, links } = engine.curves(1);
const number = (value) => (Number.isNaN(value) ? null : Number(value.toPrecision(3)));
const kept = (rows) => Object.fromEntries(ROWS.filter((name) => rows[name]).map((name) => [name, Array.from(rows[name], number)]));
console.log(JSON.stringify({ description, summary: engine.summary(), columns: COLUMNS, flows: flows.map(kept), links: links.map(kept) }));
