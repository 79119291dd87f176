// SPDX-License-Identifier: MIT OR Apache-2.0
// Where the packets are at an instant: in the queue, on their way, and acknowledgements on their way back.

import { theme } from "./charts.ts";
import type { View } from "./view.ts";

/** Numbers of a packet: flow, place, ms there so far, ms still there. */
const NUMBERS = 4;
const ROWS = 8;

export function drawPipe(canvas: HTMLCanvasElement, packets: Float32Array, view: View): void {
  const colours = theme();
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const g = canvas.getContext("2d")!;
  g.scale(ratio, ratio);
  const colourOf = new Map(view.groups.flatMap(({ flows, colour }) => flows.map((flow) => [flow, colours.groups[colour]!] as const)));
  const [mouth, right] = [Math.round(width * 0.36), width - 12];
  const [there, back, bottom] = [28, height - 10, height - 22];
  [g.strokeStyle, g.fillStyle, g.font] = [colours.grid, colours.soft, "11px system-ui, sans-serif"];
  g.strokeRect(mouth + 0.5, there - 5.5, right - mouth, 11);
  g.strokeRect(46.5, back - 3.5, right - 46, 7);
  let [queued, way, acks] = [0, 0, 0];
  const size = Math.max(2, Math.min(6, (bottom - 14) / ROWS));
  for (let at = 0; at < packets.length; at += NUMBERS) {
    const [flow, place, been, left] = [packets[at]!, packets[at + 1]!, packets[at + 2]!, packets[at + 3]!];
    g.fillStyle = colourOf.get(flow) ?? colours.soft;
    const part = been + left > 0 ? been / (been + left) : 0;
    if (place === 0) {
      const [column, row] = [Math.floor(queued / ROWS), queued % ROWS];
      const x = mouth - 6 - (column + 1) * size;
      if (x > 46) g.fillRect(x, bottom - 4 - (row + 1) * size, size - 0.8, size - 0.8);
      queued++;
    } else if (place === 1) {
      g.fillRect(mouth + 2 + (right - mouth - 8) * part, there - 3.5, 4, 7);
      way++;
    } else {
      g.fillRect(right - 4 - (right - 52) * part, back - 1.5, 3, 3);
      acks++;
    }
  }
  g.fillStyle = colours.soft;
  g.fillText(`queue ${queued}`, 46, 11);
  g.fillText(`on the path ${way}, acknowledgements returning ${acks}`, mouth, 11);
  canvas.setAttribute("aria-label", `${queued} packets in the queue, ${way} on the path, ${acks} acknowledgements returning`);
}
