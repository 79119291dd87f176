// SPDX-License-Identifier: MIT OR Apache-2.0
// What is simulated in idle time: other seeds, and what each slider would do over its range.

import type { Interval } from "./engine.ts";
import type { Workers } from "./workers.ts";
import { textOf, type Settings, type State } from "./settings.ts";
import type { Slider } from "./slider.ts";
import { flowsOf, outcome } from "./view.ts";

export const SEEDS = 10;
/** Packets of a run in idle time: of one for a slider, of one for a seed. */
const [SMALL, LARGE] = [2.6e6, 16e6];
const KEPT = 4000;

export interface Errand {
  texts: string[];
  /** The flows of each group of a text, of all where they are the same. */
  groups(at: number): number[][];
  most: number;
  each?(at: number, value: number | null): void;
  done?(values: (number | null)[]): void;
}

export class Scouting {
  /** Outcomes of what was simulated, by its text. */
  private readonly known = new Map<string, number | null>();
  runs = 0;

  constructor(private readonly workers: Workers) {}

  stop(): void {
    this.workers.stopScan();
  }

  /** Does errands, one after the other, instead of those before. */
  run(errands: Errand[]): void {
    const all = errands;
    const values = all.map(({ texts }) => texts.map((text) => this.known.get(text)));
    const todo: { text: string; most: number; errand: number; at: number }[] = [];
    const isDone = (errand: number): void => {
      if (values[errand]!.every((value) => value !== undefined)) all[errand]!.done?.(values[errand] as (number | null)[]);
    };
    all.forEach(({ texts, most, each }, errand) => {
      texts.forEach((text, at) => {
        const value = values[errand]![at];
        if (value === undefined) todo.push({ text, most, errand, at });
        else each?.(at, value);
      });
      isDone(errand);
    });
    this.workers.scan(todo, (number, summary) => {
      const { text, errand, at } = todo[number]!;
      const { groups, each } = all[errand]!;
      const value = summary && outcome(summary, groups(at));
      if (this.known.size > KEPT) this.known.clear();
      this.known.set(text, value);
      values[errand]![at] = value;
      this.runs++;
      each?.(at, value);
      isDone(errand);
    });
  }

  /** The outcome of a state over ten seeds, with its interval. */
  seeds({ settings, scenario }: State, groups: number[][], done: (values: number[], interval: Interval | null) => void): Errand {
    const text = (seed: number): string => (scenario === null ? textOf({ settings: { ...settings, seed }, scenario }) : JSON.stringify({ scenario, seed }));
    return {
      texts: Array.from({ length: SEEDS }, (_, at) => text(at + 1)),
      groups: () => groups,
      most: LARGE,
      done: (values) => {
        const known = values.filter((value) => value !== null);
        void this.workers.interval(known).then((interval) => done(known, known.length === SEEDS ? interval : null));
      },
    };
  }

  scent(slider: Slider, settings: Settings): Errand {
    const { scale, write } = slider.spec;
    const all = slider.places.map((place) => write(settings, scale.value(place)));
    return {
      ...ofSettings(all),
      most: SMALL,
      done: (values) => slider.draw({ values, fair: settings.flows.length > 1 ? fairShare(settings) : null }, settings),
    };
  }

  map(settings: Settings[], each: (at: number, value: number | null) => void): Errand {
    return { ...ofSettings(settings), most: SMALL, each };
  }
}

const ofSettings = (all: Settings[]): Pick<Errand, "texts" | "groups"> => ({
  texts: all.map((settings) => textOf({ settings, scenario: null })),
  groups: (at) => flowsOf(all[at]!),
});

/** What the first group would have if all flows had the same. */
export function fairShare(settings: Settings): number {
  const counts = flowsOf(settings).map((flows) => flows.length);
  return counts[0]! / counts.reduce((sum, count) => sum + count, 0);
}
