// SPDX-License-Identifier: MIT OR Apache-2.0
// What the tests of the page share: Chromium, what it asked for and said, checks with their names, and the end.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
if (!process.argv[2]) throw new Error("which page?");
export const page_url = pathToFileURL(resolve(process.argv[2])).href;

const broken = [];
export const check = (name, holds, detail = "") => {
  console.log(`${holds ? "ok    " : "BROKEN"} ${name}${holds ? "" : ` ${detail}`}`);
  if (!holds) broken.push(name);
};

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});
const requests = new Set();
const lines = [];

/** A page at this address, watched. */
export async function opened(hash, options) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.setDefaultTimeout(120_000);
  page.on("request", (request) => requests.add(new URL(request.url()).protocol));
  page.on("console", (message) => lines.push(message.text()));
  page.on("pageerror", (error) => lines.push(String(error)));
  await page.goto(page_url + hash);
  return page;
}

/** What axe-core finds. */
export async function violations(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async () => (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 90)).join(" ")}`));
}

export async function finish() {
  check("only file: and blob: are asked for", [...requests].every((protocol) => ["file:", "blob:", "data:"].includes(protocol)), [...requests].join());
  check("the console is empty", lines.length === 0, lines.slice(0, 5).join("\n       "));
  await browser.close();
  if (broken.length) {
    console.log(`${broken.length} broken`);
    process.exit(1);
  }
  console.log("all hold");
}
