// SPDX-License-Identifier: MIT OR Apache-2.0
// A slider with its label, its value, a line for what was refused, and over it what it would do over its range.

import type { Scale } from "./scales.ts";
import type { Settings } from "./settings.ts";

export interface SliderSpec {
  id: string;
  label: string;
  title?: string;
  /** The number of a group whose colour it has. */
  group?: number;
  scale: Scale;
  show(value: number): string;
  /** Nothing where what is set is on no slider. */
  read(settings: Settings): number | null;
  write(settings: Settings, value: number): Settings;
  /** What is set, where it is on no slider and not the setting of that name. */
  text?(settings: Settings): string;
}

export interface Scent {
  values: (number | null)[];
  fair: number | null;
}

/** Points of a scent. */
export const POINTS = 25;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (made instanceof HTMLButtonElement) made.type = "button";
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export class Slider {
  readonly host: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #output = element("output");
  readonly #wrong = element("span", { class: "wrong", hidden: "" });
  readonly #scent = element("span", { class: "scent", "aria-hidden": "true" });
  readonly #range = element("small");
  #place = 0;
  /** The settings that the scent is of, but for its own. */
  #scented = "";

  constructor(
    readonly spec: SliderSpec,
    change: (value: number) => void,
    touched: () => void,
  ) {
    const { id, label, scale, group } = spec;
    this.input = element("input", { type: "range", min: "0", max: String(scale.steps), step: "1", id, name: id });
    const named = element("label", { for: id, title: spec.title ?? "" }, label, this.#range);
    this.host = element("div", { class: `slider${group === undefined ? "" : ` g${group}`}` }, named, this.#output, this.#scent, this.input, this.#wrong);
    this.#output.htmlFor.add(id);
    this.input.addEventListener("input", () => change(scale.value(Number(this.input.value))));
    for (const event of ["pointerdown", "keydown"] as const) this.input.addEventListener(event, touched);
  }

  update(settings: Settings): void {
    const { id, scale, show, read, text } = this.spec;
    const value = read(settings);
    const said = value === null ? (text?.(settings) ?? String(settings[id as "rate"])) : show(value);
    if (value !== null) this.#place = Math.min(scale.steps, Math.max(0, scale.place(value)));
    // While it is dragged its place is the finger's.
    if (Number(this.input.value) !== this.#place) this.input.value = String(this.#place);
    this.input.style.setProperty("--part", String(this.#place / scale.steps));
    this.#output.textContent = said;
    this.input.setAttribute("aria-valuetext", said);
    this.#scent.classList.toggle("stale", this.#others(settings) !== this.#scented);
    this.#scent.querySelector(".now")?.setAttribute("d", this.#now);
  }

  #others(settings: Settings): string {
    return JSON.stringify(this.spec.write(settings, this.spec.scale.value(0)));
  }

  get #now(): string {
    return `M${((100 * this.#place) / this.spec.scale.steps).toFixed(1)},0V20`;
  }

  refuse(text: string | null): void {
    this.#wrong.hidden = text === null;
    this.#wrong.textContent = text ?? "";
    this.input.setAttribute("aria-invalid", String(text !== null));
  }

  /** The places that a scent looks at, each once. */
  get places(): number[] {
    const { steps } = this.spec.scale;
    const count = Math.min(POINTS, steps + 1);
    return Array.from({ length: count }, (_, at) => Math.round((at * steps) / (count - 1)));
  }

  draw(scent: Scent, settings: Settings): void {
    this.#scented = this.#others(settings);
    this.#scent.classList.remove("stale");
    const places = this.places;
    const points = scent.values.flatMap((value, at) => (value === null ? [] : [[places[at]! / this.spec.scale.steps, value] as const]));
    if (points.length < 2) {
      this.#scent.replaceChildren();
      this.#range.textContent = "";
      return;
    }
    const values = points.map(([, value]) => value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    // A range of less than two percent is shown as flat as it is.
    const room = Math.max(0.02, high - low);
    const middle = (low + high) / 2;
    const y = (value: number): string => (10 - (15 * (value - middle)) / room).toFixed(1);
    const line = points.map(([x, value]) => `${(100 * x).toFixed(1)},${y(value)}`).join(" L");
    const [first, last] = [points[0]![0] * 100, points.at(-1)![0] * 100];
    const { fair } = scent;
    const isIn = fair !== null && Math.abs(fair - middle) < room * 0.6;
    this.#scent.innerHTML =
      `<svg viewBox="0 0 100 20" preserveAspectRatio="none"><path class="area" d="M${first.toFixed(1)},20 L${line} L${last.toFixed(1)},20Z"/>` +
      `<path class="line" d="M${line}"/>${isIn ? `<path class="fair" d="M0,${y(fair)}H100"/>` : ""}<path class="now" d="${this.#now}"/></svg>`;
    this.#range.textContent = ` ${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)} %`;
  }
}
