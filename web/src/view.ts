// SPDX-License-Identifier: MIT OR Apache-2.0
// A run with its groups of flows, their names and colours.

import type { Algorithm, Catalog, Description, Rows, Summary } from "./engine.ts";
import type { Run } from "./protocol.ts";
import { keyOf, readGroup, type Group, type Settings } from "./settings.ts";

export interface GroupView {
  label: string;
  /** Its colour, a number from 0. */
  colour: number;
  flows: number[];
  /** As the settings have it. */
  group: Group | null;
}

export interface View {
  run: Run;
  groups: GroupView[];
}

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

export const COLOURS = 4;

const NAMES = ["CUBIC", "Reno", "BIC", "SACK", "NewReno", "Tahoe", "HighSpeed", "FAST", "Illinois", "Scalable", "Vegas", "Westwood", "Veno", "Hybla", "YeAH"];

export const algorithmName = (cc: string): string =>
  cc
    .replace("htcp", "H-TCP")
    .replace(/^[a-z]+/, (word) => NAMES.find((name) => name.toLowerCase() === word) ?? word)
    .replace(/-(\d[\d.]*)/, " $1")
    .replace(/(.*)-linux$/, "Linux $1");

/** What a group is called, with the keys in which groups of its algorithm differ. */
function labelOf(group: Group, all: Group[]): string {
  const own = keyOf(group, "label");
  if (own) return own;
  const alike = all.filter(({ cc }) => cc === group.cc);
  if (alike.length === 1) return algorithmName(group.cc);
  const names = [...new Set(alike.flatMap(({ keys }) => keys.map(([name]) => name)))];
  const differ = names.filter((name) => new Set(alike.map((one) => keyOf(one, name))).size > 1);
  const parts = differ.map((name) => {
    const value = keyOf(group, name);
    return value === undefined ? "" : name === "start" ? `from ${value}` : `${name}=${value}`;
  });
  const said = parts.filter(Boolean).join(", ");
  if (said) return `${algorithmName(group.cc)} ${said}`;
  return differ.length ? algorithmName(group.cc) : `${algorithmName(group.cc)} ${all.indexOf(group) + 1}`;
}

/** The groups of the settings, or where there are none, flows of one label. */
export function groupsOf(description: Description, settings: Settings | null): GroupView[] {
  const groups = settings?.flows.map(readGroup) ?? [];
  if (settings && groups.reduce((sum, { count }) => sum + count, 0) === description.flows.length) {
    let first = 0;
    return groups.map((group, colour) => {
      const flows = Array.from({ length: group.count }, (_, at) => first + at);
      first += group.count;
      return { label: labelOf(group, groups), colour: colour % COLOURS, flows, group };
    });
  }
  const labels = [...new Set(description.flows.map(({ label }) => label))];
  const numbered = description.flows.map(({ label }, number) => ({ label, number }));
  return labels.map((label, colour) => ({
    ...{ label, colour: colour % COLOURS, group: null },
    flows: numbered.filter((flow) => flow.label === label).map(({ number }) => number),
  }));
}

const sumOf = (summary: Summary, flows: number[], key: "share" | "throughput_mbps"): number =>
  flows.reduce((sum, flow) => sum + (summary.flows[flow]?.[key] ?? 0), 0);
export const shareOf = (summary: Summary, flows: number[]): number => sumOf(summary, flows, "share");
export const mbpsOf = (summary: Summary, flows: number[]): number => sumOf(summary, flows, "throughput_mbps");

/** The first group's part of what all flows carry; of one group alone, the utilisation. */
export function outcome(summary: Summary, groups: number[][]): number {
  if (groups.length < 2) return summary.link.utilization ?? Number.NaN;
  const all = groups.reduce((sum, flows) => sum + mbpsOf(summary, flows), 0);
  return all > 0 ? mbpsOf(summary, groups[0]!) / all : 0;
}

/** The flows of each group, by the settings alone. */
export function flowsOf(settings: Settings): number[][] {
  let first = 0;
  return settings.flows.map((text) => Array.from({ length: readGroup(text).count }, () => first++));
}

/** The algorithm and the set of parameters of a name. */
export function algorithmOf(catalog: Catalog, cc: string): { algorithm: Algorithm; set: Algorithm["sets"][number] } | null {
  for (const algorithm of catalog.algorithms) {
    const set = algorithm.sets.find(({ name }) => name === cc);
    if (set) return { algorithm, set };
  }
  return null;
}

export const parameterOf = (catalog: Catalog, group: Group, name: string): string | undefined => {
  const found = algorithmOf(catalog, group.cc);
  return keyOf(group, name) ?? found?.set.params[name] ?? found?.algorithm.params.find((row) => row.name === name)?.default;
};

/** CUBIC's curve over each epoch: origin + C (t − K)³ from the epoch's begin. Columns are as exact as it gets. */
export function targetCurve(rows: Rows, c: number, columns: number, duration_s: number): Float32Array | null {
  const [origin, k] = [rows["inner.origin"], rows["inner.k_s_x1024"]];
  // Whether it is in an epoch, or since when.
  const epoch = rows["inner.in_epoch"] ?? rows["inner.epoch_start_ticks"];
  if (!origin || !k) return null;
  const out = new Float32Array(columns).fill(NaN);
  let begin = NaN;
  for (let at = 0; at < columns; at++) {
    // Another loss begins another epoch, also one of the same origin and K.
    if (!epoch?.[at]) begin = NaN;
    else if (rows["reductions"]?.[at] || Number.isNaN(begin) || epoch[at] !== epoch[at - 1] || origin[at] !== origin[at - 1] || k[at] !== k[at - 1]) begin = at;
    const t = ((at - begin) * duration_s) / columns;
    out[at] = origin[at]! + c * (t - k[at]!) ** 3;
  }
  return out;
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en");
export const percent = (value: number | null): string => (value === null || Number.isNaN(value) ? "–" : `${(100 * value).toFixed(1)} %`);
/** Three digits. */
export const short = (value: number): string =>
  Math.abs(value) >= 100 ? whole(value) : String(Number(value.toPrecision(3)));
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
