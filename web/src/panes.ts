// SPDX-License-Identifier: MIT OR Apache-2.0
// The tabs under the charts.

import { comparePane } from "./compare.ts";
import type { Lab } from "./lab.ts";
import { mapPane } from "./map.ts";
import { completionTable, table } from "./result.ts";
import { copy } from "./share.ts";
import { element } from "./slider.ts";
import { stepPane } from "./step.ts";
import { byId } from "./view.ts";

export interface Pane {
  name: string;
  label: string;
  isHigh: boolean;
  /** Fills the pane; again after each result. */
  render(host: HTMLElement): void;
}

export interface Tabs {
  open(name: string): void;
  isOpen(name: string): boolean;
  render(): void;
}

export function panes(lab: Lab): Tabs {
  const host = byId("pane");
  const step = stepPane(lab);
  const all: Pane[] = [flows(lab), comparePane(lab), step, mapPane(lab), scenario(lab)];
  let open = all[0]!;
  const buttons = all.map((pane) => {
    const button = element("button", { role: "tab", id: `tab-${pane.name}`, "aria-controls": "pane" }, pane.label);
    button.onclick = () => tabs.open(pane.name);
    button.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const next = all[(all.indexOf(pane) + step + all.length) % all.length]!;
      tabs.open(next.name);
      byId(`tab-${next.name}`).focus();
    };
    return button;
  });
  const tabs: Tabs = {
    isOpen: (name) => open.name === name,
    render: () => open.render(host),
    open(name) {
      open = all.find((pane) => pane.name === name)!;
      all.forEach((pane, at) => {
        buttons[at]!.setAttribute("aria-selected", String(pane === open));
        buttons[at]!.tabIndex = pane === open ? 0 : -1;
      });
      host.setAttribute("aria-labelledby", `tab-${name}`);
      host.className = open.isHigh ? "high" : "";
      host.replaceChildren();
      tabs.render();
    },
  };
  byId("tabs").append(...buttons);
  tabs.open("flows");
  lab.charts.onPick = (time, flow) => {
    tabs.open("step");
    step.pick(time, flow);
  };
  lab.onRest.push(() => tabs.render());
  return tabs;
}

function flows(lab: Lab): Pane {
  const render = (host: HTMLElement): void => {
    const view = lab.isByHand ? lab.charts.view : lab.result;
    host.innerHTML = view?.run.summary ? table(view) + completionTable(view) : "";
  };
  return { name: "flows", label: "Flows", isHigh: false, render };
}

/** The scenario as TOML, which can be changed and run. */
function scenario(lab: Lab): Pane {
  const area = element("textarea", { "aria-label": "Scenario, TOML", spellcheck: "false" });
  const run = element("button", {}, "Run this");
  const back = element("button", {}, "Back to the sliders");
  const button = element("button", {}, "Copy");
  button.onclick = () => void copy(button, area.value);
  run.onclick = () => lab.set({ settings: lab.state.settings, scenario: area.value });
  back.onclick = () => lab.set({ settings: lab.state.settings, scenario: null });
  const render = (host: HTMLElement): void => {
    back.hidden = lab.state.scenario === null;
    if (lab.result && document.activeElement !== area) area.value = lab.state.scenario?.startsWith("{") === false ? lab.state.scenario : lab.result.run.description.toml;
    if (!area.isConnected) host.replaceChildren(element("div", { class: "row" }, run, button, back), area);
  };
  return { name: "scenario", label: "Scenario", isHigh: true, render };
}
