// SPDX-License-Identifier: MIT OR Apache-2.0
// What two sliders do together: the first group's part at 16 × 16 places.

import { theme } from "./charts.ts";
import type { Lab } from "./lab.ts";
import type { Pane } from "./panes.ts";
import type { Settings } from "./settings.ts";
import { element, type Slider } from "./slider.ts";
import { percent } from "./view.ts";

const SIDE = 16;
const [CELL_X, CELL_Y] = [24, 12];

export function mapPane(lab: Lab): Pane {
  const canvas = element("canvas", { width: String(SIDE * CELL_X), height: String(SIDE * CELL_Y), role: "img" });
  const said = element("p");
  const selects = [0, 1].map((at) => element("select", { id: `axis-${at}` }));
  const labels = ["Right", "Up"].map((text, at) => element("label", { for: `axis-${at}` }, text));
  const host = element("div", { id: "map" }, canvas, element("div", {}, ...labels.flatMap((label, at) => [label, " ", selects[at]!, element("br")]), said));
  let values: (number | null | undefined)[] = [];
  const ids = ["buffer", "rtt"];

  const sliders = (): [Slider | undefined, Slider | undefined] =>
    ids.map((id) => lab.controls.sliders.find(({ spec }) => spec.id === id)) as [Slider | undefined, Slider | undefined];
  const valueAt = ({ spec: { scale } }: Slider, cell: number): number => scale.value(Math.round((cell * scale.steps) / (SIDE - 1)));
  const settingsAt = (x: number, y: number): Settings => {
    const [across, up] = sliders();
    return up!.spec.write(across!.spec.write(lab.state.settings, valueAt(across!, x)), valueAt(up!, y));
  };
  const cellOf = (slider: Slider): number => {
    const { scale, read } = slider.spec;
    return Math.round(((SIDE - 1) * scale.place(read(lab.state.settings) ?? NaN)) / scale.steps);
  };

  function draw(): void {
    const g = canvas.getContext("2d")!;
    const colours = theme();
    const known = values.filter((value): value is number => typeof value === "number");
    const [low, high] = [Math.min(...known), Math.max(...known)];
    g.globalAlpha = 1;
    g.fillStyle = colours.paper;
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.fillStyle = colours.groups[0]!;
    values.forEach((value, at) => {
      if (typeof value !== "number") return;
      g.globalAlpha = 0.06 + (0.9 * (value - low)) / Math.max(0.02, high - low);
      g.fillRect((at % SIDE) * CELL_X, (SIDE - 1 - Math.floor(at / SIDE)) * CELL_Y, CELL_X, CELL_Y);
    });
    const [across, up] = sliders();
    if (!across || !up) return;
    [g.globalAlpha, g.strokeStyle, g.lineWidth] = [1, colours.ink, 2];
    g.strokeRect(cellOf(across) * CELL_X + 1, (SIDE - 1 - cellOf(up)) * CELL_Y + 1, CELL_X - 2, CELL_Y - 2);
    const count = values.filter((value) => value !== undefined).length;
    const what = lab.state.settings.flows.length > 1 ? "the first group’s share" : "utilisation";
    const range = known.length ? `${what}, from ${percent(low)} (pale) to ${percent(high)} (dark)` : "";
    canvas.setAttribute("aria-label", `${across.spec.label} and ${up.spec.label}: ${range}`);
    said.textContent = `${range}. ${count < SIDE * SIDE ? `${count} of ${SIDE * SIDE} simulated. ` : ""}Click a cell to set both.`;
  }

  const cell = (event: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    const at = (part: number): number => Math.min(SIDE - 1, Math.max(0, Math.floor(part * SIDE)));
    return [at((event.clientX - box.left) / box.width), SIDE - 1 - at((event.clientY - box.top) / box.height)];
  };
  canvas.onclick = (event) => {
    if (lab.state.scenario === null) lab.set({ settings: settingsAt(...cell(event)), scenario: null });
  };
  canvas.onpointermove = (event) => {
    const [x, y] = cell(event);
    const [across, up] = sliders();
    const value = values[y * SIDE + x];
    if (!across || !up) return;
    const shown = [across, up].map((slider, at) => `${slider.spec.label} ${slider.spec.show(valueAt(slider, at ? y : x))}`);
    canvas.title = `${shown.join(", ")}: ${typeof value === "number" ? percent(value) : "–"}`;
  };
  selects.forEach((select, at) => {
    select.onchange = () => {
      ids[at] = select.value;
      lab.scout();
    };
  });
  lab.errands.push(() => {
    if (!host.isConnected || lab.state.scenario !== null || sliders().includes(undefined)) return [];
    values = Array.from({ length: SIDE * SIDE }, () => undefined);
    draw();
    const all = values.map((_, at) => settingsAt(at % SIDE, Math.floor(at / SIDE)));
    const each = (at: number, value: number | null): void => {
      values[at] = value;
      if (at % SIDE === SIDE - 1) draw();
    };
    return [lab.scouting.map(all, each)];
  });
  return {
    ...{ name: "map", label: "Two sliders", isHigh: true },
    render(pane) {
      selects.forEach((select, at) => {
        const options = lab.controls.sliders.map(({ spec }) => {
          const group = /^g(\d)/.exec(spec.id);
          return new Option(group ? `${spec.label}, group ${Number(group[1]) + 1}` : spec.label, spec.id);
        });
        select.replaceChildren(...options);
        select.value = ids[at]!;
      });
      if (host.isConnected) return;
      pane.replaceChildren(host);
      lab.scout();
    },
  };
}
