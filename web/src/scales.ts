// SPDX-License-Identifier: MIT OR Apache-2.0
// From the places of a slider to values, and back.

import type { Parameter } from "./engine.ts";

export interface Scale {
  steps: number;
  /** Of a place from 0 to `steps`. */
  value(place: number): number;
  place(value: number): number;
}

/** Thirty steps in a factor of ten: each gives another value of two digits. */
export function logarithmic(from: number, to: number): Scale {
  const steps = Math.round(30 * Math.log10(to / from));
  return {
    steps,
    value: (place) => (place >= steps ? to : Number((from * (to / from) ** (place / steps)).toPrecision(2))),
    place: (value) => Math.round((steps * Math.log(value / from)) / Math.log(to / from)),
  };
}

/** The same with 0 at its beginning. */
export function logarithmicOr0(from: number, to: number): Scale {
  const scale = logarithmic(from, to);
  return {
    steps: scale.steps + 1,
    value: (place) => (place <= 0 ? 0 : scale.value(place - 1)),
    place: (value) => (value > 0 ? Math.max(1, scale.place(value) + 1) : 0),
  };
}

export const linear = (from: number, to: number, step: number): Scale => ({
  steps: Math.round((to - from) / step),
  value: (place) => Number(Math.min(to, from + place * step).toPrecision(8)),
  place: (value) => Math.round((value - from) / step),
});

export const listed = (values: number[]): Scale => ({
  steps: values.length - 1,
  value: (place) => values[place]!,
  place: (value) => Math.max(0, values.findLastIndex((one) => one <= value)),
});

/** Of a parameter, from its range. */
export function parameterScale({ kind, min, max }: Parameter): Scale {
  const [from, to] = [Number(min), Number(max)];
  if (kind === "whole") {
    if (to - from <= 100) return linear(from, to, 1);
    const values = new Set(Array.from({ length: 151 }, (_, at) => Number((from + (to - from + 1) ** (at / 150) - 1).toPrecision(2))));
    return listed([...values].map((value) => Math.min(to, Math.max(from, Math.round(value)))).filter((value, at, all) => !at || value > all[at - 1]!));
  }
  if (from > 0 && to / from > 50) return logarithmic(from, to);
  return linear(from, to, to - from > 5 ? 0.1 : 0.01);
}
