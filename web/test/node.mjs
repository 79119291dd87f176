// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the module under Node: node node.mjs ENGINE.mjs MODULE.wasm, a request a line on standard input, its answer a line on standard output.
//   {"digest": SCENARIO}                      the digest of a run with all its tables
//   {"run": SCENARIO, "columns": N, "mean": S}  description, summary and curves as the page has them, run in slices
//   {"hooks": SCENARIO, "time": S, "flow": N, "count": N}
//   {"interval": [NUMBER, …]}
//   {"bench": SCENARIO, "times": N}             ms of each run, and the memory after each
//   {"catalog": true}
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [engine, file] = process.argv.slice(2);
const { Engine, isRefusal } = await import(engine);
const module = await WebAssembly.compile(readFileSync(file));
if (WebAssembly.Module.imports(module).length > 0) throw new Error("the module has imports");
const simulator = await Engine.of(module);

function whole(columns) {
  simulator.load(0, simulator.described.duration_s, columns);
  while (!simulator.step(20_000));
}

function answer(request) {
  if ("interval" in request) return simulator.interval(request.interval);
  if ("catalog" in request) return simulator.catalog();
  const scenario = request.digest ?? request.run ?? request.hooks ?? request.bench;
  const description = simulator.describe(typeof scenario === "string" ? scenario : JSON.stringify(scenario));
  if (isRefusal(description)) return { refused: description };
  simulator.described = description;
  if ("digest" in request) return { digest: simulator.digest() };
  if ("hooks" in request) return simulator.hooks(request.time, request.flow, request.count);
  if ("bench" in request) {
    const runs = [];
    for (let count = 0; count < request.times; count++) {
      const begin = performance.now();
      whole(960);
      simulator.curves(1);
      simulator.summary();
      runs.push({ ms: performance.now() - begin, memory: simulator.memory });
    }
    return runs;
  }
  whole(request.columns ?? 960);
  const curves = simulator.curves(request.mean ?? 1);
  const plain = (rows) => Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, Array.from(row)]));
  return {
    description,
    summary: simulator.summary(),
    curves: { columns: curves.columns, flows: curves.flows.map(plain), links: curves.links.map(plain) },
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(answer(JSON.parse(line))));
}
