// SPDX-License-Identifier: MIT OR Apache-2.0
// What leaves the page: texts to the clipboard, the charts as PNG, their numbers as CSV.

import type { Charts } from "./charts.ts";
import { theme } from "./charts.ts";
import type { View } from "./view.ts";

/** Copies, and says so on the button. */
export async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  const label = (button.dataset["label"] ??= button.textContent ?? "");
  const said = await navigator.clipboard.writeText(text).then(
    () => "Copied",
    () => "Not allowed",
  );
  button.textContent = said;
  setTimeout(() => (button.textContent = label), 1500);
}

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  [link.href, link.download] = [URL.createObjectURL(content), name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The charts as they stand, with the settings under them. */
export function picture(charts: Charts, titles: string[], lines: string[]): Promise<Blob | null> {
  const colours = theme();
  const scale = 2;
  const width = charts.window.host.clientWidth;
  const heights = charts.panels.map(({ host }) => host.clientHeight + 22);
  const canvas = document.createElement("canvas");
  canvas.width = scale * (width + 24);
  const g = canvas.getContext("2d")!;
  const font = "px system-ui, sans-serif";
  g.font = `12.5${font}`;
  const wrapped = lines.flatMap((line) => wrap(g, line, width));
  canvas.height = scale * (heights.reduce((sum, height) => sum + height, 0) + 18 * wrapped.length + 30);
  g.scale(scale, scale);
  g.fillStyle = colours.paper;
  g.fillRect(0, 0, canvas.width, canvas.height);
  let top = 10;
  charts.panels.forEach((panel, at) => {
    g.fillStyle = colours.ink;
    [g.font, g.textAlign] = [`600 12.5${font}`, "left"];
    g.fillText(titles[at] ?? "", 12, top + 13);
    top += 18;
    g.drawImage(panel.canvas, 12, top, width, panel.host.clientHeight);
    for (const text of panel.svg.querySelectorAll("text")) {
      const style = getComputedStyle(text);
      [g.fillStyle, g.font] = [style.fill, `${style.fontWeight} ${Number.parseFloat(style.fontSize)}${font}`];
      g.textAlign = ({ start: "left", middle: "center", end: "right" } as const)[text.getAttribute("text-anchor") as "start"];
      g.fillText(text.textContent ?? "", 12 + Number(text.getAttribute("x")), top + Number(text.getAttribute("y")));
    }
    top += panel.host.clientHeight + 4;
  });
  [g.fillStyle, g.font, g.textAlign] = [colours.soft, `12.5${font}`, "left"];
  wrapped.forEach((line, at) => g.fillText(line, 12, top + 16 + 18 * at));
  return new Promise((done) => canvas.toBlob(done));
}

function wrap(g: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)!} ${word}`.trim();
    if (g.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** The curves of a run: a line for each column, of all flows and links. */
export function csv({ run }: View): string {
  const { curves, description } = run;
  // What is in fixed point in the simulator is not here.
  // A name that a spreadsheet would take for a formula gets an apostrophe.
  const plain = (text: string): string => text.replace(/_x\d+k?$/, "").replace(/^(?=[=+\-@\t\r])/, "'");
  const quoted = (text: string): string => `"${plain(text).replaceAll('"', '""')}"`;
  const series = [
    ...curves.flows.flatMap((rows, flow) => Object.entries(rows ?? {}).map(([name, row]) => [`${description.flows[flow]!.name} ${name}`, row] as const)),
    ...curves.links.flatMap((rows, link) => Object.entries(rows).map(([name, row]) => [`${description.links[link]!.name} ${name}`, row] as const)),
  ];
  const lines = [["time_s", ...series.map(([name]) => quoted(name))].join(",")];
  for (let at = 0; at < curves.columns; at++) {
    const time = ((at + 0.5) * description.duration_s) / curves.columns;
    const cells = series.map(([, row]) => (Number.isNaN(row[at]!) ? "" : String(Number(row[at]!.toPrecision(7)))));
    lines.push([Number(time.toPrecision(7)), ...cells].join(","));
  }
  return `${lines.join("\n")}\n`;
}
