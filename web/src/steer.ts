// SPDX-License-Identifier: MIT OR Apache-2.0
// The minute in which the visitor is the controller: one more flow, whose window is a slider's.

import { isRefusal, type Description } from "./engine.ts";
import { textOf, type Settings } from "./settings.ts";
import { groupsOf, type View } from "./view.ts";
import type { Workers } from "./workers.ts";

/** Simulated seconds in a second. */
export const SPEED = 10;
/** The number of a run that was steered by hand. */
export const BY_HAND = -1;
const YOU = "reno@label=You,start=0s";

export const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));

/** Simulates these settings with one more flow in `SPEED` times real time; the last view, or nothing where it was ended or refused. */
export async function steer(
  workers: Workers,
  settings: Settings,
  columns: number,
  slider: HTMLInputElement,
  isOn: () => boolean,
  begin: (description: Description) => void,
  each: (view: View, segments: number) => void,
): Promise<View | null> {
  const own = { ...settings, flows: [...settings.flows, YOU] };
  const description = await workers.live(textOf({ settings: own, scenario: null }), columns);
  if (!description || isRefusal(description)) return null;
  const flow = description.flows.length - 1;
  const groups = groupsOf(description, own);
  const most = 3 * Math.max(4, description.links[0]?.bdp_packets ?? 100);
  begin(description);
  let [time, last] = [0, await frame()];
  while (isOn()) {
    const now = await frame();
    time = Math.min(description.duration_s, time + (SPEED * Math.min(100, now - last)) / 1000);
    last = now;
    // By its square, so that small windows have room.
    const segments = Math.max(1, Math.round(most * (Number(slider.value) / 100) ** 2));
    slider.setAttribute("aria-valuetext", `${segments} segments`);
    // The end is over when what comes behind it has not happened.
    const live = await workers.liveTo(time < description.duration_s ? time : time + 1, { flow, segments }, true);
    if (!live || !isOn()) return null;
    const run = { id: BY_HAND, over: live.over, description, summary: live.summary, ms: 0, now_s: live.now_s, mean_s: 1, asked_s: null, memory: 0 };
    const view: View = { groups, run: { ...run, curves: live.curves! } };
    each(view, segments);
    if (live.over && live.summary) return view;
  }
  return null;
}
