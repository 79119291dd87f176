// SPDX-License-Identifier: MIT OR Apache-2.0
// What the page and its workers say to each other.

import type { Catalog, Curves, Description, HookCall, Interval, Refusal, Summary } from "./engine.ts";

/** A text to simulate in idle time, unless it carries more packets than that. */
export interface Job {
  text: string;
  most: number;
}

export type Ask =
  /** The module, as the page holds it or compiled. */
  | { do: "start"; module: string | WebAssembly.Module }
  /** Simulates; the latest is the one that counts. */
  | { do: "run"; id: number; text: string; columns: number }
  /** Simulates each in idle time; a later scan ends it. */
  | { do: "scan"; id: number; jobs: Job[] }
  | { do: "hooks"; id: number; text: string; time: number; flow: number; count: number }
  | { do: "interval"; id: number; values: number[] }
  /** Begins a run that goes on as `liveTo` says. */
  | { do: "live"; id: number; text: string; columns: number }
  | { do: "liveTo"; id: number; time: number; window: { flow: number; segments: number } | null; curves: boolean }
  /** Breaks the instance, for the test of how it comes back. */
  | { do: "trap" };

/** A run, whole or as far as it is. */
export interface Run {
  id: number;
  over: boolean;
  description: Description;
  curves: Curves;
  /** Only of a whole run. */
  summary: Summary | null;
  ms: number;
  now_s: number;
  /** Seconds over which throughputs are means. */
  mean_s: number;
  /** The duration that was asked for, where fewer seconds were simulated. */
  asked_s: number | null;
  memory: number;
}

export interface Hooks {
  calls: HookCall[];
  ms: number;
}

export interface Live {
  now_s: number;
  over: boolean;
  packets: Float32Array;
  curves: Curves | null;
  summary: Summary | null;
}

export type Answer =
  | { is: "ready"; catalog: Catalog; module: WebAssembly.Module }
  | { is: "refused"; id: number; refusal: Refusal }
  | { is: "run"; run: Run }
  | { is: "scanned"; id: number; at: number; summary: Summary | null }
  | { is: "answer"; id: number; value: Hooks | Interval | Live | Description | Refusal | null }
  | { is: "failed"; id: number; message: string };
