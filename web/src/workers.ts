// SPDX-License-Identifier: MIT OR Apache-2.0
// The two workers: the front simulates the setting that is shown, the scout everything else, in idle time.

import source from "worker-source";
import type { Catalog, Description, Interval, Refusal, Summary } from "./engine.ts";
import type { Answer, Ask, Hooks, Job, Live, Run } from "./protocol.ts";

export interface Listener {
  ready(catalog: Catalog): void;
  run(run: Run): void;
  refused(id: number, refusal: Refusal): void;
  failed(message: string): void;
}

export class Workers {
  readonly #front: Worker;
  readonly #scout: Worker;
  #id = 0;
  #scanned: (at: number, summary: Summary | null) => void = () => undefined;
  #scanId = -1;
  readonly #waiting = new Map<number, (value: never) => void>();

  readonly #listener: Listener;

  constructor(
    text: string,
    listener: Listener,
  ) {
    this.#listener = listener;
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    [this.#front, this.#scout] = [new Worker(url), new Worker(url)];
    this.#front.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.is === "ready") {
        this.#scout.postMessage({ do: "start", module: data.module } satisfies Ask);
        listener.ready(data.catalog);
      } else if (data.is === "run") listener.run(data.run);
      else if (data.is === "refused") listener.refused(data.id, data.refusal);
      else if (data.is === "failed") listener.failed(data.message);
    };
    this.#scout.onmessage = ({ data }: MessageEvent<Answer>) => this.#answered(data);
    this.#front.postMessage({ do: "start", module: text } satisfies Ask);
  }

  #answered(data: Answer): void {
    if (data.is === "scanned" && data.id === this.#scanId) this.#scanned(data.at, data.summary);
    else if (data.is === "answer" || data.is === "failed") {
      this.#waiting.get(data.id)?.((data.is === "answer" ? data.value : null) as never);
      this.#waiting.delete(data.id);
      if (data.is === "failed") this.#listener.failed(data.message);
    }
  }

  /** Simulates; returns the number of the run. */
  run(text: string, columns: number): number {
    this.#front.postMessage({ do: "run", id: ++this.#id, text, columns } satisfies Ask);
    return this.#id;
  }

  /** Simulates each in idle time, instead of what was scanned before. */
  scan(jobs: Job[], each: (at: number, summary: Summary | null) => void): void {
    this.#scanned = each;
    this.#scanId = ++this.#id;
    this.#scout.postMessage({ do: "scan", id: this.#id, jobs } satisfies Ask);
  }

  stopScan(): void {
    if (this.#scanId < 0) return;
    this.scan([], () => undefined);
    this.#scanId = -1;
  }

  #ask<T>(make: (id: number) => Ask): Promise<T> {
    const id = ++this.#id;
    return new Promise((done) => {
      this.#waiting.set(id, done as (value: never) => void);
      this.#scout.postMessage(make(id));
    });
  }

  interval(values: number[]): Promise<Interval | null> {
    return this.#ask((id) => ({ do: "interval", id, values }));
  }

  hooks(text: string, time: number, flow: number, count: number): Promise<Hooks | null> {
    return this.#ask((id) => ({ do: "hooks", id, text, time, flow, count }));
  }

  live(text: string, columns: number): Promise<Description | Refusal | null> {
    return this.#ask((id) => ({ do: "live", id, text, columns }));
  }

  liveTo(time: number, window: { flow: number; segments: number } | null, curves: boolean): Promise<Live | null> {
    return this.#ask((id) => ({ do: "liveTo", id, time, window, curves }));
  }

  /** Breaks the front's instance, for a test. */
  trap(): void {
    this.#front.postMessage({ do: "trap" } satisfies Ask);
  }
}
