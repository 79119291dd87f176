// SPDX-License-Identifier: MIT OR Apache-2.0
// The essay: its text, and figures that are simulated again as they are touched, one at a time.

import { Charts } from "./charts.ts";
import type { Catalog } from "./engine.ts";
import text from "./essay.html";
import { FIGURES, type Choice, type FigureSpec } from "./figures.ts";
import { drawPipe } from "./pipe.ts";
import type { Run } from "./protocol.ts";
import { Scouting, type Errand } from "./scouting.ts";
import { hashOf, textOf, type Settings } from "./settings.ts";
import { element, Slider } from "./slider.ts";
import { BY_HAND, frame, steer } from "./steer.ts";
import { CALLS, tableOf } from "./step.ts";
import { ROUND_TRIP_S, still } from "./transport.ts";
import { byId, groupsOf, percent, short, whole, type View } from "./view.ts";
import { Workers } from "./workers.ts";

/** A finger that comes back so late begins another change, and after so long without one it rests: ms. */
const [NEW_TOUCH_MS, REST_MS] = [700, 300];
const CAPTIONS = { window: "Window, segments", rate: "Throughput, Mbit/s", queue: "Queue, packets; drops above it" };

const clock = (s: number): string =>
  s < 90 ? `${short(s)} s` : s < 3600 ? `${short(s / 60)} min` : `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
/** How numbers are written in the text. */
const WRITTEN: Record<string, (value: number) => string> = {
  ...{ whole, short, percent, clock },
  mbps: (value) => `${short(value)} Mbit/s`,
  ms: (value) => `${short(value)} ms`,
  s: (value) => `${value.toFixed(2)} s`,
  part: (value) => (100 * value).toFixed(1),
  times: (value) => `${value.toFixed(1)} times`,
};

class Figure {
  readonly charts: Charts;
  settings: Settings;
  /** The last whole run, and the numbers of it. */
  view: View | null = null;
  values: Record<string, number> = {};
  isWanted = true;
  isShown = false;
  latest = -1;
  readonly #sliders: Slider[];
  readonly #shows: (() => void)[] = [];
  readonly #begin: Settings[];
  #ghost: View | null = null;
  #changed = -Infinity;
  #rest = 0;
  #isDone = false;

  constructor(
    readonly spec: FigureSpec,
    private readonly essay: Essay,
  ) {
    const { id, kinds } = spec;
    const host = byId(id);
    this.#begin = [...spec.begin];
    this.settings = this.#begin.shift()!;
    const plots = kinds.map((kind) => {
      const title = element("figcaption", { id: `plot-${id}-${kind}-title` }, CAPTIONS[kind]);
      const readout = element("div", { class: "readout", hidden: "" });
      return element("figure", kind === "window" ? { class: "tall" } : {}, title, element("div", { class: "plot", id: `plot-${id}-${kind}` }, readout));
    });
    const charts = element("div", { class: `charts n${kinds.length}` }, ...plots);
    this.#sliders = spec.sliders.map((slider) => new Slider(slider, (value) => this.set(slider.write(this.settings, value)), () => this.touch()));
    const open = element("button", { class: "open" }, "Open in the laboratory");
    open.onclick = async () => (location.hash = await hashOf({ settings: this.settings, scenario: null }));
    const tools = [...spec.choices.map((choice) => this.#choice(choice)), ...this.#sliders.map(({ host }) => host), open];
    host.append(charts, element("div", { class: "tools" }, ...tools));
    this.charts = new Charts(() => essay.catalog, charts, `plot-${id}`, kinds, `${id}-says`);
    for (const extra of spec.extras ?? []) this.charts.extras.add(extra);
    this.charts.onCursor = (time) => {
      this.charts.cursor = time;
      this.charts.redraw();
    };
    new IntersectionObserver(([entry]) => {
      this.isShown = entry!.isIntersecting;
      if (this.isShown && this.isWanted) essay.ask(this);
      else if (this.isShown && this.view) essay.onRest[id]?.(this);
    }, { rootMargin: "200px" }).observe(host);
    if (spec.drag) this.#draggable(byId(`plot-${id}-window`));
    this.#update();
  }

  /** Whether what is set has been simulated. */
  get isSettled(): boolean {
    return this.#isDone && !this.isWanted;
  }

  #choice({ label, options, read }: Choice): HTMLElement {
    const buttons = options.map(([name, set]) => {
      const button = element("button", {}, name);
      button.onclick = () => {
        this.touch();
        this.set(set(this.settings));
      };
      return button;
    });
    this.#shows.push(() => buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === read(this.settings)))));
    return element("div", { class: "row", role: "group", "aria-label": label }, element("span", {}, label), ...buttons);
  }

  /** Curves that are dragged: from where they were when the finger came. */
  #draggable(host: HTMLElement): void {
    host.classList.add("grab");
    host.addEventListener("pointerdown", (down) => {
      if (!this.view) return;
      this.touch();
      host.setPointerCapture(down.pointerId);
      const [settings, values, panel] = [this.settings, { ...this.values }, this.charts.window];
      const perPixel = panel.top / Math.abs(panel.y(0) - panel.y(panel.top));
      const move = (event: PointerEvent): void => {
        const left = host.getBoundingClientRect().left;
        const across = panel.time(event.clientX - left) - panel.time(down.clientX - left);
        this.set(this.spec.drag!(settings, values, across, (down.clientY - event.clientY) * perPixel));
      };
      host.addEventListener("pointermove", move);
      for (const end of ["pointerup", "pointercancel"] as const) host.addEventListener(end, () => host.removeEventListener("pointermove", move), { once: true });
    });
  }

  /** What is shown now stays as a ghost. */
  touch(): void {
    if (performance.now() - this.#changed > NEW_TOUCH_MS && this.view) this.#ghost = this.view;
  }

  set(settings: Settings): void {
    this.#changed = performance.now();
    this.settings = settings;
    this.#isDone = false;
    for (const name of ["mean", "half"]) delete this.values[name];
    this.#update();
    this.essay.ask(this);
  }

  #update(): void {
    for (const slider of this.#sliders) slider.update(this.settings);
    for (const show of this.#shows) show();
  }

  show(run: Run, settings: Settings): View {
    const view = { run, groups: groupsOf(run.description, settings) };
    this.draw(view);
    return view;
  }

  draw(view: View): void {
    this.charts.view = view;
    this.charts.ghosts = this.#ghost ? [this.#ghost] : [];
    this.charts.redraw();
  }

  /** A whole run: the numbers of the text, and what it begins with next. */
  done(view: View, settings: Settings): void {
    this.view = view;
    const next = this.#begin.shift();
    if (next) {
      this.#ghost = view;
      return this.set(next);
    }
    this.#isDone = true;
    this.write(this.spec.values(view, settings));
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.essay.rested(this, view), REST_MS);
  }

  /** Writes numbers into the text that is of this figure. */
  write(values: Record<string, number>): void {
    Object.assign(this.values, values);
    const section = byId(this.spec.id).closest("section")!;
    for (const place of section.querySelectorAll<HTMLOutputElement>("output[data-n]")) {
      const value = this.values[place.dataset["n"]!];
      place.textContent = value === undefined ? "…" : WRITTEN[place.dataset["as"] ?? "short"]!(value);
    }
    for (const place of section.querySelectorAll<HTMLElement>("[data-if]")) place.hidden = !(this.values[place.dataset["if"]!]! > 0);
  }
}

class Essay {
  catalog: Catalog | null = null;
  readonly workers: Workers;
  readonly scouting: Scouting;
  readonly figures: Figure[];
  /** Called after each whole run that a figure rests on. */
  readonly onRest: Record<string, (figure: Figure) => void> = {};
  /** While the visitor steers, nothing else has the scout. */
  isSteered = false;
  #busy: Figure | null = null;
  readonly #asked = new Map<number, [Figure, Settings]>();

  constructor() {
    this.workers = new Workers(byId("module").textContent!.trim(), {
      ready: (catalog) => {
        this.catalog = catalog;
        this.#next();
      },
      run: (run) => this.#take(run),
      refused: (id, { field, value, expected }) => this.#ended(id, `${field}: ${value ?? "nothing"} is refused; expected ${expected}.`),
      failed: (message) => this.#ended(this.#busy?.latest ?? -1, `The simulator stopped (${message}) and was started again.`),
    });
    byId("module").remove();
    this.scouting = new Scouting(this.workers);
    this.figures = FIGURES.map((spec) => new Figure(spec, this));
  }

  /** Simulates a figure's settings; another's run ends first. */
  ask(figure: Figure): void {
    figure.isWanted = true;
    this.scouting.stop();
    if (this.catalog && (!this.#busy || this.#busy === figure)) this.#start(figure);
  }

  #start(figure: Figure): void {
    figure.isWanted = false;
    this.#busy = figure;
    figure.latest = this.workers.run(textOf({ settings: figure.settings, scenario: null }), figure.charts.panels[0]!.columns);
    this.#asked.set(figure.latest, [figure, figure.settings]);
  }

  #take(run: Run): void {
    const [figure, settings] = this.#asked.get(run.id) ?? [];
    if (!figure || !settings) return;
    const view = figure.show(run, settings);
    if (!run.over) return;
    this.#asked.delete(run.id);
    if (run.id !== figure.latest) return;
    this.#ended(run.id, "");
    figure.done(view, settings);
  }

  #ended(id: number, said: string): void {
    byId("essay-line").textContent = said;
    byId("essay-line").hidden = said === "";
    if (this.#busy?.latest !== id) return;
    this.#busy = null;
    this.#next();
  }

  #next(): void {
    const next = this.figures.find(({ isWanted, isShown }) => isWanted && isShown);
    if (next && !this.#busy && this.catalog) this.#start(next);
  }

  /** The finger rests: other seeds, and what else belongs to a figure. */
  rested(figure: Figure, view: View): void {
    if (figure.view !== view || this.isSteered) return;
    this.onRest[figure.spec.id]?.(figure);
    // Of all figures that wait for them: a touch of another has stopped what was simulated for one.
    const waiting = this.figures.filter(({ spec, view, values, isSettled }) => spec.hasSeeds && view && isSettled && !("mean" in values));
    this.scouting.run(waiting.map((one) => this.#seeds(one, one.view!)));
  }

  #seeds(figure: Figure, view: View): Errand {
    return this.scouting.seeds({ settings: figure.settings, scenario: null }, view.groups.map(({ flows }) => flows), (_, interval) => {
      if (interval && figure.view === view) figure.write({ mean: interval.mean, half: interval.high - interval.mean });
    });
  }

  get(id: string): Figure {
    return this.figures.find(({ spec }) => spec.id === id)!;
  }
}

/** The packets of the first figure, which can move. */
function packets(essay: Essay): void {
  const host = byId("fill");
  const canvas = element("canvas", { class: "pipe", role: "img", "aria-label": "Packets in the queue and on the path" });
  const play = element("button", { "aria-pressed": "false" }, "Move the packets");
  host.prepend(canvas);
  host.querySelector(".tools")!.prepend(play);
  const isOn = (): boolean => play.getAttribute("aria-pressed") === "true";
  let time = 5;
  let last = 0;
  async function loop(figure: Figure): Promise<void> {
    const mine = ++last;
    time = 5;
    await essay.workers.live(textOf({ settings: figure.settings, scenario: null }), 1);
    for (let before = await frame(); mine === last; ) {
      const live = await essay.workers.liveTo(time, null, false);
      if (!live || mine !== last || !figure.view || !figure.isShown || essay.isSteered) return;
      drawPipe(canvas, live.packets, figure.view);
      if (!isOn() || live.over) return play.setAttribute("aria-pressed", "false");
      const now = await frame();
      time += ((figure.view.run.description.flows[0]!.rtt_ms / 1000 / ROUND_TRIP_S) * Math.min(100, now - before)) / 1000;
      before = now;
    }
  }
  const begin = (): void => void loop(essay.get("fill"));
  essay.onRest["fill"] = begin;
  play.onclick = () => {
    play.setAttribute("aria-pressed", String(!isOn()));
    begin();
  };
  // Nothing moves by itself for those who asked for that.
  play.setAttribute("aria-pressed", String(!still()));
}

/** The second figure, in which the visitor is the controller. */
function controller(essay: Essay): void {
  const figure = essay.get("you");
  const tools = byId("you").querySelector(".tools")!;
  const slider = element("input", { type: "range", id: "you-window", min: "0", max: "100", value: "40" });
  const start = element("button", { "aria-pressed": "false" }, "Begin");
  tools.prepend(start, element("label", { for: "you-window" }, "Your window"), slider);
  const isOn = (): boolean => start.getAttribute("aria-pressed") === "true";
  start.onclick = async () => {
    start.setAttribute("aria-pressed", String(!isOn()));
    start.textContent = isOn() ? "End" : "Begin";
    if (!isOn()) return;
    slider.focus();
    figure.touch();
    essay.isSteered = true;
    essay.scouting.stop();
    const settings = { ...figure.settings, flows: figure.settings.flows.slice(0, 1) };
    const view = await steer(essay.workers, settings, figure.charts.window.columns, slider, isOn, () => undefined, (view) => figure.draw(view));
    essay.isSteered = false;
    start.setAttribute("aria-pressed", "false");
    start.textContent = "Again";
    if (!view?.run.summary) return;
    const { drops_queue, queue_mean_ms } = view.run.summary.link;
    const [other, yours] = view.groups.map(({ flows }) => flows.reduce((sum, flow) => sum + (view.run.summary!.flows[flow]!.share ?? 0), 0));
    figure.write({ youOther: other!, yours: yours!, youDrops: drops_queue, youWait: queue_mean_ms, byHand: -BY_HAND });
  };
}

/** The last figure: the calls of the hooks where it is clicked. */
function hooks(essay: Essay): void {
  const host = element("div", { class: "calls", tabindex: "0", role: "region", "aria-label": "Calls of the hooks" });
  byId("kernel").append(host);
  const figure = essay.get("kernel");
  const pick = async (time: number): Promise<void> => {
    const given = await essay.workers.hooks(textOf({ settings: figure.settings, scenario: null }), time, 0, CALLS);
    if (given?.calls.length) host.innerHTML = tableOf(given.calls, "cubic-linux", true);
  };
  figure.charts.onPick = (time) => void pick(time);
  essay.onRest["kernel"] = () => void pick(20);
}

export function essay(): void {
  document.title = "CUBIC hands-on";
  document.body.className = "reads";
  document.querySelector("header")!.remove();
  document.querySelector("main")!.outerHTML = text;
  const essay = new Essay();
  packets(essay);
  controller(essay);
  hooks(essay);
  const figures = (): object[] =>
    essay.figures.map(({ spec, values, view, settings, isSettled }) => ({ id: spec.id, values, settings, isSettled, digest: view?.run.summary?.digest, curves: view?.run.curves, duration_s: view?.run.description.duration_s }));
  Object.assign(window, { essay: { figures, set: (id: string, settings: Settings) => essay.get(id).set(settings) } });
}
