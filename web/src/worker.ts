// SPDX-License-Identifier: MIT OR Apache-2.0
// A worker: simulates what the page asks for. The page has two, of the same script: one for the setting that is shown, one for the rest.

import { Engine, isRefusal, type Description, type Refusal } from "./engine.ts";
import type { Answer, Ask, Run } from "./protocol.ts";
import { fromBase85, unlzma } from "./unpack.ts";

/** Packets of a run; of settings that carry more, fewer seconds are simulated. */
const MOST_PACKETS = 15e6;
/** A run that ends within so many ms is not given up. */
const PATIENCE_MS = 150;
const PARTIAL_MS = 50;
const IDLE_SLICE_MS = 20;
const EVENTS = 20_000;
/** A window that is held is set so often: s. */
const HELD_S = 0.005;

type RunAsk = Extract<Ask, { do: "run" }>;

let module: WebAssembly.Module;
let engine: Engine;
let live: Engine | null = null;
let latest: RunAsk | null = null;
let running = false;
let gaveUp = false;
let scan = 0;

const post = (answer: Answer): void => postMessage(answer);

/** Lets messages in. */
const channel = new MessageChannel();
let resume: () => void = () => undefined;
channel.port1.onmessage = () => resume();
const pause = (): Promise<void> =>
  new Promise((done) => {
    resume = done;
    channel.port2.postMessage(0);
  });

/** A text described by an engine; where it carries too many packets and is of settings, with fewer seconds. */
function described(by: Engine, text: string): { description: Description; asked_s: number | null } | Refusal {
  const whole = by.describe(text);
  if (isRefusal(whole)) return whole;
  const ratio = MOST_PACKETS / whole.cost.packets;
  if (ratio < 1 && text.startsWith("{")) {
    const { measure: _, ...settings } = JSON.parse(text) as Record<string, unknown>;
    if ("scenario" in settings) return { description: whole, asked_s: null };
    const most = whole.duration_s * ratio;
    const power = 10 ** Math.floor(Math.log10(most));
    const seconds = Number((Math.floor(most / power) * power).toPrecision(1));
    const less = by.describe(JSON.stringify({ ...settings, duration: `${seconds}s` }));
    if (!isRefusal(less)) return { description: less, asked_s: whole.duration_s };
    by.describe(text);
  }
  return { description: whole, asked_s: null };
}

async function work(): Promise<void> {
  running = true;
  while (latest) {
    const ask: RunAsk = latest;
    latest = null;
    try {
      await simulate(ask);
    } catch (error) {
      await restart(ask.id, error);
    }
  }
  running = false;
}

async function simulate(ask: RunAsk): Promise<void> {
  const setUp = described(engine, ask.text);
  if (isRefusal(setUp)) return post({ is: "refused", id: ask.id, refusal: setUp });
  const { description, asked_s } = setUp;
  const duration = description.duration_s;
  const mean_s = Math.min(1, duration / 30);
  engine.load(0, duration, ask.columns);
  const send = (over: boolean, ms: number): void => {
    const run: Run = {
      ...{ id: ask.id, over, description, asked_s, ms, mean_s },
      curves: engine.curves(mean_s),
      summary: over ? engine.summary() : null,
      now_s: over ? duration : engine.now,
      memory: engine.memory,
    };
    post({ is: "run", run });
  };
  let [spent, from] = [0, performance.now()];
  for (;;) {
    const over = engine.step(EVENTS);
    const slice = performance.now() - from;
    if (over) {
      gaveUp = false;
      return send(true, spent + slice);
    }
    if (slice < PARTIAL_MS) continue;
    spent += slice;
    send(false, spent);
    await pause();
    // A newer setting is waited for, unless this one is nearly done, or the one before it was given up already.
    const left = spent * (duration / Math.max(1e-9, engine.now) - 1);
    if (latest && !gaveUp && left > PATIENCE_MS) {
      gaveUp = true;
      return;
    }
    from = performance.now();
  }
}

async function scanAll(ask: Extract<Ask, { do: "scan" }>): Promise<void> {
  const mine = ++scan;
  for (const [at, { text, most }] of ask.jobs.entries()) {
    try {
      const summary = await summarised(text, most, () => mine === scan);
      if (mine !== scan) return;
      post({ is: "scanned", id: ask.id, at, summary });
    } catch (error) {
      await restart(-1, error);
    }
    await pause();
    if (mine !== scan) return;
  }
}

async function summarised(text: string, most: number, wanted: () => boolean) {
  const setUp = described(engine, text);
  if (isRefusal(setUp) || setUp.description.cost.packets > most) return null;
  engine.load(0, setUp.description.duration_s, 1);
  for (let from = performance.now(); !engine.step(EVENTS); ) {
    if (performance.now() - from < IDLE_SLICE_MS) continue;
    await pause();
    if (!wanted()) return null;
    from = performance.now();
  }
  return engine.summary();
}

/** After a trap, or a stack that overflowed, the instance is of no use. */
async function restart(id: number, error: unknown): Promise<void> {
  engine = await Engine.of(module);
  live = null;
  post({ is: "failed", id, message: String(error) });
}

async function answer(ask: Exclude<Ask, { do: "run" | "scan" | "start" }>): Promise<void> {
  switch (ask.do) {
    case "interval":
      return post({ is: "answer", id: ask.id, value: engine.interval(ask.values) });
    case "hooks": {
      scan++;
      const from = performance.now();
      const setUp = described(engine, ask.text);
      const calls = isRefusal(setUp) ? [] : engine.hooks(ask.time, ask.flow, ask.count);
      return post({ is: "answer", id: ask.id, value: { calls, ms: performance.now() - from } });
    }
    case "live": {
      scan++;
      live ??= await Engine.of(module);
      const setUp = described(live, ask.text);
      const given = isRefusal(setUp) ? setUp : setUp.description;
      if (!isRefusal(given)) live.load(0, given.duration_s, ask.columns);
      return post({ is: "answer", id: ask.id, value: given });
    }
    case "liveTo": {
      if (!live) return post({ is: "answer", id: ask.id, value: null });
      // Held by setting it again and again: between, the algorithm changes it.
      for (let time = live.now; ask.window && time < ask.time; time += HELD_S) {
        live.stepTo(time);
        live.setWindow(ask.window.flow, ask.window.segments);
      }
      const over = live.stepTo(ask.time);
      const packets = live.packets();
      const curves = ask.curves ? live.curves(1) : null;
      const summary = over ? live.summary() : null;
      return post({ is: "answer", id: ask.id, value: { now_s: live.now, over, packets, curves, summary } });
    }
    case "trap":
      // Beyond its memory: the nearest thing to a defect in it.
      throw new WebAssembly.RuntimeError("unreachable");
  }
}

onmessage = async ({ data: ask }: MessageEvent<Ask>) => {
  if (ask.do === "start") {
    const given = ask.module;
    module = typeof given === "string" ? await WebAssembly.compile(unlzma(fromBase85(given)) as BufferSource) : given;
    engine = await Engine.of(module);
    post({ is: "ready", catalog: engine.catalog(), module });
    if (latest) void work();
  } else if (ask.do === "run") {
    latest = ask;
    if (!running && engine) void work();
  } else if (ask.do === "scan") {
    void scanAll(ask);
  } else {
    try {
      await answer(ask);
    } catch (error) {
      await restart("id" in ask ? ask.id : -1, error);
    }
  }
};
