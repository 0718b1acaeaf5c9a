// SPDX-License-Identifier: BSD-3-Clause
// Headless Chromium for the tests in Python (browser.py): reads a call a line, [name, argument...] as JSON, and answers
// each with {"value"} or {"error"}.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

// The packages are in the build directory, not beside this file.
const { chromium } = createRequire(`${process.env.ROOST_PACKAGES}/`)("playwright-core");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...process.getuid() === 0 ? ["--no-sandbox"] : [], "--force-color-profile=srgb", "--disable-lcd-text"],
  timeout: 120000,
});
const PATIENCE = 60000;   // ms
let page = null;
let said = [];
let asked = [];

// By evaluating again and again: waitForFunction() needs eval(), which the server's policy forbids.
async function until(condition) {
  const end = Date.now() + PATIENCE;
  while (!await condition()) {
    if (Date.now() > end)
      throw new Error(`not so within ${PATIENCE / 1000} s`);
    await new Promise((done) => setTimeout(done, 20));
  }
  return null;
}

const calls = {
  async open(url, { width = 1280, height = 720, theme = "dark" } = {}) {
    await page?.context().close();
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true });
    page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    said = [];
    asked = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => said.push(`error: ${error.message}`));
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));
    page.on("requestfailed", (request) => said.push(`${request.url()}: ${request.failure()?.errorText}`));
    await page.goto(url);
  },
  said: async () => said,        // errors and warnings since `open`
  asked: async () => asked,      // addresses that the page has asked for
  // An expression, or the body of a function with `return`.
  evaluate: (text) => page.evaluate(text),
  wait: (text) => until(() => page.evaluate(text)),
  // In the only frame of the page.
  wait_frame: (text) => until(() => page.frames()[1]?.evaluate(text)),
  // In the window that the page has opened, which may still be loading.
  wait_last: (text) => until(async () => {
    const pages = page.context().pages();
    return pages.length > 1 && await pages.at(-1).evaluate(text).catch((error) => {
      if (!error.message.includes("Execution context was destroyed"))
        throw error;
    });
  }),
  media: (media) => page.emulateMedia({ media }),
  key: (name) => page.keyboard.press(name),
  type: (text) => page.keyboard.type(text),
  click: (selector) => page.click(selector),
  fill: (selector, text) => page.fill(selector, text),
  mouse: async (x, y, action = "move") => {
    await page.mouse.move(x, y);
    if (action !== "move")
      await page.mouse[action === "click" ? "click" : action](...action === "click" ? [x, y] : []);
  },
  text: (selector) => page.locator(selector).first().innerText(),
  select: (selector, value) => page.selectOption(selector, value).then(() => null),
  async download(selector) {     // [name, contents in base64] of what a click saves
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
    return [saved.suggestedFilename(), (await readFile(await saved.path())).toString("base64")];
  },
  shot: (path) => page.screenshot({ path }).then(() => null),
  // In the window that was opened last.
  evaluate_last: (text) => page.context().pages().at(-1).evaluate(text),
  // On the paper that the page asks for.
  pdf: (path) => page.pdf({ path, preferCSSPageSize: true }).then(() => null),
  close: () => browser.close(),
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const [name, ...rest] = JSON.parse(line);
    answer = { value: await calls[name](...rest) ?? null };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
