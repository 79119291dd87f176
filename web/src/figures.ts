// SPDX-License-Identifier: MIT OR Apache-2.0
// The nine figures of the essay: the settings that each begins with, what can be moved, and the numbers that its text has of it.

import type { Extra, Kind } from "./charts.ts";
import { linear, listed, logarithmic } from "./scales.ts";
import { bdps, keyOf, mbps, readGroup, seconds, withKey, writeGroup, type Settings } from "./settings.ts";
import type { SliderSpec } from "./slider.ts";
import { mbpsOf, shareOf, short, type View } from "./view.ts";

export interface Choice {
  label: string;
  options: [string, (settings: Settings) => Settings][];
  /** The number of the option that is set. */
  read(settings: Settings): number;
}

export interface FigureSpec {
  id: string;
  kinds: Kind[];
  extras?: Extra[];
  /** Simulated one after the other; the one before the last stays as a ghost. */
  begin: Settings[];
  sliders: SliderSpec[];
  choices: Choice[];
  values(view: View, settings: Settings): Record<string, number>;
  /** Whether the text says what ten seeds have. */
  hasSeeds?: boolean;
  /** The settings after the curve was dragged by so many seconds and segments from where it was. */
  drag?(settings: Settings, values: Record<string, number>, across: number, up: number): Settings;
}

const settings = (flows: string[], rate: string, rtt: string, more: Partial<Settings> = {}): Settings => ({
  ...{ flows, rate, rtt, buffer: "1bdp", duration: "60s", seed: 1 },
  ...more,
});

/** The settings with a key of all flows, or of the groups of these numbers, set. */
const withAll = (given: Settings, key: string, value: string | null, only?: number[]): Settings => ({
  ...given,
  flows: given.flows.map((text, at) => (!only || only.includes(at) ? writeGroup(withKey(readGroup(text), key, value)) : text)),
});
const keyIn = (given: Settings, key: string): string | undefined => keyOf(readGroup(given.flows[0]!), key);

const rate = (id: string, from: number, to: number): SliderSpec => ({
  ...{ id: `${id}-rate`, label: "Rate", scale: logarithmic(from, to), show: (value: number) => (value >= 1000 ? `${short(value / 1000)} Gbit/s` : `${short(value)} Mbit/s`) },
  read: ({ rate }) => mbps(rate),
  write: (given, value) => ({ ...given, rate: `${value}Mbit/s` }),
});
const rtt = (id: string, from: number, to: number): SliderSpec => ({
  ...{ id: `${id}-rtt`, label: "Round trip", scale: logarithmic(from, to), show: (value: number) => `${short(value)} ms` },
  read: (given) => Math.round(1e6 * (seconds(given.rtt) ?? NaN)) / 1e3,
  write: (given, value) => ({ ...given, rtt: `${value}ms` }),
});
const buffer = (id: string): SliderSpec => ({
  ...{ id: `${id}-buffer`, label: "Buffer", scale: logarithmic(0.1, 4), show: (value: number) => `${short(value)} × the pipe` },
  read: (given) => bdps(given.buffer),
  write: (given, value) => ({ ...given, buffer: `${value}bdp` }),
});
/** A slider of a decimal parameter of the first group. */
const decimal = (id: string, key: string, label: string, preset: number, from: number, to: number): SliderSpec => ({
  ...{ id: `${id}-${key}`, label, group: 0, scale: linear(from, to, 0.05), show: String },
  read: (given) => Number(keyIn(given, key) ?? preset),
  write: (given, value) => withAll(given, key, value === preset ? null : String(value), [0]),
});
const onOff = (label: string, key: string, off: string, only?: number[]): Choice => ({
  label,
  options: [["on", (given) => withAll(given, key, null, only)], ["off", (given) => withAll(given, key, off, only)]],
  read: (given) => (keyIn(given, key) === off ? 1 : 0),
});
/** A choice of the algorithm of all groups of flows. */
const algorithms = (names: [string, string][]): Choice => ({
  label: "Algorithm",
  options: names.map(([label, cc]) => [label, (given) => ({ ...given, flows: given.flows.map((text) => writeGroup({ ...readGroup(text), cc })) })]),
  read: (given) => names.findIndex(([, cc]) => readGroup(given.flows[0]!).cc === cc),
});

const lastOf = (row: Float32Array | undefined): number => row?.findLast((value) => !Number.isNaN(value)) ?? NaN;
const groupShare = (view: View, group: number): number => shareOf(view.run.summary!, view.groups[group]?.flows ?? []);

export const FIGURES: FigureSpec[] = [
  {
    ...{ id: "fill", kinds: ["rate", "queue"], choices: [] },
    begin: [settings(["reno@rwnd=40,start=0s"], "10Mbit/s", "80ms", { duration: "10s", buffer: "2bdp" })],
    sliders: [
      {
        ...{ id: "fill-window", label: "Window", group: 0, scale: linear(2, 160, 1), show: (value: number) => `${value} packets` },
        read: (given) => Number(keyIn(given, "rwnd")),
        write: (given, value) => withAll(given, "rwnd", String(value)),
      },
      rate("fill", 2, 20),
      rtt("fill", 20, 160),
    ],
    values: ({ run }, given) => ({
      bdp: run.description.links[0]!.bdp_packets,
      window: Number(keyIn(given, "rwnd")),
      rate: run.summary!.flows[0]!.throughput_mbps,
      wait: run.summary!.link.queue_mean_ms,
      drops: run.summary!.link.drops_queue,
    }),
  },
  {
    ...{ id: "you", kinds: ["window", "queue"], sliders: [], choices: [] },
    begin: [settings(["cubic@label=first", "cubic@start=0s,label=second"], "20Mbit/s", "60ms", { duration: "30s", measure: ["0s", "30s"] })],
    values: (view) => ({ other: groupShare(view, 0), own: groupShare(view, 1), drops: view.run.summary!.link.drops_queue, wait: view.run.summary!.link.queue_mean_ms }),
  },
  {
    ...{ id: "fat", kinds: ["window"] },
    begin: ["cubic", "reno"].map((cc) => settings([`${cc}@start=0s`], "100Mbit/s", "100ms", { duration: "120s", buffer: "0.2bdp", packet_size: "1250B" })),
    sliders: [rate("fat", 1, 10_000)],
    choices: [algorithms([["CUBIC", "cubic"], ["Reno", "reno"]])],
    values: ({ run }) => {
      const [bdp, rtt] = [run.description.links[0]!.bdp_packets, run.description.flows[0]!.rtt_ms / 1000];
      return { bdp, rounds: bdp / 2, back: (bdp / 2) * rtt, busy: run.summary!.link.utilization!, simulated: run.description.duration_s };
    },
  },
  {
    ...{ id: "cubic", kinds: ["window"], extras: ["w_max", "target"], choices: [] },
    begin: [settings(["cubic@start=0s,fast_convergence=false"], "50Mbit/s", "80ms", { buffer: "0.3bdp", duration: "40s" })],
    sliders: [decimal("cubic", "c", "C", 0.4, 0.05, 4), decimal("cubic", "beta", "β, kept after a loss", 0.7, 0.3, 0.95), buffer("cubic")],
    values: ({ run }, given) => {
      const rows = run.curves.flows[0]!;
      const [c, beta] = [Number(keyIn(given, "c") ?? 0.4), Number(keyIn(given, "beta") ?? 0.7)];
      const most = lastOf(rows["inner.w_max"]);
      return { c, beta, most, k: lastOf(rows["inner.k_s_x1024"]), formula: Math.cbrt((most * (1 - beta)) / c), bdp: run.description.links[0]!.bdp_packets };
    },
    drag(given, { c, k, most, bdp }, across, up) {
      const clamp = (value: number, low: number, high: number): number => Number(Math.min(high, Math.max(low, value)).toPrecision(3));
      const later = Math.max(0.3, k! + across);
      const wider = { ...given, buffer: `${clamp((most! + up) / bdp! - 1, 0.1, 4)}bdp` };
      return withAll(wider, "c", String(clamp(c! * (k! / later) ** 3, 0.05, 4)));
    },
  },
  {
    ...{ id: "clock", kinds: ["window", "rate"] },
    begin: ["reno", "cubic"].map((cc) => settings([`${cc}:2@rtt=16ms,label=near`, `${cc}:2@rtt=160ms,label=far`], "50Mbit/s", "40ms")),
    sliders: [
      {
        ...{ id: "clock-rtt", label: "Round trip of the far flows", group: 1, scale: listed([16, 24, 32, 48, 64, 96, 128, 160, 240, 320]), show: (value: number) => `${value} ms` },
        read: (given) => 1000 * (seconds(keyOf(readGroup(given.flows[1]!), "rtt")) ?? NaN),
        write: (given, value) => withAll(given, "rtt", `${value}ms`, [1]),
      },
    ],
    choices: [algorithms([["Reno", "reno"], ["BIC", "bic"], ["H-TCP", "htcp"], ["CUBIC", "cubic"]])],
    values: ({ run, groups }) => {
      const [near, far] = groups.map(({ flows }) => mbpsOf(run.summary!, flows)) as [number, number];
      return { near, far, ratio: near / far };
    },
  },
  {
    ...{ id: "friendly", kinds: ["window", "rate"], extras: ["w_est"], hasSeeds: true },
    begin: [settings(["cubic@friendliness=off", "reno"], "10Mbit/s", "20ms", { duration: "20s" }), settings(["cubic", "reno"], "10Mbit/s", "20ms", { duration: "20s" })],
    sliders: [rate("friendly", 2, 100), rtt("friendly", 5, 160)],
    choices: [onOff("W_est", "friendliness", "off", [0])],
    values: (view) => ({ own: groupShare(view, 0), reno: groupShare(view, 1) }),
  },
  {
    ...{ id: "late", kinds: ["window", "rate"] },
    begin: [["cubic@label=first,fast_convergence=false", "cubic@start=15s,label=late,fast_convergence=false"], ["cubic@label=first", "cubic@start=15s,label=late"]].map((flows) => settings(flows, "20Mbit/s", "80ms", { measure: ["40s", "60s"] })),
    sliders: [rtt("late", 10, 160), buffer("late")],
    choices: [onOff("Fast convergence", "fast_convergence", "false")],
    values: (view) => {
      const [first, late] = view.groups.map(({ flows }) => mbpsOf(view.run.summary!, flows)) as [number, number];
      return { late: late / (first + late) };
    },
  },
  {
    ...{ id: "six", kinds: ["window", "rate"], hasSeeds: true },
    begin: [settings(["cubic-2.2-linux:4", "sack:4"], "400Mbit/s", "40ms")],
    sliders: [rtt("six", 10, 320)],
    choices: [
      { label: "After a loss CUBIC keeps", options: [["0.7", (given) => withAll(given, "beta", null, [0])], ["0.8", (given) => withAll(given, "beta", "0.8", [0])]], read: (given) => (keyIn(given, "beta") ? 1 : 0) },
      { label: "One acknowledgement for", options: [["two packets", (given) => withAll(given, "ack_every", null)], ["each", (given) => withAll(given, "ack_every", "1")]], read: (given) => (keyIn(given, "ack_every") ? 1 : 0) },
    ],
    values: (view) => ({ cubic: groupShare(view, 0), sack: groupShare(view, 1), busy: view.run.summary!.link.utilization! }),
  },
  {
    ...{ id: "kernel", kinds: ["window"], extras: ["w_max"], sliders: [], choices: [] },
    begin: [settings(["cubic-linux@start=0s"], "50Mbit/s", "40ms", { duration: "40s" })],
    values: ({ run }) => ({ packets: run.summary!.packets, ms: run.ms }),
  },
];
