// SPDX-License-Identifier: MIT OR Apache-2.0
// Time: a cursor that is moved or plays; with the packets shown it plays slowly. And the minute in which the visitor is the controller.

import type { Description } from "./engine.ts";
import type { Lab } from "./lab.ts";
import { drawPipe } from "./pipe.ts";
import { textOf } from "./settings.ts";
import { frame, SPEED, steer } from "./steer.ts";
import { byId, percent, shareOf, short } from "./view.ts";

/** Seconds for a round trip, where packets are seen. */
export const ROUND_TRIP_S = 4;

export const still = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
const isOn = (button: HTMLElement): boolean => button.getAttribute("aria-pressed") === "true";

export interface Transport {
  seek(time: number | null): void;
}

export function transport(lab: Lab): Transport {
  const { charts, workers } = lab;
  const [play, slow, you] = ["play", "slow", "you"].map((id) => byId<HTMLButtonElement>(id)) as [HTMLButtonElement, HTMLButtonElement, HTMLButtonElement];
  const [slider, yours, pipe] = [byId<HTMLInputElement>("time"), byId<HTMLInputElement>("yours"), byId<HTMLCanvasElement>("pipe")];
  const duration = (): number => charts.view?.run.description.duration_s ?? 60;
  /** The time up to which the live run has been simulated; behind it all begins again. */
  let liveAt = Infinity;
  let isAsking = false;

  function seek(time: number | null): void {
    charts.cursor = time;
    if (time !== null) {
      slider.value = String((1000 * time) / duration());
      const text = `${time.toFixed(isOn(slow) ? 4 : 2)} s`;
      byId("at").textContent = text;
      slider.setAttribute("aria-valuetext", text);
      if (isOn(slow)) void showPackets();
    }
    charts.redraw();
  }

  async function showPackets(): Promise<void> {
    if (isAsking || !lab.result || isOn(you)) return;
    isAsking = true;
    try {
      // The cursor may have moved on meanwhile.
      for (let shown = NaN; isOn(slow) && charts.cursor !== null && charts.cursor !== shown; ) {
        shown = charts.cursor;
        if (shown < liveAt) await workers.live(textOf(lab.ran), 1);
        liveAt = shown;
        const live = await workers.liveTo(shown, null, false);
        if (live && lab.result) drawPipe(pipe, live.packets, lab.result);
        await frame();
      }
    } finally {
      isAsking = false;
    }
  }

  async function run(): Promise<void> {
    let last = await frame();
    while (isOn(play)) {
      const now = await frame();
      if (!isOn(play)) return;
      const rtt = (lab.result?.run.description.flows[0]?.rtt_ms ?? 40) / 1000;
      const time = (charts.cursor ?? 0) + ((isOn(slow) ? rtt / ROUND_TRIP_S : SPEED) * Math.min(100, now - last)) / 1000;
      last = now;
      seek(Math.min(time, duration()));
      if (time >= duration()) setPlay(false);
    }
  }

  function setPlay(on: boolean): void {
    if (on === isOn(play)) return;
    play.setAttribute("aria-pressed", String(on));
    play.textContent = on ? "Pause" : "Play";
    if (!on) return;
    if (charts.cursor === null || charts.cursor >= duration()) seek(0);
    void run();
  }

  function setSlow(on: boolean): void {
    slow.setAttribute("aria-pressed", String(on));
    pipe.hidden = !on;
    lab.isBusy = on;
    liveAt = Infinity;
    if (on) {
      lab.scouting.stop();
      seek(charts.cursor ?? Number(slider.value) * duration() / 1000);
      if (!still()) setPlay(true);
    } else {
      setPlay(false);
      lab.scout();
    }
    charts.redraw();
  }

  /** A flow more, whose window is the slider's. */
  async function control(): Promise<void> {
    lab.isBusy = true;
    lab.scouting.stop();
    const say = (text: string): void => void (byId("sentence").textContent = text);
    const begin = ({ duration_s }: Description): void => say(`The slider is the window of one more flow: move it. The run ends in ${short(duration_s / SPEED)} s.`);
    const last = await steer(workers, lab.state.settings, charts.window.columns, yours, () => isOn(you), begin, (view, segments) => {
      lab.show(view);
      byId("at").textContent = `${segments} segments`;
    });
    if (!last) return setYou(false);
    lab.say(last, `You had ${percent(shareOf(last.run.summary!, last.groups.at(-1)!.flows))}.`);
    setYou(false);
    for (const act of lab.onRest) act();
  }

  function setYou(on: boolean): void {
    if (on === isOn(you)) return;
    you.setAttribute("aria-pressed", String(on));
    for (const [element, isShown] of [[slider, !on], [yours, on], [byId("transport").querySelector<HTMLElement>("[for=yours]")!, on]] as const) element.hidden = !isShown;
    [play.disabled, slow.disabled] = [on, on];
    lab.isBusy = on;
    if (!on) return;
    setPlay(false);
    if (isOn(slow)) setSlow(false);
    charts.cursor = null;
    yours.focus();
    void control();
  }

  play.onclick = () => setPlay(!isOn(play));
  slow.onclick = () => setSlow(!isOn(slow));
  you.onclick = () => {
    setYou(!isOn(you));
    if (!isOn(you)) lab.ask();
  };
  slider.oninput = () => seek((Number(slider.value) / 1000) * duration());
  charts.onCursor = (time) => {
    if (!isOn(play) && !isOn(you) && !(isOn(slow) && time === null)) seek(time);
  };
  lab.onAsk.push(() => {
    setYou(false);
    liveAt = Infinity;
    you.disabled = lab.state.scenario !== null;
    if (isOn(slow)) lab.isBusy = true;
  });
  lab.onRest.push(() => isOn(slow) && seek(charts.cursor));
  addEventListener("keydown", (event) => {
    if (event.target !== document.body || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -0.005, ArrowRight: 0.005 }[event.key];
    if (event.key === " ") setPlay(!isOn(play));
    else if (step) seek(Math.max(0, Math.min(duration(), (charts.cursor ?? 0) + step * duration())));
    else return;
    event.preventDefault();
  });
  return { seek };
}
