// SPDX-License-Identifier: MIT OR Apache-2.0
// A and B: settings that are kept beside the present one, and their differences over the same ten seeds.

import type { Summary } from "./engine.ts";
import type { Lab } from "./lab.ts";
import type { Pane } from "./panes.ts";
import { dropsOf } from "./result.ts";
import { ORDER, textOf, type State } from "./settings.ts";
import { element } from "./slider.ts";
import { escapeHtml, outcome, percent, short, whole, type View } from "./view.ts";

const MOST = 3;

/** A setting in words. */
const valueOf = ({ settings, scenario }: State, key: string): string => {
  const value = scenario === null ? settings[key] : "";
  return value === undefined ? "none" : typeof value === "object" ? Object.values(value ?? {}).join("..") : String(value);
};

interface Variant {
  state: State;
  view: View;
}

const ROWS: [string, (summary: Summary, view: View) => string][] = [
  ["first group’s share of what all carry", (summary, { groups }) => percent(outcome(summary, groups.map(({ flows }) => flows)))],
  ["utilisation", ({ link }) => percent(link.utilization)],
  ["queueing delay, mean", ({ link }) => `${short(link.queue_mean_ms)} ms`],
  ["queueing delay, 95 %", ({ link }) => `${short(link.queue_p95_ms)} ms`],
  ["drops", ({ link }) => whole(dropsOf(link))],
  ["Jain’s index", ({ jain }) => jain.toFixed(3)],
];

export function comparePane(lab: Lab): Pane {
  const pinned: Variant[] = [];
  /** Outcomes over ten seeds, by the text of the settings; differences to A, by both. */
  const [outcomes, differences] = [new Map<string, number[]>(), new Map<string, string>()];
  const pin = element("button", {});
  const body = element("div");
  let pane: HTMLElement | null = null;

  const all = (): Variant[] => [...pinned, ...(lab.result ? [{ state: lab.ran, view: lab.result }] : [])];
  const keyOf = ({ state }: Variant): string => textOf(state);

  lab.pinned = () => pinned.map(({ view }) => view);
  lab.errands.push(() => {
    const known = pinned.length ? all() : [];
    return known.map((variant) =>
      lab.scouting.seeds(variant.state, variant.view.groups.map(({ flows }) => flows), (values) => {
        outcomes.set(keyOf(variant), values);
        void differ(variant);
      }),
    );
  });

  async function differ(variant: Variant): Promise<void> {
    // A may have been removed meanwhile.
    if (!pinned[0]) return;
    const first = outcomes.get(keyOf(pinned[0]));
    const own = outcomes.get(keyOf(variant));
    // A part of what all carry is none of a flow alone, which has its utilisation.
    const alike = new Set([pinned[0], variant].map(({ view }) => view.groups.length > 1)).size === 1;
    if (!first || !own || first.length !== own.length || !alike) return;
    const interval = await lab.workers.interval(own.map((value, seed) => 100 * (value - first[seed]!)));
    if (!interval || !pinned[0]) return;
    const { mean, high } = interval;
    differences.set(keyOf(pinned[0]) + keyOf(variant), `${mean < 0 ? "−" : "+"}${Math.abs(mean).toFixed(1)} ± ${(high - mean).toFixed(1)} points`);
    render();
  }

  function column(name: string, cells: string[]): string {
    return `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  }

  function render(): void {
    if (!pane?.contains(body)) return;
    const variants = all();
    pin.textContent = `Keep this as ${"ABC"[pinned.length] ?? "…"}`;
    pin.disabled = pinned.length >= MOST || !lab.result || lab.isByHand;
    if (!pinned.length) {
      body.innerHTML = "<p>Keep the current setting as A, then change it: both are shown, with their difference over ten seeds.</p>";
      return;
    }
    const heads = variants.map(({ state, view }, at) => {
      const isKept = at < pinned.length;
      const text = state.scenario === null ? state.settings.flows.join(" ") : view.run.description.name;
      const tools = isKept ? ` <button type="button" class="quiet" data-back="${at}" aria-label="Show ${"ABC"[at]}">↺</button><button type="button" class="quiet" data-drop="${at}" aria-label="Remove ${"ABC"[at]}">×</button>` : "";
      return `<th scope="col"><b>${"ABCD"[at]}</b>${isKept ? "" : ", now"}${tools}<br>${escapeHtml(text)}</th>`;
    });
    const rows = ROWS.map(([name, of]) => column(name, variants.map(({ view }) => of(view.run.summary!, view))));
    const settings = ORDER.filter((key) => key !== "flows" && new Set(variants.map(({ state }) => valueOf(state, key))).size > 1);
    rows.unshift(...settings.map((key) => column(key, variants.map(({ state }) => escapeHtml(valueOf(state, key))))));
    const differing = variants.map((variant, at) => (at ? (differences.get(keyOf(pinned[0]!) + keyOf(variant)) ?? "…") : "–"));
    rows.unshift(column("difference from A, ten seeds", differing));
    body.innerHTML = `<table><thead><tr><th scope="col">setting</th>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
    for (const button of body.querySelectorAll<HTMLButtonElement>("button"))
      button.onclick = () => {
        const { drop, back } = button.dataset;
        if (back !== undefined) return lab.set(pinned[Number(back)]!.state);
        pinned.splice(Number(drop), 1);
        changed();
      };
  }

  function changed(): void {
    if (lab.result) lab.show(lab.result);
    render();
    lab.scout();
  }

  pin.onclick = () => {
    if (lab.result) pinned.push({ state: lab.ran, view: lab.result });
    changed();
  };
  return {
    ...{ name: "compare", label: "A and B", isHigh: true },
    render(host) {
      pane = host;
      if (!body.isConnected) host.replaceChildren(element("div", { class: "row" }, pin), body);
      render();
    },
  };
}
