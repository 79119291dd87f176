// SPDX-License-Identifier: MIT OR Apache-2.0
// The page: its buttons, its links, and what is dropped on it.

import type { Extra } from "./charts.ts";
import { essay } from "./essay.ts";
import { Lab } from "./lab.ts";
import { panes } from "./panes.ts";
import { hashOf, PRESETS, settingsOf, START, stateOf, type Settings, type State } from "./settings.ts";
import PRESET_TEXTS from "./presets.json";
import { copy, csv, picture, save } from "./share.ts";
import { element } from "./slider.ts";
import { transport } from "./transport.ts";
import { byId } from "./view.ts";

/** An address with this is that of the essay. */
const ESSAY = "#essay";
const UNREADABLE = "The page cannot read the settings in its address.";

async function begin(): Promise<void> {
  const isEssay = (): boolean => location.hash.startsWith(ESSAY);
  const reads = isEssay();
  // Between the essay and the laboratory the page begins anew.
  addEventListener("hashchange", () => isEssay() !== reads && location.reload());
  if (reads) return essay();
  const linked = await stateOf(location.hash);
  const lab = new Lab(linked?.state ?? written() ?? { settings: START, scenario: null });
  if (!linked && !written()) lab.begin();
  if (linked) lab.set(linked.state, linked.promised);
  else if (location.hash.length > 1) void lab.settled().then(() => lab.line(UNREADABLE));
  const time = transport(lab);
  panes(lab);
  buttons(lab);
  extras(lab);
  files(lab);
  addEventListener("hashchange", async () => {
    if (isEssay()) return;
    const given = await stateOf(location.hash);
    if (given) lab.set(given.state, given.promised);
    else lab.line(UNREADABLE);
  });
  document.addEventListener("visibilitychange", () => (document.hidden ? lab.scouting.stop() : lab.scout()));
  const set = (given: object): void => {
    const settings = settingsOf(given);
    lab.set(settings ? { settings, scenario: null } : { settings: lab.state.settings, scenario: JSON.stringify(given) });
  };
  const stats = (): object => ({ ...lab.stats, scanned: lab.scouting.runs });
  Object.assign(window, {
    lab: {
      settings: (): Settings | string => lab.state.scenario ?? lab.state.settings,
      set,
      result: () => lab.result?.run.summary ?? null,
      settled: () => lab.settled(),
      hash: () => hashOf(lab.state),
      linkHash: () => hashOf(lab.ran),
      drawn: () => lab.result?.run.curves.flows.flatMap((rows, at) => (rows ? [at] : [])) ?? [],
      readHash: async (hash: string) => {
        const given = await stateOf(hash);
        if (given) lab.set(given.state, given.promised);
      },
      trap: () => lab.workers.trap(),
      seek: time.seek,
      get stats() {
        return stats();
      },
    },
  });
}

/** What `cwnd` has written into this file to begin with: settings of a comparison, or a scenario. */
function written(): State | null {
  const given = JSON.parse(byId("state").textContent!) as { settings?: object; text?: string } | null;
  if (!given) return null;
  const settings = given.settings ? settingsOf(given.settings) : null;
  return settings ? { settings, scenario: null } : { settings: START, scenario: given.text ?? JSON.stringify(given.settings) };
}

function buttons(lab: Lab): void {
  const on = (id: string, act: (button: HTMLButtonElement) => unknown): void => {
    const button = byId<HTMLButtonElement>(id);
    button.onclick = () => void act(button);
  };
  const BY_HAND = "A run steered by hand has no address and no command: save it as PNG or CSV.";
  on("copy-link", async (button) => {
    if (lab.isByHand) return lab.line(BY_HAND);
    const digest = lab.result?.run.summary?.digest.slice(0, 8);
    const promised = digest && lab.catalog ? { version: lab.catalog.version, digest } : undefined;
    await copy(button, location.href.split("#")[0]! + (await hashOf(lab.ran, promised)));
  });
  on("copy-command", async (button) => {
    if (lab.isByHand) return lab.line(BY_HAND);
    const command = lab.result?.run.description.command;
    if (command) return copy(button, command);
    return lab.line("No options give these settings. Copy the TOML under ‘Scenario’ into a file, then: cwnd run FILE.toml");
  });
  on("save-png", async () => {
    const titles = ["window", "rate", "queue"].map((id) => byId(`plot-${id}-title`).textContent!);
    const run = (lab.isByHand ? lab.charts.view : lab.result)?.run;
    const of = run?.description.command ?? `cwnd run · ${run?.description.name ?? ""}`;
    const lines = [byId("sentence").textContent!, lab.isByHand ? `You steered by hand; other settings: ${of}` : of];
    const blob = await picture(lab.charts, titles, [...lines, `cwnd ${lab.catalog?.version ?? ""}, digest ${run?.summary?.digest ?? ""}`]);
    if (blob) save("cwnd.png", blob);
  });
  on("save-csv", () => lab.result && save("cwnd.csv", new Blob([csv(lab.isByHand ? lab.charts.view! : lab.result)], { type: "text/csv" })));
  presets(lab);
}

interface Preset {
  name: string;
  text: string;
  /** The point of the figure that it is. */
  point?: string;
  /** What the paper says, its number, ours, and whether it holds. */
  claims?: string;
}

/** What to begin with: settings, scenarios, and points of the papers' figures with their claims. */
function presets(lab: Lab): void {
  const menu = byId<HTMLSelectElement>("preset");
  const written = PRESET_TEXTS as Preset[];
  const group = (label: string, options: [string, string][]): HTMLElement =>
    element("optgroup", { label }, ...options.map(([name, value]) => new Option(name, value)));
  const of = (isFigure: boolean): [string, string][] => written.flatMap(({ name, claims }, at) => ((claims !== undefined) === isFigure ? [[name, `t${at}`] as [string, string]] : []));
  menu.append(group("Settings", PRESETS.map(([name], at) => [name, `s${at}`])), group("Scenarios", of(false)), group("Figures of the papers", of(true)));
  menu.onchange = () => {
    const at = Number(menu.value.slice(1));
    const settings = menu.value.startsWith("s") ? { ...START, ...PRESETS[at]![1] } : lab.state.settings;
    if (menu.value) lab.set({ settings, scenario: menu.value.startsWith("t") ? written[at]!.text : null });
    menu.value = "";
  };
  const show = (): void => {
    const preset = written.find(({ text, claims }) => claims !== undefined && text === lab.state.scenario);
    const host = byId("claims");
    host.hidden = !preset;
    host.textContent = preset ? `${preset.claims}\n${preset.name}: this page simulates its point ‘${preset.point ?? ""}’ with one seed, shares in bits on the wire; cwnd reproduce judged the claims above over all points and several seeds, shares in payload.` : "";
  };
  lab.onAsk.push(show);
  show();
}

const EXTRAS: [Extra, string, string][] = [
  ["ssthresh", "threshold", "Slow start threshold, dotted"],
  ["w_max", "W_max", "The window before the last reduction, dashed"],
  ["target", "cubic", "origin + C (t − K)³ over each epoch, broad"],
  ["w_est", "W_est", "CUBIC’s estimate of Reno’s window, short dashes"],
];

function extras(lab: Lab): void {
  for (const [name, label, title] of EXTRAS) {
    const button = byId("extras").appendChild(document.createElement("button"));
    Object.assign(button, { type: "button", textContent: label, title });
    button.setAttribute("aria-pressed", "false");
    button.onclick = () => {
      const { extras } = lab.charts;
      if (!extras.delete(name)) extras.add(name);
      button.setAttribute("aria-pressed", String(extras.has(name)));
      lab.charts.redraw();
    };
  }
}

/** A scenario that is dropped on the page runs. */
function files(lab: Lab): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    if (!/\.toml$/i.test(file.name)) lab.line(`${file.name} is not read: drop a scenario, a file that ends in .toml.`);
    else lab.set({ settings: lab.state.settings, scenario: await file.text() });
  });
}

void begin();
