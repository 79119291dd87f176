// SPDX-License-Identifier: MIT OR Apache-2.0
// The result in words, and the table of flows.

import type { FlowSummary, Interval, LinkSummary, TransferCounts } from "./engine.ts";
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
      ? `${shares.join(", ")}. Of ${summary.links.length} links, ‘${escapeHtml(link.name)}’ is busy ${percent(link.utilization)} of the time; there,`
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
  ["share", (flow) => flow.share ?? Number.NaN, percent],
  // What sent nothing has no mean window: that of its end would stand there.
  ["mean window", (flow) => (flow.packets_sent ? flow.cwnd_mean : 0), (value) => (value ? short(value) : "–")],
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
      return show(name === "mean window" ? sum / Math.max(1, members.filter(({ packets_sent }) => packets_sent).length) : sum);
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
  const silent = flows.filter(({ packets_sent }) => !packets_sent).length;
  const idle = silent ? `<p>${plural(silent, "flow")} of ${whole(flows.length)} sent nothing in the measured interval: fairness counts ${silent === 1 ? "it" : "them"} with rate 0.</p>` : "";
  const heads = ["flows", "round trip", ...COLUMNS.map(([name]) => name)].map((name) => `<th scope="col">${name}</th>`);
  return `<table><thead><tr><th scope="col">group</th>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>${idle}`;
}

const seconds = (value: number | null): string => (value === null ? "–" : value.toFixed(value < 0.1 ? 4 : value < 10 ? 3 : 1));

/** A table of finite transfers with their completion times, by size where a group has several classes of sizes; empty without transfers. */
export function completionTable({ run }: View): string {
  const { transfers } = run.summary!;
  if (!transfers.length) return "";
  const row = (name: string, kind: string, direction: string, size: string, counts: TransferCounts): string => {
    const times = (["mean", "p50", "p95", "p99"] as const).map((part) => seconds(counts.completion_s[part]));
    const cells = [direction, size, whole(counts.started), whole(counts.finished), ...times];
    return `<tr class="${kind}"><th scope="row">${escapeHtml(name)}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  };
  const body = transfers.flatMap((group) => [
    row(group.name, "group", group.direction, "all", group),
    ...(group.by_size.length > 1 ? group.by_size.map((each) => row("", "flow", "", each.size, each)) : []),
  ]);
  const before = transfers
    .filter(({ ended_before }) => ended_before > 0)
    .map(({ name, ended_before, started }) => `${escapeHtml(name)}: ${ended_before} of ${started} ended before the measured interval: rates exclude them.`);
  const open = transfers.some(({ started, finished }) => finished < started) ? ["–: some did not end within the run; they count as longer than all others."] : [];
  const heads = ["direction", "size", "started", "ended", "took s: mean", "p50", "p95", "p99"].map((name) => `<th scope="col">${name}</th>`);
  const notes = [...open, ...before].map((line) => `<p>${line}</p>`).join("");
  return `<table id="transfers"><thead><tr><th scope="col">transfers</th>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>${notes}`;
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
