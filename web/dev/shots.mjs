// Pictures of the pages, taken from the stand-in server in real Chromium: node dev/shots.mjs OUT [NAME...]
// They are for looking at, not for comparing.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [out = "/tmp/web-shots", ...wanted] = process.argv.slice(2);
mkdirSync(out, { recursive: true });

function start(...options) {
  const data = mkdtempSync(join(tmpdir(), "riad-shots-"));
  const server = spawn(process.execPath, ["dev/mock.mjs", "--data-dir", data, ...options]);
  server.stderr.pipe(process.stderr);
  return new Promise((resolve) => {
    let said = "";
    server.stdout.on("data", (chunk) => {
      said += chunk;
      const address = /^address (\S+)/m.exec(said)?.[1];
      if (address) setTimeout(() => resolve({ server, address, token: /setup token (\S+)/.exec(said)?.[1] }), 50);
    });
  });
}

async function signIn(page, address) {
  await page.goto(address);
  await page.fill("input[name=handle]", "mira");
  await page.fill("input[name=password]", "a quiet courtyard");
  await page.click("button[type=submit]");
  await page.waitForSelector("riad-composer");
}

async function say(page, text) {
  await page.fill("#composer-text", text);
  await page.press("#composer-text", "Enter");
}

const approved = async (page) => {
  await page.waitForSelector(".ask-card");
  await page.waitForTimeout(700);
};

const SCENES = {
  setup: { plain: true, go: async (page, { address }) => void (await page.goto(address)) },
  "setup-wrong": {
    plain: true,
    go: async (page, { address }) => {
      await page.goto(address);
      await page.fill("input[name=handle]", "mira");
      await page.fill("input[name=password]", "mira mira mira");
      await page.click("button[type=submit]");
      await page.waitForTimeout(300);
    },
  },
  "sign-in": { go: async (page, { address }) => void (await page.goto(address)) },
  throttle: {
    go: async (page, { address }) => {
      await page.goto(address);
      for (let n = 0; n < 5; n += 1) {
        await page.fill("input[name=handle]", "mira");
        await page.fill("input[name=password]", `wrong ${n}`);
        await page.click("button[type=submit]");
        await page.waitForTimeout(150);
      }
    },
  },
  welcome: { inside: true, go: async (page) => void (await page.waitForTimeout(300)) },
  streaming: {
    inside: true,
    go: async (page) => {
      await say(page, "What is in my folder, and what have I changed lately?");
      await page.waitForSelector(".reply h3");
      await page.waitForTimeout(1400);
    },
  },
  answered: {
    inside: true,
    go: async (page) => {
      await say(page, "What is in my folder, and what have I changed lately?");
      await page.waitForSelector(".usage-line", { timeout: 30_000 });
      await page.waitForTimeout(200);
      await page.evaluate(() => document.querySelector(".calls-fold > summary")?.click());
      await page.evaluate(() => document.querySelectorAll(".call > summary")[3]?.click());
      await page.evaluate(() => document.querySelector(".thread-scroll")?.scrollTo(0, 0));
      await page.waitForTimeout(200);
    },
  },
  "answered-end": {
    inside: true,
    go: async (page) => {
      await say(page, "What is in my folder, and what have I changed lately?");
      await page.waitForSelector(".usage-line", { timeout: 30_000 });
      await page.waitForTimeout(200);
    },
  },
  approval: {
    inside: true,
    go: async (page) => {
      await say(page, "Please put four lamps, the lemon tree and Samir’s pump into the courtyard plan.");
      await approved(page);
    },
  },
  "approval-top": {
    inside: true,
    go: async (page) => {
      await say(page, "Please put four lamps, the lemon tree and Samir’s pump into the courtyard plan.");
      await approved(page);
      await page.evaluate(() => document.querySelector(".ask-card")?.scrollIntoView());
      await page.waitForTimeout(200);
    },
  },
  command: {
    inside: true,
    go: async (page) => {
      await say(page, "Make a PDF of the report");
      await approved(page);
      await page.evaluate(() => document.querySelector(".ask-card")?.scrollIntoView());
      await page.waitForTimeout(200);
    },
  },
  running: {
    inside: true,
    go: async (page) => {
      await say(page, "Make a PDF of the report");
      await approved(page);
      await page.click(".answers .act");
      await page.waitForSelector(".live-output");
      await page.waitForTimeout(900);
    },
  },
  done: {
    inside: true,
    go: async (page) => {
      await say(page, "Write a note with what I should pack for a weekend at the sea.");
      await approved(page);
      await page.click(".answers .act");
      await page.waitForSelector(".effects", { timeout: 20_000 });
      await page.waitForTimeout(300);
    },
  },
  question: {
    inside: true,
    go: async (page) => {
      await say(page, "Help me plan the coming week, one question at a time.");
      await page.waitForSelector(".question-card");
      await page.waitForTimeout(300);
    },
  },
  steer: {
    inside: true,
    go: async (page) => {
      await say(page, "Tell me a long story about the court");
      await page.waitForSelector(".reply");
      await page.waitForTimeout(600);
      await say(page, "And keep it short, please.");
      await page.waitForTimeout(500);
    },
  },
  failed: {
    inside: true,
    go: async (page) => {
      await say(page, "This will fail");
      await page.waitForSelector(".end.failed");
      await page.waitForTimeout(200);
    },
  },
  inbox: {
    inside: true,
    go: async (page, { address }) => {
      await say(page, "Please put four lamps into the courtyard plan.");
      await approved(page);
      await page.goto(`${address}/inbox`);
      await page.waitForSelector("riad-inbox .ask-card");
      await page.waitForTimeout(700);
    },
  },
  "inbox-empty": { inside: true, go: async (page, { address }) => void (await page.goto(`${address}/inbox`), await page.waitForTimeout(500)) },
  files: { inside: true, go: async (page, { address }) => void (await page.goto(`${address}/files`), await page.waitForTimeout(500)) },
  file: { inside: true, go: async (page, { address }) => void (await page.goto(`${address}/files?path=~%2Frecipes&file=harira.md`), await page.waitForTimeout(500)) },
  all: { inside: true, go: async (page, { address }) => void (await page.goto(`${address}/conversations`), await page.waitForTimeout(500)) },
  usage: {
    inside: true,
    go: async (page, { address }) => {
      const { items } = await (await page.request.get(`${address}/api/v1/conversations`)).json();
      await page.goto(`${address}/c/${items[0].id}`);
      await page.fill("#composer-text", "And how much water does the lemon tree need in August, when nobody is at home for two weeks?");
      await page.getByRole("button", { name: "Usage" }).click();
      await page.waitForTimeout(500);
    },
  },
  drawer: { inside: true, phone: true, go: async (page) => void (await page.click(".menu-button"), await page.waitForTimeout(300)) },
  expired: {
    inside: true,
    go: async (page, { address }) => {
      await page.fill("#composer-text", "What I was about to say");
      await fetch(`${address}/mock/expire`, { method: "POST" });
      await page.waitForSelector(".door-over", { timeout: 8000 });
      await page.waitForTimeout(200);
    },
  },
  offline: {
    inside: true,
    go: async (page, { address }) => {
      await fetch(`${address}/mock/down?ms=6000`, { method: "POST" });
      await say(page, "Are you there?");
      await page.waitForSelector(".offline");
      await page.waitForTimeout(100);
    },
  },
};

const FORMS = [
  { name: "light-1280", width: 1280, height: 860, theme: "light" },
  { name: "dark-1280", width: 1280, height: 860, theme: "dark" },
  { name: "light-390", width: 390, height: 844, theme: "light" },
  { name: "dark-390", width: 390, height: 844, theme: "dark" },
];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const [name, scene] of Object.entries(SCENES)) {
  if (wanted.length > 0 && !wanted.some((each) => name === each || `${name}`.startsWith(`${each}*`))) continue;
  for (const form of FORMS) {
    if (scene.phone && form.width > 500) continue;
    if (process.env.FORM && !form.name.includes(process.env.FORM)) continue;
    const riad = await start(...(scene.plain ? [] : ["--seed"]));
    const page = await browser.newPage({ viewport: { width: form.width, height: form.height }, colorScheme: form.theme, deviceScaleFactor: 1 });
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !/Failed to load resource|WebSocket/.test(message.text())) console.log(name, form.name, message.text());
    });
    page.on("pageerror", (fault) => console.log(name, form.name, fault.message));
    try {
      if (scene.inside) await signIn(page, riad.address);
      await scene.go(page, riad);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) console.log(name, form.name, `scrolls sideways by ${wide}`);
      await page.screenshot({ path: join(out, `${name}-${form.name}.png`), fullPage: name.startsWith("setup") });
    } catch (fault) {
      console.log(name, form.name, fault.message);
      await page.screenshot({ path: join(out, `${name}-${form.name}-broken.png`) });
    }
    await page.close();
    riad.server.kill();
  }
}
await browser.close();
