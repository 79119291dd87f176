// SPDX-License-Identifier: MIT OR Apache-2.0
// The controls: sliders of the path, of each group, and the rest. Those of algorithms come from the catalog.

import type { Catalog, Parameter, Refusal } from "./engine.ts";
import { linear, listed, logarithmic, logarithmicOr0, parameterScale, type Scale } from "./scales.ts";
import { bdps, keyOf, mbps, QUEUES, queueSettings, readGroup, seconds, withKey, writeGroup, type Group, type Settings } from "./settings.ts";
import { element, Slider, type SliderSpec } from "./slider.ts";
import { algorithmName, algorithmOf, COLOURS, short } from "./view.ts";

const MAIN = ["beta", "c", "slow_start", "fast_convergence"];
const DURATIONS = [2, 5, 10, 15, 20, 30, 40, 60, 90, 120, 180, 240, 300];
const NAMES: Record<string, string> = {
  beta: "β, kept after a loss",
  c: "C, steepness",
  slow_start: "Slow start",
  fast_convergence: "Fast convergence",
};

const ms = (value: number): string => `${short(value)} ms`;
const inMs = (text: string | undefined): number | null => {
  const time = seconds(text);
  return time === null ? null : Number((time * 1000).toPrecision(8));
};

const without = (settings: Settings, ...keys: string[]): Settings => Object.fromEntries(Object.entries(settings).filter(([key]) => !keys.includes(key))) as Settings;

/** A setting that is a number with its unit. */
const setting = (id: "rate" | "rtt" | "buffer" | "duration", label: string, scale: Scale, unit: string, parse: (text: string) => number | null): SliderSpec => ({
  ...{ id, label, scale, show: (value) => `${value} ${unit === "bdp" ? "BDP" : unit}` },
  read: (settings) => parse(settings[id]),
  // What was measured of another duration may not be there in this one.
  write: (settings, value) => ({ ...(id === "duration" ? without(settings, "measure") : settings), [id]: `${value}${unit}` }),
});

const PATH = [
  setting("rate", "Rate", logarithmic(1, 1000), "Mbit/s", mbps),
  setting("rtt", "Round trip, empty queue", logarithmic(1, 300), "ms", inMs),
  { ...setting("buffer", "Buffer", logarithmic(0.05, 8), "bdp", bdps), title: "BDP: rate × round trip" },
  setting("duration", "Duration", listed(DURATIONS), "s", seconds),
];

const MORE: SliderSpec[] = [
  {
    ...{ id: "loss", label: "Random loss", scale: logarithmicOr0(1e-5, 0.1), show: (value) => (value ? `${Number((value * 100).toPrecision(3))} %` : "none") },
    read: ({ loss }) => (loss === undefined ? 0 : /^random:[\d.]+$/.test(loss) ? Number(loss.slice(7)) : null),
    write: (settings, value) => (value ? { ...settings, loss: `random:${value.toFixed(8).replace(/0+$/, "")}` } : without(settings, "loss")),
  },
  {
    ...{ id: "jitter", label: "Jitter, up to", scale: logarithmicOr0(0.1, 50), show: (value) => (value ? ms(value) : "none") },
    read: ({ jitter }) => (jitter === undefined ? 0 : inMs(jitter)),
    write: (settings, value) => (value ? { ...settings, jitter: `${value}ms` } : without(settings, "jitter")),
  },
];

/** Sliders of a queue discipline's settings, a time in milliseconds and a size in BDP. */
function disciplineSpecs(queue: string): SliderSpec[] {
  const { title, settings } = QUEUES[queue]!;
  const table = (all: Settings): Record<string, string> => (all[queue] ?? {}) as Record<string, string>;
  return Object.entries(settings).filter(([, { kind }]) => ["time", "size"].includes(kind)).map(([key, { kind }]) => ({
    ...{ id: `${queue}.${key}`, label: `${title} ${key}`, scale: kind === "time" ? logarithmic(1, 1000) : logarithmic(0.01, 8) },
    show: (value) => (kind === "time" ? ms(value) : `${value} BDP`),
    read: (all) => (kind === "time" ? inMs(table(all)[key]) : bdps(table(all)[key] ?? "")),
    write: (all, value) => ({ ...all, [queue]: { ...table(all), [key]: `${value}${kind === "time" ? "ms" : "bdp"}` } }),
    text: (all) => table(all)[key] ?? "",
  }));
}

const DROPTAIL = "droptail";
/** What a queue discipline begins with. */
const begin = (queue: string): Partial<Settings> => {
  const settings = Object.entries(QUEUES[queue]?.settings ?? {});
  return queue === DROPTAIL ? {} : { [queue]: settings.length ? Object.fromEntries(settings.map(([key, { start }]) => [key, start])) : true };
};
export const MOST_GROUPS = 4;

export class Controls {
  sliders: Slider[] = [];
  #settings: Settings;
  #built = "";

  readonly #root: HTMLElement;
  readonly #catalog: () => Catalog | null;
  readonly #change: (settings: Settings, bySlider?: boolean) => void;
  readonly #touched: (slider: string) => void;

  constructor(
    root: HTMLElement,
    settings: Settings,
    catalog: () => Catalog | null,
    change: (settings: Settings, bySlider?: boolean) => void,
    touched: (slider: string) => void,
  ) {
    this.#root = root;
    this.#catalog = catalog;
    this.#change = change;
    this.#touched = touched;
    this.#settings = settings;
  }

  /** Shows these settings; its elements are made anew where there are other groups. */
  update(settings: Settings): void {
    this.#settings = settings;
    const groups = settings.flows.map(readGroup);
    const needed = JSON.stringify([groups.map(({ cc }) => cc), this.#kind, this.#catalog() !== null]);
    if (needed !== this.#built) this.#build(groups);
    this.#built = needed;
    for (const slider of this.sliders) slider.update(settings);
    for (const show of this.#shows) show();
  }

  #shows: (() => void)[] = [];

  get #kind(): string {
    return Object.keys(QUEUES).find((queue) => this.#settings[queue]) ?? DROPTAIL;
  }

  #build(groups: Group[]): void {
    const focused = document.activeElement?.id;
    const open = new Set([...this.#root.querySelectorAll<HTMLElement>("details[open]")].map(({ id }) => id));
    [this.sliders, this.#shows] = [[], []];
    const sets = groups.map((group, at) => this.#groupSet(group, at));
    const add = element("button", { id: "add" }, "Add a group");
    add.disabled = groups.length >= MOST_GROUPS;
    add.onclick = () => this.#change({ ...this.#settings, flows: [...this.#settings.flows, "reno"] });
    this.#root.replaceChildren(
      element("fieldset", {}, element("legend", {}, "Path"), ...PATH.map((spec) => this.#slider(spec))),
      ...sets,
      element("div", { class: "row" }, add),
      element("details", { id: "more" }, element("summary", {}, "More: losses, jitter, queue, seed"), ...this.#more()),
    );
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
  }

  #slider(spec: SliderSpec): HTMLElement {
    const slider = new Slider(
      spec,
      (value) => this.#change(spec.write(this.#settings, value), true),
      () => this.#touched(spec.id),
    );
    this.sliders.push(slider);
    return slider.host;
  }

  #choice(id: string, label: string, options: [string, string][], read: () => string, write: (value: string) => void): HTMLElement {
    const select = element("select", { id }, ...options.map(([value, text]) => element("option", { value }, text)));
    select.onchange = () => write(select.value);
    this.#shows.push(() => (select.value = read()));
    return element("div", { class: "choice" }, element("label", { for: id }, label), select);
  }

  #flag(id: string, label: string, read: () => boolean, write: (value: boolean) => void): HTMLElement {
    const input = element("input", { type: "checkbox", id });
    input.onchange = () => write(input.checked);
    this.#shows.push(() => (input.checked = read()));
    return element("div", { class: "flag" }, input, element("label", { for: id }, label));
  }

  #more(): HTMLElement[] {
    const kind = this.#kind;
    const kinds: [string, string][] = [[DROPTAIL, "Drop tail"], ...Object.entries(QUEUES).map(([queue, { title }]): [string, string] => [queue, title])];
    const set = (chosen: string): void => this.#change({ ...without(this.#settings, "ecn", ...Object.keys(QUEUES)), ...begin(chosen) });
    const seed = element("input", { type: "number", min: "0", step: "1", id: "seed", inputmode: "numeric" });
    seed.onchange = () => this.#change({ ...this.#settings, seed: Math.max(0, Math.round(Number(seed.value)) || 0) });
    this.#shows.push(() => (seed.value = String(this.#settings.seed)));
    const ecn = (on: boolean): void => this.#change(on ? { ...this.#settings, ecn: true } : without(this.#settings, "ecn"));
    return [
      ...MORE.map((spec) => this.#slider(spec)),
      this.#choice("queue-kind", "Queue discipline", kinds, () => this.#kind, set),
      ...(kind === DROPTAIL ? [] : disciplineSpecs(kind).map((spec) => this.#slider(spec))),
      ...(queueSettings(kind).length === 0 ? [] : [this.#flag("ecn", "Marks instead of drops (ECN)", () => !!this.#settings.ecn, ecn)]),
      element("div", { class: "choice" }, element("label", { for: "seed" }, "Seed"), seed),
    ];
  }

  #setGroup(at: number, group: Group): void {
    this.#change({ ...this.#settings, flows: this.#settings.flows.map((text, number) => (number === at ? writeGroup(group) : text)) });
  }

  #groupSet(group: Group, at: number): HTMLElement {
    const now = (): Group => readGroup(this.#settings.flows[at] ?? "reno");
    const catalog = this.#catalog();
    const found = catalog && algorithmOf(catalog, group.cc);
    const remove = element("button", { class: "quiet", "aria-label": `Remove group ${at + 1}`, title: "Remove this group" }, "×");
    remove.hidden = this.#settings.flows.length < 2;
    remove.onclick = () => this.#change({ ...this.#settings, flows: this.#settings.flows.filter((_, number) => number !== at) });
    const select = element("select", { id: `g${at}.cc`, "aria-label": `Algorithm of group ${at + 1}` });
    if (!found) select.append(element("option", { value: group.cc }, algorithmName(group.cc)));
    for (const { name, sets } of catalog?.algorithms ?? [])
      select.append(element("optgroup", { label: name }, ...sets.map((set) => element("option", { value: set.name, title: set.summary }, set.name))));
    select.value = group.cc;
    select.onchange = () => {
      const kept = now().keys.filter(([key]) => ["start", "rtt", "stop"].includes(key));
      this.#setGroup(at, { ...now(), cc: select.value, keys: kept });
    };
    const parameters = found?.algorithm.params ?? [];
    const main = parameters.filter(({ name }) => MAIN.includes(name));
    const others = parameters.filter(({ name }) => !MAIN.includes(name));
    const control = (row: Parameter): HTMLElement => this.#parameter(row, found!.set.params[row.name] ?? row.default, at, now);
    const time = (key: string, label: string, scale: Scale, unit: string, none: string): HTMLElement =>
      this.#slider({
        ...{ id: `g${at}.${key}`, label, scale, group: at % COLOURS, show: (value) => (value ? `${short(value)} ${unit}` : none) },
        read: () => {
          const text = keyOf(now(), key);
          return text === undefined ? 0 : unit === "ms" ? inMs(text) : seconds(text);
        },
        write: (settings, value) => this.#withGroup(settings, at, withKey(now(), key, value ? `${value}${unit}` : null)),
        text: () => keyOf(now(), key) ?? "",
      });
    const count: SliderSpec = {
      ...{ id: `g${at}.count`, label: "Flows", group: at % COLOURS, scale: linear(1, 16, 1), show: String },
      read: () => now().count,
      write: (settings, value) => this.#withGroup(settings, at, { ...now(), count: value }),
    };
    const rest = element("details", { id: `g${at}.rest` }, element("summary", {}, "Start, round trip, other parameters"));
    rest.append(
      time("start", "Start", linear(0, 60, 1), "s", "in the first 100 ms"),
      time("rtt", "Round trip", logarithmicOr0(1, 500), "ms", "the path’s"),
      ...others.map(control),
    );
    const legend = element("legend", {}, select, remove);
    return element("fieldset", { class: `group g${at % COLOURS}` }, legend, this.#slider(count), ...main.map(control), rest);
  }

  #withGroup(settings: Settings, at: number, group: Group): Settings {
    return { ...settings, flows: settings.flows.map((text, number) => (number === at ? writeGroup(group) : text)) };
  }

  #parameter(row: Parameter, preset: string, at: number, now: () => Group): HTMLElement {
    const { name, kind, unit } = row;
    const id = `g${at}.${name}`;
    const label = NAMES[name] ?? name.replaceAll("_", " ");
    const title = `${row.help} (${row.source})`;
    const set = (group: Group, value: string): Group => withKey(group, name, value === preset ? null : value);
    const read = (): string => keyOf(now(), name) ?? preset;
    let host: HTMLElement;
    if (kind === "flag") host = this.#flag(id, label, () => read() === "true", (on) => this.#setGroup(at, set(now(), String(on))));
    else if (kind === "choice") {
      const options = row.choices.map((choice): [string, string] => [choice, choice.replaceAll("_", " ")]);
      host = this.#choice(id, label, options, read, (value) => this.#setGroup(at, set(now(), value)));
    } else
      host = this.#slider({
        ...{ id, label, title, group: at % COLOURS, scale: parameterScale(row) },
        show: (value) => `${value}${unit ? ` ${unit.replace("^3", "³")}` : ""}`,
        read: () => Number(read()),
        write: (settings, value) => this.#withGroup(settings, at, set(now(), String(value))),
      });
    host.title = title;
    if (row.needs) {
      const [other, value] = row.needs;
      const needed = found(this.#catalog(), now().cc, other);
      this.#shows.push(() => (host.hidden = (keyOf(now(), other) ?? needed) !== value));
    }
    return host;
  }

  /** Says at its control what was refused. */
  refuse(refusal: Refusal | null): void {
    const id = refusal?.field
      .replace(/^flow\[(\d+)\]/, "g$1")
      .replace(/^link\.queue\.limit$/, "buffer")
      .replace(/^link\.queue\./, `${this.#kind}.`)
      .replace(/^link\./, "");
    for (const slider of this.sliders)
      slider.refuse(refusal && slider.spec.id === id ? `${refusal.value ?? "nothing"}: expected ${refusal.expected}` : null);
  }
}

/** The preset of a parameter of an algorithm. */
const found = (catalog: Catalog | null, cc: string, name: string): string | undefined => {
  const algorithm = catalog && algorithmOf(catalog, cc);
  return algorithm?.set.params[name] ?? algorithm?.algorithm.params.find((row) => row.name === name)?.default;
};
