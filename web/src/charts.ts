// SPDX-License-Identifier: MIT OR Apache-2.0
// The three charts of a run: windows, throughput, queue with drops; over them the run before, faint.

import type { Catalog, Rows } from "./engine.ts";
import { Panel, type Curve, type EndLabel } from "./panel.ts";
import { parameterOf, short, targetCurve, whole, type GroupView, type View } from "./view.ts";

/** Curves that can be shown beside the windows. */
export type Extra = "ssthresh" | "w_max" | "w_est" | "target";

const LANE = 8;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

export interface Theme {
  paper: string;
  ink: string;
  soft: string;
  grid: string;
  groups: string[];
}

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ...{ paper: value("paper"), ink: value("ink"), soft: value("soft"), grid: value("grid") },
    groups: [0, 1, 2, 3].map((number) => value(`g${number}`)),
  };
}

/** Towards the paper. */
function mixed(colour: string, paper: string, part: number): string {
  const [a, b] = [colour, paper].map((hex) => Number.parseInt(hex.slice(1), 16)) as [number, number];
  const channel = (shift: number): number =>
    Math.round(((a >> shift) & 255) * (1 - part) + ((b >> shift) & 255) * part) << shift;
  return `#${(channel(16) | channel(8) | channel(0)).toString(16).padStart(6, "0")}`;
}

/** Colour, shade and dash of a flow: groups differ in all of them, so that a picture in grey can be read. */
function styleOf(group: GroupView, member: number, colours: Theme): { colour: string; dash: number[] } {
  const dashes = [[], [], [9, 3], [2, 2.5]];
  const shade = [0, 0.32, 0.16, 0.45][member % 4]!;
  const dash = member >= 4 ? [5, 2] : dashes[group.colour]!;
  return { colour: mixed(colours.groups[group.colour]!, colours.paper, shade), dash };
}

const greatest = (values: Float32Array, from = 0): number => {
  let most = 0;
  for (let at = Math.max(0, Math.floor(from)); at < values.length; at++) if (values[at]! > most) most = values[at]!;
  return most;
};

/** The greatest window behind the first reduction: slow start may leave the scale. */
function greatestLater(rows: Rows): number {
  const first = rows["reductions"]!.findIndex((count) => count > 0);
  return greatest(rows["cwnd.max"]!, first < 0 ? 0 : first + 2);
}

export type Kind = "window" | "rate" | "queue";

export class Charts {
  /** Those of them that the page has under this prefix. */
  readonly window: Panel;
  readonly rate: Panel;
  readonly queue: Panel;
  readonly panels: Panel[];
  readonly extras = new Set<Extra>();
  view: View | null = null;
  /** The run before, and pinned ones. */
  ghosts: View[] = [];
  /** A time, s. */
  cursor: number | null = null;
  onCursor: (time: number | null) => void = () => undefined;
  onPick: (time: number, flow: number) => void = () => undefined;
  draws = 0;
  #pending = 0;

  constructor(
    private readonly catalog: () => Catalog | null,
    host: HTMLElement,
    prefix = "plot",
    kinds: Kind[] = ["window", "rate", "queue"],
    says = "sentence",
  ) {
    const panel = (kind: Kind): Panel => new Panel(document.getElementById(`${prefix}-${kind}`)!, kind === kinds.at(-1), says);
    this.panels = kinds.map(panel);
    [this.window, this.rate, this.queue] = (["window", "rate", "queue"] as const).map((kind) => this.panels[kinds.indexOf(kind)]) as [Panel, Panel, Panel];
    for (const event of ["beforeprint", "afterprint"]) addEventListener(event, () => this.#draw());
    new ResizeObserver(() => this.redraw()).observe(host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    for (const panel of this.panels) {
      const at = (event: MouseEvent): number => panel.time(event.clientX - panel.host.getBoundingClientRect().left);
      panel.host.addEventListener("pointermove", (event) => this.onCursor(at(event)));
      panel.host.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.onCursor(null));
      panel.host.addEventListener("click", (event) => this.onPick(at(event), this.#nearest(panel, at(event), event)));
    }
  }

  redraw(): void {
    this.#pending ||= requestAnimationFrame(() => {
      this.#pending = 0;
      this.#draw();
    });
  }

  #nearest(panel: Panel, time: number, event: MouseEvent): number {
    if (!this.view || panel === this.queue) return 0;
    const { flows, columns } = this.view.run.curves;
    const y = event.clientY - panel.host.getBoundingClientRect().top;
    const column = Math.min(columns - 1, Math.floor((time / this.view.run.description.duration_s) * columns));
    const away = flows.map((rows) => Math.abs(panel.y(rows?.[panel === this.window ? "cwnd.last" : "rate_mbps"]?.[column] ?? NaN) - y));
    return away.reduce((best, value, flow) => (value < away[best]! || Number.isNaN(away[best]!) ? flow : best), 0);
  }

  /** The flows of a view that are drawn, with group and place in it. */
  #drawn(view: View): { group: GroupView; member: number; rows: Rows }[] {
    const of = (group: GroupView) => group.flows.map((flow, member) => ({ group, member, rows: view.run.curves.flows[flow] }));
    return view.groups.flatMap(of).filter((one): one is { group: GroupView; member: number; rows: Rows } => !!one.rows);
  }

  #curvesOf(view: View, panel: Panel, colours: Theme, ghost: boolean): Curve[] {
    const span_s = view.run.description.duration_s;
    if (panel === this.queue) {
      const rows = view.run.curves.links[0];
      const [low, high] = [rows?.["packets.min"], rows?.["packets.max"]];
      const style = { colour: colours.ink, dash: [], width: 1, alpha: ghost ? 0.22 : 0.85 };
      return low && high ? [{ low, high, span_s, ...style }] : [];
    }
    const drawn = this.#drawn(view);
    return drawn.map(({ group, member, rows }) => ({
      low: rows[panel === this.window ? "cwnd.min" : "rate_mbps"]!,
      high: rows[panel === this.window ? "cwnd.max" : "rate_mbps"]!,
      ...styleOf(group, member, colours),
      ...{ span_s, width: drawn.length > 6 ? 1.1 : 1.6, alpha: ghost ? 0.25 : 1 },
    }));
  }

  #extraCurves(view: View, colours: Theme): Curve[] {
    const { columns } = view.run.curves;
    const span_s = view.run.description.duration_s;
    const all = this.#drawn(view);
    // Of many flows, the first of each group.
    return all.filter(({ member }) => all.length <= 4 || member === 0).flatMap(({ group, member, rows }) => {
      const { colour } = styleOf(group, member, colours);
      const c = Number((this.catalog() && group.group && parameterOf(this.catalog()!, group.group, "c")) ?? 0.4);
      const isFriendly = !(this.catalog() && group.group) || parameterOf(this.catalog()!, group.group!, "friendliness") !== "off";
      const of: Record<Extra, Float32Array | null | undefined> = {
        ssthresh: rows["ssthresh"],
        w_max: rows["inner.w_max"] ?? rows["inner.last_max"],
        w_est: isFriendly ? (rows["inner.w_est"] ?? rows["inner.w_tcp"]) : null,
        target: this.extras.has("target") ? targetCurve(rows, c, columns, span_s) : null,
      };
      const dashes: Record<Extra, number[]> = { ssthresh: [1.5, 3], w_max: [7, 3], w_est: [3, 2], target: [] };
      const most = 1.02 * Math.max(this.window.top, 1);
      return [...this.extras].flatMap((name) => {
        // Before the first loss they are 0.
        const row = of[name]?.map((value) => (value > most || value <= 0 ? NaN : value));
        const style = { colour, dash: dashes[name], width: name === "target" ? 3.5 : 1.2, alpha: name === "target" ? 0.3 : 0.85 };
        return row ? [{ low: row, high: row, span_s, ...style }] : [];
      });
    });
  }

  #labels(view: View, panel: Panel, colours: Theme): EndLabel[] {
    if (panel === this.queue) return [];
    // Long names that begin alike differ where they end.
    const names = view.groups.map(({ label }) => label.split(" "));
    const isLong = view.groups.some(({ label }) => label.length > 15);
    while (isLong && names.length > 1 && names.every((words) => words.length > 1 && words[0] === names[0]![0])) names.forEach((words) => words.shift());
    return view.groups.map((group, at) => {
      const lasts = group.flows.flatMap((flow) => {
        const row = view.run.curves.flows[flow]?.[panel === this.window ? "cwnd.last" : "rate_mbps"];
        const last = row?.findLast((value) => !Number.isNaN(value));
        return last === undefined ? [] : [last];
      });
      const value = lasts.length ? lasts.reduce((sum, last) => sum + last, 0) / lasts.length : NaN;
      const count = group.flows.length > 1 ? ` ×${group.flows.length}` : "";
      return { text: names[at]!.join(" ") + count, value, colour: colours.groups[group.colour]! };
    });
  }

  #draw(): void {
    const colours = theme();
    const { view } = this;
    let gliding = false;
    this.draws++;
    for (const panel of this.panels) {
      panel.duration = view?.run.description.duration_s ?? 60;
      if (panel === this.queue) panel.lanes = LANE * (view?.groups.length ?? 2) + 4;
      // Earlier settings may leave the scale, the present one may not; nor does the scale follow what is not over.
      let [top, peak] = [0, 0];
      for (const one of view ? [view, ...this.ghosts] : []) {
        const curves = this.#curvesOf(one, panel, colours, false);
        const mosts = curves.map(({ high }) => greatest(high));
        const later = panel === this.window ? this.#drawn(one).map(({ rows }) => greatestLater(rows)) : mosts;
        const most = Math.max(0, ...later);
        top = Math.max(top, one === view || top === 0 ? most : Math.min(most, 1.4 * top));
        if (one === view) peak = Math.max(peak, ...mosts);
      }
      if (view && panel === this.rate) top = Math.max(top, 0.02 * (view.run.description.links[0]?.rate_mbps ?? 1));
      top = 1.06 * Math.max(panel === this.rate ? 0.01 : 4, top);
      // A break is for what leaves the scale by far.
      if (peak <= 1.15 * top) top = Math.max(top, 1.02 * peak);
      peak = panel === this.window && peak > top ? peak : top;
      gliding = panel.scale(top, peak, view !== null && !reducedMotion.matches) || gliding;
      panel.begin(colours.grid);
      if (view) {
        for (const ghost of this.ghosts) for (const curve of this.#curvesOf(ghost, panel, colours, true)) panel.curve(curve);
        if (panel === this.window) for (const curve of this.#extraCurves(view, colours)) panel.curve(curve);
        for (const curve of this.#curvesOf(view, panel, colours, false)) panel.curve(curve);
        if (panel === this.queue) this.#drops(view, colours);
        if (panel === this.window) this.#timeouts(view, colours);
      }
      this.#drawCursor(panel, colours);
      const note = panel === this.window && panel.isBroken ? `slow start, up to ${whole(peak)}` : "";
      panel.end(view ? this.#labels(view, panel, colours) : [], note);
    }
    if (gliding) this.redraw();
  }

  /** A lane per group: full-queue drops are bars, random losses rings. */
  #drops(view: View, colours: Theme): void {
    const { g } = this.queue;
    this.queue.unclip();
    const span = view.run.description.duration_s;
    g.lineWidth = 1.2;
    for (const { group, rows } of this.#drawn(view)) {
      const y = LANE * view.groups.indexOf(group) + 2;
      [g.fillStyle, g.strokeStyle] = [colours.groups[group.colour]!, colours.groups[group.colour]!];
      const [drops, losses] = [rows["drops"]!, rows["losses"]!];
      for (let at = 0; at < drops.length; at++) {
        const x = this.queue.x(((at + 0.5) / drops.length) * span);
        if (drops[at]! > 0) g.fillRect(x - 0.8, y, 1.6, LANE - 2);
        if (!losses[at]) continue;
        g.beginPath();
        g.arc(x, y + 3, 2.4, 0, 7);
        g.stroke();
      }
    }
  }

  #timeouts(view: View, colours: Theme): void {
    const { g } = this.window;
    for (const { group, rows } of this.#drawn(view)) {
      g.fillStyle = colours.groups[group.colour]!;
      rows["timeouts"]!.forEach((count, at, all) => {
        if (!count) return;
        const x = this.window.x(((at + 0.5) / all.length) * view.run.description.duration_s);
        g.beginPath();
        g.moveTo(x - 4, 0);
        g.lineTo(x + 4, 0);
        g.lineTo(x, 7);
        g.fill();
      });
    }
  }

  #drawCursor(panel: Panel, colours: Theme): void {
    const readout = panel.host.querySelector<HTMLElement>(".readout")!;
    readout.hidden = this.cursor === null || !this.view;
    if (this.cursor === null || !this.view) return;
    const { g } = panel;
    const x = panel.x(this.cursor);
    [g.strokeStyle, g.lineWidth, g.globalAlpha] = [colours.ink, 1, 0.55];
    g.beginPath();
    g.moveTo(x, 0);
    g.lineTo(x, panel.host.clientHeight);
    g.stroke();
    g.globalAlpha = 1;
    const column = this.columnAt(this.cursor);
    const rows = panel === this.queue ? [] : this.#drawn(this.view).slice(0, 6);
    const parts = rows.map(({ group, member, rows }) => {
      const value = rows[panel === this.window ? "cwnd.last" : "rate_mbps"]![column]!;
      const number = group.flows.length > 1 ? ` ${member + 1}` : "";
      return [`${group.label}${number}`, Number.isNaN(value) ? "–" : short(value), colours.groups[group.colour]!] as const;
    });
    if (panel === this.queue) {
      const value = this.view.run.curves.links[0]?.["packets.last"]?.[column] ?? NaN;
      parts.push(["queue", Number.isNaN(value) ? "–" : `${whole(value)} packets`, colours.ink]);
    }
    const line = (text: string, colour: string): HTMLElement => {
      const element = document.createElement("span");
      [element.textContent, element.style.color] = [text, colour];
      return element;
    };
    const time = panel === this.window ? [line(`${this.cursor.toFixed(2)} s`, colours.ink)] : [];
    readout.replaceChildren(...time, ...parts.map(([label, value, colour]) => line(`${label} ${value}`, colour)));
    const onLeft = x > panel.host.clientWidth * 0.6;
    readout.style.left = onLeft ? "auto" : `${x + 8}px`;
    readout.style.right = onLeft ? `${panel.host.clientWidth - x + 8}px` : "auto";
  }

  columnAt(time: number): number {
    const { curves, description } = this.view!.run;
    return Math.min(curves.columns - 1, Math.floor((time / description.duration_s) * curves.columns));
  }
}
