// SPDX-License-Identifier: MIT OR Apache-2.0
// The settings of the page, those of `cwnd compare`, and how a link's hash writes them.

import keywords from "./keywords.json";
/** How a link has the values of keywords, and the queue disciplines by their keywords: the settings that a link has, in their order. */
const FORMS: Record<string, string> = keywords.forms;
export const QUEUES: Record<string, { title: string; settings: Record<string, { kind: string; start: string }> }> = keywords.queues;

export interface Settings {
  /** As the command line has them: `cubic:2@beta=0.85`. */
  flows: string[];
  rate: string;
  rtt: string;
  buffer: string;
  duration: string;
  seed: number;
  loss?: string;
  jitter?: string;
  ecn?: boolean;
  /** What is measured, from and to: without it the last four fifths, or the whole run if every flow has a size. */
  measure?: [string, string];
  /** Other keywords, and the settings of a queue discipline by its keyword. */
  [keyword: string]: unknown;
}

/** What the page runs: its settings, or a scenario that was written or dropped. */
export interface State {
  settings: Settings;
  scenario: string | null;
}

/** What a link promises. */
export interface Promised {
  version: string;
  digest: string;
}

export interface Group {
  cc: string;
  count: number;
  keys: [string, string][];
}

const BASE = { rate: "50Mbit/s", rtt: "40ms", buffer: "1bdp", duration: "60s", seed: 1 };
export const START: Settings = { flows: ["cubic", "reno"], ...BASE };

export const readGroup = (text: string): Group => {
  const at = text.indexOf("@");
  const [cc = "", count = "1"] = (at < 0 ? text : text.slice(0, at)).split(":");
  const keys = at < 0 ? [] : text.slice(at + 1).split(",");
  const pair = (key: string): [string, string] => [key.split("=")[0]!, key.slice(key.indexOf("=") + 1)];
  return { cc, count: Number(count), keys: keys.map(pair) };
};

export const writeGroup = ({ cc, count, keys }: Group): string =>
  cc + (count === 1 ? "" : `:${count}`) + (keys.length ? `@${keys.map((pair) => pair.join("=")).join(",")}` : "");

export const keyOf = (group: Group, key: string): string | undefined => group.keys.find(([name]) => name === key)?.[1];

/** The group with a key set, or without it. */
export function withKey(group: Group, key: string, value: string | null): Group {
  const at = group.keys.findIndex(([name]) => name === key);
  const keys = group.keys.filter(([name]) => name !== key);
  if (value !== null) keys.splice(at < 0 ? keys.length : at, 0, [key, value]);
  return { ...group, keys };
}

const RATES: Record<string, number> = { "bit/s": 1e-6, "kbit/s": 1e-3, "Mbit/s": 1, "Gbit/s": 1000 };
const TIMES: Record<string, number> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60 };

function quantity(text: string | undefined, units: Record<string, number>): number | null {
  const parts = /^([\d.]+) ?(\D+)$/.exec(text ?? "");
  const unit = units[parts?.[2] ?? ""];
  return parts && unit !== undefined ? Number((Number(parts[1]) * unit).toPrecision(12)) : null;
}

export const mbps = (text: string): number | null => quantity(text, RATES);
export const seconds = (text: string | undefined): number | null => quantity(text, TIMES);
export const bdps = (text: string): number | null => quantity(text, { bdp: 1 });

/** Bytes of a packet, and the fewest packets that a buffer on a slider holds. */
const [PACKET, FEWEST] = [1500, 2];

/** The settings as the simulator reads them: a buffer of next to nothing holds two packets. */
export function textOf({ settings, scenario }: State): string {
  if (scenario !== null) return scenario;
  const [rate, rtt, size] = [mbps(settings.rate), seconds(settings.rtt), bdps(settings.buffer)];
  const isTiny = rate !== null && rtt !== null && size !== null && (rate * 1e6 * rtt * size) / 8 < FEWEST * PACKET;
  const buffer = isTiny ? `${settings.buffer}, at least ${FEWEST}packets` : settings.buffer;
  return JSON.stringify({ ...settings, buffer });
}

/** Of any document that has them, the settings that the controls have; else nothing. */
export function settingsOf(given: object): Settings | null {
  const { flows, seed = 1, ...rest } = given as Record<string, unknown>;
  const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every((end) => typeof end === "string");
  const isOf = (form: string | null, value: unknown): boolean =>
    form === "queue" ? value instanceof Object && !Array.isArray(value) : form === "pair" ? isPair(value) : form === "flag" ? value === true : typeof value === "string";
  if (!Array.isArray(flows) || !flows.every((flow) => typeof flow === "string") || !Number.isSafeInteger(seed)) return null;
  if (!Object.entries(rest).every(([key, value]) => ORDER.includes(key) && key !== "flows" && isOf(formOf(key), value))) return null;
  const settings: Settings = { flows, ...BASE, ...rest, seed: seed as number };
  settings.buffer = settings.buffer.replace(`, at least ${FEWEST}packets`, "");
  return settings;
}

const has = (table: object, key: string): boolean => Object.hasOwn(table, key);
/** The settings of a queue discipline that a link has; none of another keyword. */
export const queueSettings = (key: string): string[] => (has(QUEUES, key) ? Object.keys(QUEUES[key]!.settings) : []);
/** How a link has the value of a keyword; nothing where it has none. */
const formOf = (key: string): string | null => (queueSettings(key).length ? "queue" : has(QUEUES, key) ? "flag" : has(FORMS, key) ? FORMS[key]! : null);
/** The keywords in the order of a link. */
export const ORDER = [...Object.keys(FORMS), ...Object.keys(QUEUES), "flows"];
const escaped = (text: string): string => encodeURI(text).replace(/[&#]/g, encodeURIComponent);

/** Two values with dots between them; nothing where dots of theirs would be taken for those. */
function written(ends: string[]): string | null {
  const text = ends.join("..");
  return JSON.stringify(text.split("..")) === JSON.stringify(ends) ? text : null;
}

/** The settings as a hash that can be written by hand, or nothing where that does not suffice. */
function plainHash(settings: Settings): string | null {
  const pairs: [string, string][] = [];
  for (const key of ORDER) {
    const [value, form] = [settings[key], formOf(key)];
    if (value === undefined) continue;
    if (key === "flows") pairs.push(...settings.flows.map((flow): [string, string] => ["flow", flow]));
    else if (form === "pair" || form === "queue") {
      const [names, table] = [queueSettings(key), value as Record<string, string>];
      const span = written(form === "pair" ? (value as string[]) : names.map((name) => table[name] ?? ""));
      if (span === null || (form === "queue" && Object.keys(table).some((name) => !names.includes(name)))) return null;
      pairs.push([key, span]);
    } else if (!((key === "duration" || key === "seed") && value === START[key])) pairs.push([key, String(value)]);
  }
  return `#${pairs.map(([key, value]) => `${key}=${escaped(value)}`).join("&")}`;
}

/** Bytes of the longest scenario that a link writes: some hundred bytes can stand for gigabytes. */
const MOST_TEXT = 1 << 20;

/** Bytes through a stream of the browser, up to so many. */
async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream, most = Infinity): Promise<Uint8Array> {
  const piped = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, BufferSource>);
  const reader = piped.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError("a link that stands for too much");
    }
    pieces.push(value);
  }
  return new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer());
}

export async function hashOf(state: State, promised?: Promised): Promise<string> {
  let hash = state.scenario === null ? plainHash(state.settings) : null;
  if (hash === null) {
    const text = state.scenario ?? JSON.stringify(state.settings);
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    hash = `#z:${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  }
  return hash + (promised ? `&v=${promised.version}&d=${promised.digest}` : "");
}

/** The value of a keyword that a link writes like this; nothing where it is refused. */
function valueOf(key: string, text: string): unknown {
  const [form, ends] = [formOf(key), text.split("..")];
  if (form === "queue") return Object.fromEntries(queueSettings(key).map((name, at) => [name, ends[at]]).filter(([, end]) => end));
  if (form === "pair") return ends.length === 2 && ends.every(Boolean) ? ends : undefined;
  if (form === "flag") return text === "true" || (text === "false" ? false : undefined);
  if (form === "number") return /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
  return form === "text" ? text : undefined;
}

/** The state that a hash writes; nothing where it writes none. */
export async function stateOf(hash: string): Promise<{ state: State; promised: Promised | null } | null> {
  const pairs = hash.replace(/^#/, "").split("&").filter(Boolean);
  const packed = pairs[0]?.startsWith("z:") ? pairs.shift()!.slice(2) : null;
  const settings: Settings = { ...START, flows: [] };
  const promised = { version: "", digest: "" };
  let scenario: string | null = null;
  try {
    for (const pair of pairs) {
      const at = pair.indexOf("=");
      if (at < 0) return null;
      const [key, value] = [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
      if (key === "flow") settings.flows.push(value);
      else if (key === "v") promised.version = value;
      else if (key === "d") promised.digest = value;
      else {
        const read = valueOf(key, value);
        if (read === undefined) return null;
        if (read !== false) settings[key] = read;
      }
    }
    if (packed !== null) {
      const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
      const text = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), MOST_TEXT));
      const known = text.startsWith("{") ? settingsOf(JSON.parse(text) as object) : null;
      if (known) Object.assign(settings, known);
      else scenario = text;
    }
  } catch {
    return null;
  }
  if (!pairs.length && packed === null) return null;
  if (!settings.flows.length) settings.flows = [...START.flows];
  return { state: { settings, scenario }, promised: promised.digest ? promised : null };
}

export const PRESETS: [string, Partial<Settings>][] = [
  ["CUBIC and Reno", {}],
  ["β 0.7 and 0.85", { flows: ["cubic", "cubic@beta=0.85"] }],
  ["Figure 6 of the CUBIC paper: 400 Mbit/s, 4 + 4 flows", { flows: ["cubic-2.2:4", "sack:4"], rate: "400Mbit/s" }],
  ["A late flow", { flows: ["cubic", "cubic@start=20s"] }],
  ["Two round trip times", { flows: ["cubic:2@rtt=16ms", "cubic:2@rtt=160ms"] }],
  ["A short buffer", { flows: ["cubic", "reno"], buffer: "0.1bdp" }],
  ["Random loss", { flows: ["cubic", "reno"], loss: "random:0.0005" }],
  ["Bufferbloat", { flows: ["cubic", "reno"], rate: "10Mbit/s", buffer: "8bdp" }],
  ["Bufferbloat and CoDel", { flows: ["cubic", "reno"], rate: "10Mbit/s", buffer: "8bdp", codel: { target: "5ms", interval: "100ms" } }],
];
