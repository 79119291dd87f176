// SPDX-License-Identifier: MIT OR Apache-2.0
// The laboratory: a state, its run, and what is simulated beside it.

import { Charts } from "./charts.ts";
import { Controls } from "./controls.ts";
import type { Catalog, Refusal, Rows } from "./engine.ts";
import type { Run } from "./protocol.ts";
import { cost, seedsSentence, sentence } from "./result.ts";
import { Scouting, type Errand } from "./scouting.ts";
import { hashOf, textOf, type Promised, type Settings, type State } from "./settings.ts";
import { byId, escapeHtml, groupsOf, short, type View } from "./view.ts";
import { BY_HAND } from "./steer.ts";
import { Workers } from "./workers.ts";
import tables from "tables";

/** After so long without a change, the finger rests: ms. */
const REST_MS = 220;
/** A touch so long after the last change begins another: ms. */
const NEW_TOUCH_MS = 700;

export class Lab {
  readonly charts: Charts;
  readonly controls: Controls;
  readonly workers: Workers;
  readonly scouting: Scouting;
  catalog: Catalog | null = null;
  /** The last whole run, and what it is of: the state may be another by now, or one that was refused. */
  result: View | null = null;
  ran: State;
  readonly stats = { runs: 0, partial: 0, refused: 0, failed: 0, memory: 0, draws: 0, ms: 0, scanned: 0 };
  /** Called after each whole run, when the finger rests. */
  readonly onRest: (() => void)[] = [];
  /** Called when there is something else to simulate. */
  readonly onAsk: (() => void)[] = [];
  /** What else is to be done in idle time. */
  readonly errands: (() => Errand[])[] = [];
  /** Views that are kept beside the present one. */
  pinned: () => View[] = () => [];
  /** While another thing has the scout, it does no idle work. */
  isBusy = false;
  #promised: Promised | null = null;
  #ghost: View | null = null;
  readonly #states = new Map<number, State>();
  #latest = 0;
  #lastTouched = "buffer";
  #rest = 0;
  #changed = -Infinity;
  #waiting: (() => void)[] = [];
  #isSettled = false;

  constructor(public state: State) {
    this.ran = state;
    this.charts = new Charts(() => this.catalog, byId("charts"));
    this.workers = new Workers(byId("module").textContent!.trim(), {
      ready: (catalog) => {
        this.catalog = catalog;
        this.controls.update(this.state.settings);
        this.ask();
      },
      run: (run) => this.#take(run),
      refused: (id, refusal) => this.#refused(id, refusal),
      failed: (message) => {
        this.stats.failed++;
        this.line(`The simulator stopped (${message}) and was started again. The page still shows the previous result.`);
        this.#settle();
      },
    });
    byId("module").remove();
    this.scouting = new Scouting(this.workers);
    const changed = (settings: Settings, bySlider = false): void => this.set({ settings, scenario: null }, null, bySlider);
    this.controls = new Controls(byId("controls"), state.settings, () => this.catalog, changed, (slider) => this.#touched(slider));
    this.controls.update(state.settings);
    this.charts.redraw();
  }

  /** Shows the run that the page begins with, before there is a module to run it. */
  begin(): void {
    const { description, summary, columns, flows, links } = tables.first;
    const rows = (lists: Record<string, (number | null)[]>): Rows =>
      Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, Float32Array.from(list, (value) => value ?? NaN)]));
    const curves = { columns, flows: flows.map(rows), links: links.map(rows) };
    const run: Run = { id: 0, over: true, description, summary, curves, ms: 0, now_s: description.duration_s, mean_s: 1, asked_s: null, memory: 0 };
    const view = { run, groups: groupsOf(description, this.state.settings) };
    this.show(view);
    byId("sentence").innerHTML = sentence(view);
  }

  /** A finger on a slider: what is shown now stays as a ghost. */
  #touched(slider: string): void {
    this.#lastTouched = slider;
    this.scouting.stop();
    if (performance.now() - this.#changed > NEW_TOUCH_MS) this.#keepGhost();
  }

  #keepGhost(): void {
    if (this.result && this.#isSettled) this.#ghost = this.result;
  }

  /** Takes another state. By a slider, the ghost is what was there when the finger came. */
  set(state: State, promised: Promised | null = null, bySlider = false): void {
    if (!bySlider) this.#keepGhost();
    this.#changed = performance.now();
    this.state = state;
    this.#promised = promised;
    byId("controls").inert = state.scenario !== null;
    this.controls.update(state.settings);
    this.ask();
  }

  /** Simulates the state. */
  ask(): void {
    this.#isSettled = false;
    this.isBusy = false;
    for (const act of this.onAsk) act();
    clearTimeout(this.#rest);
    this.scouting.stop();
    if (!this.catalog) return;
    this.#latest = this.workers.run(textOf(this.state), this.charts.window.columns);
    this.#states.set(this.#latest, this.state);
    this.#rest = setTimeout(() => this.#rested(), REST_MS);
  }

  /** When the present state has been simulated, or was refused. */
  settled(): Promise<void> {
    return this.#isSettled ? Promise.resolve() : new Promise((done) => this.#waiting.push(done));
  }

  #settle(): void {
    this.#isSettled = true;
    for (const done of this.#waiting.splice(0)) done();
  }

  line(text: string): void {
    byId("line").textContent = text;
    byId("line").hidden = text === "";
  }

  #take(run: Run): void {
    const state = this.#states.get(run.id);
    if (!state) return;
    const view = { run, groups: groupsOf(run.description, state.scenario === null ? state.settings : null) };
    this.show(view);
    if (!run.over) {
      this.stats.partial++;
      return;
    }
    for (const id of [...this.#states.keys()]) if (id <= run.id) this.#states.delete(id);
    [this.result, this.ran] = [view, state];
    Object.assign(this.stats, { runs: this.stats.runs + 1, memory: run.memory, ms: run.ms, draws: this.charts.draws });
    if (run.id !== this.#latest) return;
    this.controls.refuse(null);
    this.line(run.asked_s === null ? "" : this.#shortened(run));
    this.#settle();
    if (!this.#rest) this.#rested();
  }

  #shortened(run: Run): string {
    return `So many packets would take too long: ${short(run.description.duration_s)} s are simulated instead of ${short(run.asked_s!)} s.`;
  }

  /** Draws a run, and those before it faintly. */
  show(view: View): void {
    const { charts } = this;
    charts.view = view;
    const { flows, links } = view.run.description;
    const drawn = view.run.curves.flows.filter(Boolean).length;
    byId("drawn").textContent = drawn < flows.length ? ` (${drawn} of ${flows.length} are drawn)` : "";
    byId("of-link").textContent = links.length > 1 ? ` of ${links[0]!.name}` : "";
    charts.ghosts = [...(this.#ghost && this.#ghost.run.id !== view.run.id ? [this.#ghost] : []), ...this.pinned()];
    byId("mean").textContent = `, mean of ${view.run.mean_s === 1 ? "1 s" : `${short(view.run.mean_s * 1000)} ms`}`;
    charts.redraw();
  }

  #refused(id: number, refusal: Refusal): void {
    if (id !== this.#latest) return;
    this.stats.refused++;
    if (this.state.scenario === null) this.controls.refuse(refusal);
    const kept = this.result ? " The page still shows the previous setting." : "";
    this.line(`${refusal.field}: ${refusal.value ?? "nothing"} is refused; expected ${refusal.expected}.${kept}`);
    if (!this.result) byId("sentence").textContent = "Nothing was simulated.";
    this.#settle();
  }

  /** The finger rests: words, address, and idle work. */
  #rested(): void {
    this.#rest = 0;
    const view = this.result;
    if (!view || view.run.id !== this.#latest) return;
    void hashOf(this.state).then((hash) => {
      if (hash !== location.hash) history.replaceState(null, "", hash);
    });
    this.say(view, this.#promise(view));
    for (const act of this.onRest) act();
    this.scout();
  }

  /** Whether what is shown was steered by hand, which no address or command says. */
  get isByHand(): boolean {
    return this.charts.view?.run.id === BY_HAND;
  }

  say(view: View, more: string): void {
    byId("sentence").innerHTML = `${sentence(view)} ${more}`;
    byId("cost").textContent = cost(view);
    byId("command").textContent = this.isByHand ? "" : (view.run.description.command ?? "");
  }

  /** Whether the result is what a link promised. */
  #promise(view: View): string {
    if (!this.#promised || !this.catalog) return "";
    const { version, digest } = this.#promised;
    const now = view.run.summary!.digest.slice(0, 8);
    if (digest === now) return "<i>Same result as when this was shared.</i>";
    const other = version === this.catalog.version ? "" : `shared from version ${version}, this is ${this.catalog.version}; `;
    return `<i>Not the result that was shared: ${escapeHtml(`${other}digest ${digest}, here ${now}`)}.</i>`;
  }

  /** Simulates in idle time: other seeds, then what each slider would do, the last touched first. */
  scout(): void {
    const view = this.result;
    const { settings, scenario } = this.state;
    if (!view || this.isBusy || document.hidden) return;
    const more = this.errands.flatMap((errands) => errands());
    const seeds = this.scouting.seeds(this.state, view.groups.map(({ flows }) => flows), (_, interval) => {
      if (interval && this.result === view && this.#isSettled) this.say(view, `${seedsSentence(view, interval)} ${this.#promise(view)}`);
    });
    if (scenario !== null) return this.scouting.run([seeds, ...more]);
    const near = (id: string): number => (id === this.#lastTouched ? 0 : 1);
    const isShown = ({ host }: { host: HTMLElement }): boolean => host.offsetParent !== null;
    const sliders = this.controls.sliders.filter(isShown).sort((a, b) => near(a.spec.id) - near(b.spec.id));
    const scents = sliders.filter(({ spec }) => spec.id !== "duration").map((slider) => this.scouting.scent(slider, settings));
    this.scouting.run([seeds, ...more, ...scents]);
  }
}
