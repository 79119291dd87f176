// SPDX-License-Identifier: MIT OR Apache-2.0
// The module's functions with JavaScript's types (crates/cwnd-wasm/src/lib.rs says what each does).

interface Exports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  output_len(): number;
  data(): number;
  data_len(): number;
  describe(): number;
  load(from: number, to: number, columns: number): number;
  step(events: number): number;
  step_to(time: number): number;
  now_s(): number;
  curves(mean: number): void;
  packets(): void;
  set_window(flow: number, segments: number): number;
  hooks(time: number, flow: number, count: number): number;
  summary(): void;
  catalog(): void;
  interval(): void;
  digest(): number;
}

/** What was refused. */
export interface Refusal {
  field: string;
  value: string | null;
  expected: string;
}

export interface FlowDescription {
  name: string;
  label: string;
  cc: string;
  rtt_ms: number;
  start_s: number;
}

export interface LinkDescription {
  name: string;
  rate_mbps: number;
  bdp_packets: number;
  queue: string;
  limit: string;
}

/** What a scenario is, before it runs. */
export interface Description {
  name: string;
  duration_s: number;
  measured_s: [number, number];
  seed: number;
  packet_size: number;
  flows: FlowDescription[];
  links: LinkDescription[];
  /** The most packets that its links can carry. */
  cost: { packets: number; rows: number };
  toml: string;
  /** The command that runs it, where one suffices; only of settings of a comparison. */
  command?: string | null;
}

export interface FlowSummary {
  name: string;
  label: string;
  cc: string;
  rtt_ms: number;
  start_s: number;
  throughput_mbps: number;
  goodput_mbps: number;
  /** Null where its links could send nothing. */
  share: number | null;
  cwnd_mean: number;
  packets_sent: number;
  retransmits: number;
  timeouts: number;
  drops: number;
}

export interface LinkSummary {
  name: string;
  capacity_mbps: number;
  /** Null where it could send nothing. */
  utilization: number | null;
  packets: number;
  drops_queue: number;
  drops_early: number;
  drops_head: number;
  drops_loss: number;
  queue_mean_ms: number;
  queue_p95_ms: number;
  queue_max_ms: number;
}

/** Completion times, s; `null` where one is not defined. */
export type CompletionTimes = Record<"mean" | "p50" | "p95" | "p99", number | null>;

/** The transfers of a group in one direction, or those of a class of sizes. */
export interface TransferCounts {
  started: number;
  finished: number;
  completion_s: CompletionTimes;
}

export interface TransfersSummary extends TransferCounts {
  of: "flow" | "traffic";
  name: string;
  direction: "forward" | "reverse";
  /** How many had ended before the measured interval, in which they sent nothing. */
  ended_before: number;
  by_size: (TransferCounts & { size: string })[];
}

/** The summary of a run: what `cwnd compare --json` prints, the packets of the whole run, and the digest. */
export interface Summary {
  measured_s: [number, number];
  link: LinkSummary;
  links: LinkSummary[];
  jain: number;
  flows: FlowSummary[];
  transfers: TransfersSummary[];
  packets: number;
  digest: string;
}

/** Rows of `columns` numbers by their names; not-a-number where nothing was sampled. */
export type Rows = Record<string, Float32Array>;

export interface Curves {
  columns: number;
  /** By their numbers; of many flows some of each group. */
  flows: (Rows | undefined)[];
  links: Rows[];
}

export interface HookField {
  name: string;
  before: number;
  after: number;
  unit: string;
  scale: number;
}

export interface HookCall {
  t_s: number;
  hook: string;
  arguments: Record<string, number | string>;
  returned: number;
  fields: HookField[];
}

export interface Parameter {
  name: string;
  kind: "decimal" | "whole" | "flag" | "choice";
  unit: string;
  min: string;
  max: string;
  default: string;
  choices: string[];
  help: string;
  source: string;
  needs: [string, string] | null;
}

export interface Algorithm {
  name: string;
  summary: string;
  params: Parameter[];
  sets: { name: string; summary: string; source: string; recovery: string; params: Record<string, string> }[];
  inner: { name: string; unit: string; scale: number }[];
}

export interface Catalog {
  version: string;
  algorithms: Algorithm[];
}

export interface Interval {
  mean: number;
  low: number;
  high: number;
}

/** The simulator: one scenario at a time. A trap (`WebAssembly.RuntimeError`) ends it; make another of the same module. */
export class Engine {
  private constructor(private readonly wasm: Exports) {}

  static async of(module: WebAssembly.Module): Promise<Engine> {
    const instance = await WebAssembly.instantiate(module, {});
    return new Engine(instance.exports as Exports);
  }

  /** Reads a scenario, TOML or JSON, or settings of a comparison. What is refused leaves the one before. */
  describe(text: string): Description | Refusal {
    this.write(text);
    this.wasm.describe();
    return this.read() as Description | Refusal;
  }

  /** Sets up the described scenario. */
  load(from: number, to: number, columns: number): void {
    this.wasm.load(from, to, columns);
  }

  /** Handles so many events; whether the run is over. */
  step(events: number): boolean {
    return this.wasm.step(events) === 1;
  }

  stepTo(time: number): boolean {
    return this.wasm.step_to(time) === 1;
  }

  get now(): number {
    return this.wasm.now_s();
  }

  /** Bytes of its memory. */
  get memory(): number {
    return this.wasm.memory.buffer.byteLength;
  }

  /** The curves so far, a copy; throughputs are means over `mean` seconds. */
  curves(mean: number): Curves {
    this.wasm.curves(mean);
    const names = this.read() as { columns: number; numbers: number[]; flows: string[][]; links: string[][] };
    const numbers = this.floats();
    let at = 0;
    const rows = (list: string[]): Rows =>
      Object.fromEntries(list.map((name) => [name, numbers.subarray(at, (at += names.columns))]));
    const flows: (Rows | undefined)[] = [];
    names.flows.forEach((list, at) => (flows[names.numbers[at]!] = rows(list)));
    return { columns: names.columns, flows: Array.from(flows), links: names.links.map(rows) };
  }

  /** Where the packets are: flow, place, ms there so far, ms still there. */
  packets(): Float32Array {
    this.wasm.packets();
    return this.floats();
  }

  setWindow(flow: number, segments: number): boolean {
    return this.wasm.set_window(flow, segments) === 1;
  }

  /** The calls of a flow's hooks from a time on. */
  hooks(time: number, flow: number, count: number): HookCall[] {
    return this.wasm.hooks(time, flow, count) === 1 ? (this.read() as HookCall[]) : [];
  }

  summary(): Summary {
    this.wasm.summary();
    return this.read() as Summary;
  }

  catalog(): Catalog {
    this.wasm.catalog();
    return this.read() as Catalog;
  }

  interval(values: number[]): Interval | null {
    this.write(JSON.stringify(values));
    this.wasm.interval();
    return this.read() as Interval | null;
  }

  /** Runs the described scenario with the tables that it asks for; the digest of all of them. */
  digest(): string {
    this.wasm.digest();
    return this.text();
  }

  private write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    const at = this.wasm.input(bytes.length);
    // A call may have moved the memory: it is asked for anew each time.
    new Uint8Array(this.wasm.memory.buffer, at, bytes.length).set(bytes);
  }

  private text(): string {
    return new TextDecoder().decode(
      new Uint8Array(this.wasm.memory.buffer, this.wasm.output(), this.wasm.output_len()),
    );
  }

  private read(): unknown {
    return JSON.parse(this.text());
  }

  private floats(): Float32Array {
    return new Float32Array(this.wasm.memory.buffer, this.wasm.data(), this.wasm.data_len()).slice();
  }
}

export const isRefusal = (given: object): given is Refusal => "expected" in given;
