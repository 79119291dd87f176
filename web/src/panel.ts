// SPDX-License-Identifier: MIT OR Apache-2.0
// One chart: curves on a canvas, the texts of its axes and ends as SVG over it.

export interface Curve {
  low: Float32Array;
  high: Float32Array;
  /** The duration that its columns cover, s. */
  span_s: number;
  colour: string;
  dash: number[];
  width: number;
  alpha: number;
}

export interface EndLabel {
  text: string;
  value: number;
  colour: string;
}

const SVG = "http://www.w3.org/2000/svg";
/** The part of the height above a break in the axis, and the gap. */
const [ZONE, GAP] = [30, 7];

export function nice(range: number, most: number): number {
  const power = 10 ** Math.floor(Math.log10(range / most));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => range / step <= most) ?? 10 * power;
}

export class Panel {
  readonly canvas: HTMLCanvasElement;
  readonly svg: SVGSVGElement;
  readonly g: CanvasRenderingContext2D;
  duration = 60;
  top = 0;
  #peak = 0;
  #width = 0;
  #height = 0;
  #drawn = "";
  left = 46;
  right = 96;

  readonly #hasTimes: boolean;

  constructor(
    readonly host: HTMLElement,
    hasTimes: boolean,
    /** The element that says what it shows. */
    says: string,
    /** Height of the lanes above the curves. */
    public lanes = 0,
  ) {
    this.#hasTimes = hasTimes;
    this.canvas = host.appendChild(document.createElement("canvas"));
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-labelledby", `${host.id}-title ${says}`);
    this.svg = host.appendChild(document.createElementNS(SVG, "svg"));
    this.g = this.canvas.getContext("2d")!;
  }

  /** The width of the curves, px. */
  get columns(): number {
    return Math.max(100, Math.round(this.host.clientWidth - this.left - this.right));
  }

  /** Moves the scale towards the greatest value, and the greatest above the break; whether it has to go on. */
  scale(top: number, peak: number, glides: boolean): boolean {
    const near = (now: number, target: number): number =>
      !glides || now === 0 || Math.abs(target - now) < 0.004 * target ? target : now + 0.35 * (target - now);
    [this.top, this.#peak] = [near(this.top, top), near(this.#peak, peak)];
    return this.top !== top || this.#peak !== peak;
  }

  get #bottom(): number {
    return this.#height - (this.#hasTimes ? 20 : 5);
  }

  get isBroken(): boolean {
    return this.#peak > 1.02 * this.top;
  }

  x(time: number): number {
    return this.left + ((this.#width - this.left - this.right) * time) / this.duration;
  }

  time(x: number): number {
    return Math.min(this.duration, Math.max(0, ((x - this.left) / (this.#width - this.left - this.right)) * this.duration));
  }

  y(value: number): number {
    const first = this.lanes + 7;
    if (!this.isBroken) return this.#bottom - ((this.#bottom - first) * value) / this.top;
    const zone = first + ZONE;
    if (value <= this.top) return this.#bottom - ((this.#bottom - zone - GAP) * value) / this.top;
    return zone - (ZONE * (value - this.top)) / (this.#peak - this.top);
  }

  /** Clears, and draws the grid and the axes. */
  begin(grid: string): void {
    const { g, canvas, host } = this;
    const ratio = devicePixelRatio || 1;
    [this.#width, this.#height] = [host.clientWidth, host.clientHeight];
    this.right = this.#width < 600 ? 62 : 104;
    const [width, height] = [Math.round(this.#width * ratio), Math.round(this.#height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, this.#width, this.#height);
    [g.strokeStyle, g.lineWidth, g.globalAlpha] = [grid, 1, 1];
    g.setLineDash([]);
    g.beginPath();
    for (const value of this.#ticks()) {
      const y = Math.round(this.y(value)) + 0.5;
      g.moveTo(this.left, y);
      g.lineTo(this.#width - this.right, y);
    }
    g.stroke();
    if (this.isBroken) {
      const y = this.lanes + 7 + ZONE + GAP / 2;
      g.beginPath();
      for (let x = this.left; x <= this.#width - this.right; x += 6) g.lineTo(x, y + (Math.round(x / 6) % 2 ? 2 : -2));
      g.stroke();
    }
    g.save();
    g.beginPath();
    g.rect(this.left, this.lanes, this.#width - this.left - this.right, this.#height);
    g.clip();
  }

  #ticks(): number[] {
    const room = this.#bottom - this.lanes - (this.isBroken ? ZONE : 0);
    const step = Math.max(this.top > 4 ? 1 : 0.1, nice(Math.max(1e-6, this.top), Math.max(2, Math.floor(room / 34))));
    const ticks = Array.from({ length: Math.floor(this.top / step + 1e-9) + 1 }, (_, at) => at * step);
    return this.isBroken ? [...ticks, this.#peak] : ticks;
  }

  curve({ low, high, span_s, colour, dash, width, alpha }: Curve): void {
    const { g } = this;
    [g.strokeStyle, g.lineWidth, g.globalAlpha, g.lineJoin] = [colour, width, alpha, "round"];
    g.setLineDash(dash);
    g.beginPath();
    let isOpen = false;
    for (let at = 0; at < low.length; at++) {
      const [a, b] = [low[at]!, high[at]!];
      if (Number.isNaN(a)) continue;
      const x = this.x(((at + 0.5) / low.length) * span_s);
      if (isOpen) g.lineTo(x, this.y(b));
      else g.moveTo(x, this.y(b));
      isOpen = true;
      if (a !== b) g.lineTo(x, this.y(a));
    }
    g.stroke();
    g.globalAlpha = 1;
    g.setLineDash([]);
  }

  /** What follows may stand in the lanes. */
  unclip(): void {
    this.g.restore();
    this.g.save();
  }

  /** Ends the curves; writes the ticks and, at the right, the labels. */
  end(labels: EndLabel[], note: string): void {
    this.g.restore();
    const texts: [number, number, string, string, string][] = this.#ticks().map((value) => [
      this.left - 7,
      this.y(value) + 4,
      "end",
      "",
      value >= 10_000 ? `${Number((value / 1000).toPrecision(3))} k` : String(Number(value.toPrecision(3))),
    ]);
    if (this.#hasTimes) {
      const step = nice(this.duration, this.#width < 600 ? 4 : 8);
      for (let time = 0; time <= this.duration * 1.0001; time += step)
        texts.push([this.x(time), this.#height - 4, "middle", "", `${Number(time.toPrecision(3))}${time === 0 ? " s" : ""}`]);
    }
    const placed = labels.filter(({ value }) => !Number.isNaN(value)).map((label) => ({ ...label, at: this.y(label.value) + 4 }));
    placed.sort((a, b) => a.at - b.at);
    placed.forEach((label, at) => (label.at = Math.max(label.at, at ? placed[at - 1]!.at + 14 : 11)));
    for (let at = placed.length - 1, limit = this.#height - 3; at >= 0; at--, limit -= 14)
      placed[at]!.at = Math.min(placed[at]!.at, limit);
    for (const { text, at, colour } of placed) texts.push([this.#width - this.right + 6, at, "start", colour, text]);
    if (note) texts.push([this.left + 22, this.lanes + 18, "start", "", note]);
    const written = JSON.stringify([this.#width, this.#height, texts]);
    if (written === this.#drawn) return;
    this.#drawn = written;
    this.svg.setAttribute("viewBox", `0 0 ${this.#width} ${this.#height}`);
    this.svg.replaceChildren(
      ...texts.map(([x, y, anchor, colour, text]) => {
        const element = document.createElementNS(SVG, "text");
        for (const [name, value] of Object.entries({ x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor }))
          element.setAttribute(name, value);
        if (colour) element.style.fill = colour;
        const most = this.#width < 600 ? 9 : 15;
        element.textContent = anchor === "start" && colour && text.length > most ? `${text.slice(0, most - 1)}…` : text;
        return element;
      }),
    );
  }
}
