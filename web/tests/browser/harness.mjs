// What browser specs stand on: a server with a data folder of its own (the program in RIAD_BIN, or the stand-in of
// dev/ when there is none), a scripted model, and Chromium whose every complaint fails the spec.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { startModel } from "./model.mjs";

const WEB = join(import.meta.dirname, "..", "..");
const CHROMIUM = process.env.CHROMIUM_BIN ?? "/usr/bin/chromium";
const READY_WITHIN_MS = 30_000;

/** Whether the real program is tested. */
export const isReal = process.env.RIAD_BIN !== undefined && process.env.RIAD_BIN !== "";

/** The settings under which a model on this machine answers, if a worker and a model were named. */
export const onThisMachine = isReal && process.env.RIAD_LLM_WORKER && process.env.RIAD_LLM_MODEL
  ? { "models.worker": process.env.RIAD_LLM_WORKER, "models.default": process.env.RIAD_LLM_MODEL }
  : undefined;

export class Scene {
  #undo = [];
  #expected = ["401", "409", "423", "429"];
  complaints = [];

  /** A data folder, a scripted model if there is a script, and a server over both. */
  static async begin(script, settings = {}) {
    const scene = new Scene();
    scene.settings = { ...settings };
    scene.data = mkdtempSync(join(tmpdir(), "riad-browser-"));
    scene.#undo.push(() => rmSync(scene.data, { recursive: true, force: true }));
    if (script) {
      scene.model = await startModel(script);
      scene.#undo.push(() => scene.model.close());
      Object.assign(scene.settings, { "models.remote.url": scene.model.base, "models.remote.name": "scripted" });
    }
    scene.port = await freePort();
    await scene.startServer();
    return scene;
  }

  async startServer() {
    const { command, args } = isReal ? this.#real() : this.#standIn();
    const server = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], cwd: WEB, env: environment() });
    this.server = server;
    this.log = "";
    server.stderr.on("data", (chunk) => (this.log += chunk));
    const said = await firstWords(server, () => this.log);
    this.address = said.address;
    this.token = said.token ?? this.token;
  }

  #real() {
    const sets = {
      "data.dir": this.data,
      listen: `127.0.0.1:${this.port}`,
      ...this.settings,
    };
    return { command: process.env.RIAD_BIN, args: [...Object.entries(sets).flatMap(([key, value]) => ["--set", `${key}=${value}`]), "serve"] };
  }

  #standIn() {
    const args = [join(WEB, "dev", "mock.mjs"), "--data-dir", this.data, "--port", String(this.port)];
    return { command: process.execPath, args };
  }

  /** Ends the server as a power cut would. */
  async kill() {
    const { server } = this;
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGKILL");
    await gone;
  }

  async openPage(options = {}) {
    if (!this.browser) {
      this.browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
      this.#undo.push(() => this.browser.close());
    }
    const context = await this.browser.newContext({ viewport: { width: 1200, height: 820 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    this.#listen(page);
    return page;
  }

  /** Policy violations, errors of scripts, errors on the console and requests to other hosts fail the spec. */
  #listen(page) {
    page.on("pageerror", (fault) => this.complaints.push(`script: ${fault.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !this.#isExpected(message.text())) this.complaints.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const { host, protocol } = new URL(request.url());
      if (["http:", "https:", "ws:", "wss:"].includes(protocol) && host !== `127.0.0.1:${this.port}`) this.complaints.push(`foreign host: ${request.url()}`);
    });
  }

  /** Another status that a spec provokes. */
  expect(status) {
    this.#expected.push(String(status));
  }

  /** The browser itself reports requests that were refused or cut; specs cut them on purpose and look at the page. */
  #isExpected(text) {
    const status = /^Failed to load resource: the server responded with a status of (\d+)/.exec(text)?.[1];
    if (status !== undefined) return this.#expected.includes(status);
    return /^Failed to load resource: net::ERR_(CONNECTION|EMPTY|NETWORK)/.test(text) || /^WebSocket connection to .* failed/.test(text);
  }

  /** The path on disk of a file of the person, by its end; undefined while there is none. */
  file(end) {
    const found = readdirSync(this.data, { recursive: true }).find((name) => name.endsWith(end));
    return found === undefined ? undefined : join(this.data, found);
  }

  read(end) {
    const path = this.file(end);
    return path === undefined ? undefined : readFileSync(path, "utf8");
  }

  async end() {
    await this.kill();
    for (const undo of this.#undo.reverse()) await undo();
  }
}

/** The server takes its settings from variables of this prefix; those of the tests are none. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("RIAD_")));
}

/** The address and the setup token, as the server prints them. */
function firstWords(server, log) {
  return new Promise((resolve, reject) => {
    let said = "";
    const late = setTimeout(() => reject(new Error(`the server said no address:\n${said}${log()}`)), READY_WITHIN_MS);
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}:\n${said}${log()}`)));
    server.stdout.on("data", (chunk) => {
      said += chunk;
      const address = /^address (\S+)$/m.exec(said)?.[1];
      if (!address) return;
      clearTimeout(late);
      // The token is the next line, if there is one.
      setTimeout(() => resolve({ address, token: /^setup token (\S+)$/m.exec(said)?.[1] }), 150);
    });
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// --- What every spec does ---------------------------------------------------------------------------------------------

export const PERSON = { name: "Mira Haddad", handle: "mira", password: "a quiet courtyard" };

/** From the printed token to the chat. */
export async function setUp(page, scene) {
  await page.goto(scene.address);
  await page.getByLabel("Setup token").fill(scene.token);
  await page.getByLabel("Name", { exact: true }).fill(PERSON.name);
  await page.getByLabel("Handle").fill(PERSON.handle);
  await page.getByLabel("Password", { exact: true }).fill(PERSON.password);
  await page.getByLabel("The same again").fill(PERSON.password);
  await page.getByRole("button", { name: "Set up Riad" }).click();
  await page.getByLabel("Your message").waitFor();
}

export async function signIn(page) {
  await page.getByLabel("Handle").fill(PERSON.handle);
  await page.getByLabel("Password").fill(PERSON.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Your message").waitFor();
}

export async function say(page, text) {
  await page.getByLabel("Your message").fill(text);
  await page.getByLabel("Your message").press("Enter");
}

/** The text of the thread as it is read. */
export function threadText(page) {
  return page.locator(".thread").innerText();
}

/** The last turn once it is over. */
export async function turnIsOver(page, count) {
  await page.locator(`.turn[data-state="over"] >> nth=${count - 1}`).waitFor({ timeout: 60_000 });
}
