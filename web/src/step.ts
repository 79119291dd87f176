// SPDX-License-Identifier: MIT OR Apache-2.0
// The calls of a flow's hooks from an instant on: arguments, and the integers before and after.

import type { HookCall, HookField } from "./engine.ts";
import type { Lab } from "./lab.ts";
import type { Pane } from "./panes.ts";
import { textOf } from "./settings.ts";
import { escapeHtml, short, whole } from "./view.ts";
import tables from "tables";

export const CALLS = 8;
const INFINITE = 0x7fffffff;

const shown = (value: number, { scale, unit }: HookField, isRaw: boolean): string =>
  isRaw ? String(value) : value >= INFINITE ? "∞" : `${scale > 1 ? Number((value / scale).toPrecision(5)) : value}${unit ? ` ${unit}` : ""}`;

const argumentsOf = (call: HookCall): string =>
  Object.entries(call.arguments)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");

/** Of a flow of the parameter set `cc`. With `isRaw` the integers as they are. */
export function tableOf(calls: HookCall[], cc: string, isRaw = false): string {
  // What never is anything else than 0 is left out.
  const fields = calls[0]!.fields.filter((_, at) => calls.some(({ fields }) => fields[at]!.before !== 0 || fields[at]!.after !== 0));
  const cell = (call: HookCall, name: string): string => {
    const field = call.fields.find((one) => one.name === name)!;
    const isChanged = field.before !== field.after;
    const text = isChanged ? `${shown(field.before, field, isRaw)} → ${shown(field.after, field, isRaw)}` : shown(field.after, field, isRaw);
    return `<td${isChanged ? ' class="changed"' : ""} title="${field.before} → ${field.after}">${text}</td>`;
  };
  const changes = (name: string): boolean => calls.some(({ fields }) => fields.some((one) => one.name === name && one.before !== one.after));
  const names = [...new Set(fields.map(({ name }) => name))].sort((a, b) => Number(changes(b)) - Number(changes(a)));
  const rows = names.map((name) => `<tr><th scope="row">${name}</th>${calls.map((call) => cell(call, name)).join("")}</tr>`);
  const heads = calls.map((call) => {
    const returned = call.hook === "ssthresh" || call.hook === "undo_cwnd" ? ` = ${call.returned}` : "";
    return `<th scope="col">${call.t_s.toFixed(6)} s<br><b>${call.hook}</b>${returned}<br>${escapeHtml(argumentsOf(call)).replaceAll(", ", "<br>").replaceAll("=", " ")}</th>`;
  });
  const sources = calls.map(({ hook }) => `<td><small>${escapeHtml(tables.sources[cc]?.[hook] ?? "")}</small></td>`);
  rows.unshift(`<tr><th scope="row" title="in crates/cwnd/src/algorithms">source</th>${sources.join("")}</tr>`);
  return `<table class="hooks"><thead><tr><th scope="col">call</th>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

export function stepPane(lab: Lab): Pane & { pick(time: number, flow: number): void } {
  let [time, flow, html] = [0, 0, ""];
  const host = (): HTMLElement | null => document.querySelector("#pane [data-step]");
  const fill = (): void => {
    const element = host();
    if (!element) return;
    const names = lab.result?.run.description.flows.map(({ name }, at) => `<option value="${at}"${at === flow ? " selected" : ""}>${escapeHtml(name)}</option>`);
    const tools = `<div class="row"><label for="of">Flow</label><select id="of">${names?.join("") ?? ""}</select><button type="button">From the cursor</button><button type="button">Next calls</button></div>`;
    element.innerHTML = `${tools}${html || "<p>Click on a curve to see the next calls of that flow’s hooks and what they changed.</p>"}`;
    const [cursor, next] = element.querySelectorAll("button");
    cursor!.onclick = () => pick(lab.charts.cursor ?? 0, Number(element.querySelector("select")!.value));
    next!.onclick = () => pick(time, flow);
  };
  function pick(at: number, of: number): void {
    [time, flow] = [at, of];
    if (lab.isByHand) {
      html = "<p>A run steered by hand is not simulated again: move a slider first.</p>";
      return fill();
    }
    const name = lab.result?.run.description.flows[of]?.name ?? "";
    void lab.workers.hooks(textOf(lab.ran), at, of, CALLS).then((given) => {
      if (!given) return;
      const { calls, ms } = given;
      if (calls.length) time = calls.at(-1)!.t_s + 1e-9;
      const said = `<p><b>${escapeHtml(name)}</b>: ${calls.length} calls from ${short(at)} s on, simulated again up to this time in ${whole(ms)} ms.</p>`;
      html = calls.length ? said + tableOf(calls, lab.result?.run.description.flows[of]?.cc ?? "") : `<p>${escapeHtml(name)} makes no calls from ${short(at)} s on.</p>`;
      fill();
      lab.scout();
    });
  }
  return {
    ...{ name: "step", label: "Step", isHigh: true, pick },
    render(pane) {
      if (!host()) pane.innerHTML = '<div data-step=""></div>';
      fill();
    },
  };
}
