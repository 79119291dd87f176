// SPDX-License-Identifier: MIT OR Apache-2.0
// The result in words, and the table of flows.

import type { FlowSummary, Interval, LinkSummary } from "./engine.ts";
import { escapeHtml, mbpsOf, percent, shareOf, short, whole, type GroupView, type View } from "./view.ts";

const SHOWN_FLOWS = 12;

const colouredText = (group: GroupView, text: string): string => `<b class="g${group.colour}">${escapeHtml(text)}</b>`;
const plural = (count: number, one: string): string => `${whole(count)} ${one}${count === 1 ? "" : "s"}`;

export const dropsOf = (link: LinkSummary): number => link.drops_queue + link.drops_early + link.drops_head + link.drops_loss;

/** The sentence, as HTML. */
export function sentence({ run, groups }: View): string {
  const summary = run.summary!;
  const { link } = summary;
  const sum = (of: (flow: FlowSummary) => number): number => summary.flows.reduce((all, flow) => all + of(flow), 0);
  // Of several links, a share of one says nothing of what crosses another.
  const several = summary.links.length > 1;
  const shares = groups.map((group) => {
    const count = group.flows.length > 1 ? ` (${group.flows.length} flows)` : "";
    const part = several ? `${short(mbpsOf(summary, group.flows))} Mbit/s` : percent(shareOf(summary, group.flows));
    return colouredText(group, `${group.label}${count} ${groups.length > 1 || several ? "gets" : "fills"} ${part}`);
  });
  const drops = dropsOf(link);
  const timeouts = sum((flow) => flow.timeouts);
  return [
    several
      ? `${shares.join(", ")}. Of ${summary.links.length} links, ‘${escapeHtml(link.name)}’ is busy ${percent(link.utilization)} of the time; at it:`
      : `${shares.join(", ")} of the link${groups.length > 1 ? `, which is busy ${percent(link.utilization)} of the time` : ""}.`,
    `${several ? "packets" : "Packets"} wait ${short(link.queue_mean_ms)} ms on average, 95 % of them less than ${short(link.queue_p95_ms)} ms.`,
    `${plural(drops, "packet")} dropped${link.drops_loss ? ` (${whole(link.drops_loss)} at random)` : ""}, ` +
      `${plural(sum((flow) => flow.retransmits), "retransmission")}${timeouts ? `, ${plural(timeouts, "timeout")}` : ""}.`,
    summary.flows.length > 1 ? `Jain’s index is ${summary.jain.toFixed(3)}.` : "",
  ].join(" ");
}

/** What ten seeds say, as HTML. */
export function seedsSentence(view: View, { mean, high }: Interval): string {
  const first = view.groups[0]!;
  const value = `${(100 * mean).toFixed(1)} ± ${(100 * (high - mean)).toFixed(1)} %`;
  const what = view.groups.length > 1 ? `${first.label} has ${value}` : `${first.label} fills ${value}`;
  return `Over ten seeds ${colouredText(first, what)}${view.groups.length > 1 ? " of what is carried" : ""}.`;
}

const COLUMNS: [string, (flow: FlowSummary) => number, (value: number) => string][] = [
  ["Mbit/s", (flow) => flow.throughput_mbps, short],
  ["goodput", (flow) => flow.goodput_mbps, short],
  ["share", (flow) => flow.share, percent],
  ["mean window", (flow) => flow.cwnd_mean, short],
  ["drops", (flow) => flow.drops, whole],
  ["retrans.", (flow) => flow.retransmits, whole],
  ["timeouts", (flow) => flow.timeouts, whole],
];

/** A table of groups, and of their flows where there are several. */
export function table({ run, groups }: View): string {
  const { flows } = run.summary!;
  const row = (name: string, kind: string, values: string[]): string =>
    `<tr class="${kind}"><th scope="row">${name}</th>${values.map((value) => `<td>${value}</td>`).join("")}</tr>`;
  const body = groups.flatMap((group) => {
    const members = group.flows.flatMap((flow) => flows[flow] ?? []);
    const sums = COLUMNS.map(([name, of, show]) => {
      const sum = members.reduce((all, flow) => all + of(flow), 0);
      return show(name === "mean window" ? sum / Math.max(1, members.length) : sum);
    });
    const single = members.length === 1;
    const rtts = [...new Set(members.map(({ rtt_ms }) => `${short(rtt_ms)} ms`))].join(", ");
    const detail = (flow: FlowSummary): string =>
      row(escapeHtml(flow.name), "flow", ["", `${short(flow.rtt_ms)} ms`, ...COLUMNS.map(([, of, show]) => show(of(flow)))]);
    const name = colouredText(group, group.label);
    const shown = single ? [] : members.slice(0, SHOWN_FLOWS).map(detail);
    const left = members.length - SHOWN_FLOWS;
    if (!single && left > 0) shown.push(row(`and ${left} more`, "flow", ["", "", ...COLUMNS.map(() => "")]));
    return [row(name, "group", [whole(members.length), rtts, ...sums]), ...shown];
  });
  const heads = ["flows", "round trip", ...COLUMNS.map(([name]) => name)].map((name) => `<th scope="col">${name}</th>`);
  return `<table><thead><tr><th scope="col">group</th>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}

/** What it took. */
export function cost({ run }: View): string {
  const [from, to] = run.description.measured_s;
  const queue = run.description.links[0];
  return [
    `${whole(run.summary!.packets)} packets in ${whole(run.ms)} ms`,
    `measured from ${short(from)} s to ${short(to)} s`,
    queue ? `bandwidth × delay = ${whole(queue.bdp_packets)} packets` : "",
  ].join(" · ");
}
