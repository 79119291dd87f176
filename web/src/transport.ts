// SPDX-License-Identifier: MIT OR Apache-2.0
// Time: a cursor that is moved, or moves by itself ten times as fast as the minute.

import { byId, type Lab } from "./lab.ts";

/** Simulated seconds in a second. */
const SPEED = 10;

export interface Transport {
  seek(time: number | null): void;
}

export function transport(lab: Lab): Transport {
  const { charts } = lab;
  const [slider, play, output] = [byId<HTMLInputElement>("time"), byId<HTMLButtonElement>("play"), byId("at")];
  let last = 0;
  const duration = (): number => lab.result?.run.description.duration_s ?? 60;
  const isPlaying = (): boolean => play.getAttribute("aria-pressed") === "true";

  function seek(time: number | null): void {
    charts.cursor = time;
    if (time !== null) {
      slider.value = String((1000 * time) / duration());
      const text = `${time.toFixed(2)} s`;
      output.textContent = text;
      slider.setAttribute("aria-valuetext", text);
    }
    charts.redraw();
  }
  function tick(now: number): void {
    if (!isPlaying()) return;
    const time = (charts.cursor ?? 0) + (SPEED * Math.min(100, now - last)) / 1000;
    last = now;
    seek(Math.min(time, duration()));
    if (time >= duration()) set(false);
    else requestAnimationFrame(tick);
  }
  function set(on: boolean): void {
    play.setAttribute("aria-pressed", String(on));
    play.textContent = on ? "Pause" : "Play";
    if (!on) return;
    if (charts.cursor === null || charts.cursor >= duration()) seek(0);
    last = performance.now();
    requestAnimationFrame(tick);
  }
  play.onclick = () => set(!isPlaying());
  slider.oninput = () => seek((Number(slider.value) / 1000) * duration());
  charts.onCursor = (time) => {
    if (!isPlaying()) seek(time);
  };
  addEventListener("keydown", (event) => {
    if (event.target !== document.body || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -0.005, ArrowRight: 0.005 }[event.key];
    if (event.key === " ") set(!isPlaying());
    else if (step) seek(Math.max(0, Math.min(duration(), (charts.cursor ?? 0) + step * duration())));
    else return;
    event.preventDefault();
  });
  return { seek };
}
