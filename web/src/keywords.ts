// SPDX-License-Identifier: MIT OR Apache-2.0
// Keywords and queue disciplines. Written by `make docs` from `crates/cwnd-scenario/src/builders` and `crates/cwnd-link/src/aqm`.

/** How a link has the value of a keyword. */
export type Form = "text" | "number" | "flag" | "pair";
/** The keywords that links have. */
export const FORMS: Readonly<Record<string, Form>> = {
  rate: "text",
  rtt: "text",
  buffer: "text",
  loss: "text",
  jitter: "text",
  packet_size: "text",
  reverse: "flag",
  ecn: "flag",
  duration: "text",
  measure: "pair",
  seed: "number",
};

/** A setting of a queue discipline: its kind, and the value that it begins with. */
export interface QueueSetting {
  kind: "time" | "size" | "fraction" | "flag";
  start: string;
}
/** The queue disciplines by their keywords, with the settings that links have, in their order. */
export const QUEUES: Readonly<Record<string, { title: string; settings: Readonly<Record<string, QueueSetting>> }>> = {
  red: { title: "RED", settings: { min: { kind: "size", start: "0.2bdp" }, max: { kind: "size", start: "0.6bdp" } } },
  codel: { title: "CoDel", settings: { target: { kind: "time", start: "5ms" }, interval: { kind: "time", start: "100ms" } } },
  drop_head: { title: "drop-head", settings: {} },
};
