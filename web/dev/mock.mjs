// A stand-in for the server while the web client is made: the same HTTP and stream contract, with scripted answers
// (scripts.mjs) instead of models and tools. It keeps nothing secret and is no part of a release.
//
//   node dev/mock.mjs [--port N] [--data-dir DIR] [--seed]
//
// --seed begins with a person (handle mira, password "a quiet courtyard") and a few conversations.
// POST /mock/cut | /mock/down?ms=N | /mock/expire | /mock/lock make trouble on purpose.

import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { playTurn, seedConversations } from "./scripts.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const DIST = join(HERE, "..", "dist");
const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const PORT = Number(option("port", "0"));
const DATA = option("data-dir", join("/tmp", `riad-mock-${process.pid}`));
const HOME = join(DATA, "home");
const KEPT = join(DATA, "mock.json");
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' blob:; media-src 'self' blob:; " +
  "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types lit-html";

mkdirSync(HOME, { recursive: true });

export const id = (bytes = 8) => randomBytes(bytes).toString("hex");
const now = () => new Date().toISOString();

// --- State ----------------------------------------------------------------------------------------------------------

const fresh = () => ({ person: null, password: "", conversations: [], entries: {}, inbox: [], seq: 0, epoch: id(), keys: {} });
const state = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, "utf8")) : fresh();
const sessions = new Map();
const sockets = new Set();
const setupToken = id(16);
let locked = true;
let wrong = 0;
let heldUntil = 0;
let downUntil = 0;
export const running = new Map();
export const waiting = new Map();

function keep() {
  writeFileSync(`${KEPT}.new`, JSON.stringify(state));
  renameSync(`${KEPT}.new`, KEPT);
}

export const home = HOME;
/** A text with words told apart. */
function pieces(text, words) {
  const word = words.find((each) => text.toLowerCase().includes(each));
  const at = word === undefined ? 0 : text.toLowerCase().indexOf(word);
  const parts = [{ text: text.slice(0, at), hit: false }, { text: text.slice(at, at + (word?.length ?? 0)), hit: true }, { text: text.slice(at + (word?.length ?? 0)), hit: false }];
  return parts.filter((part) => part.text !== "");
}

export const conversationOf = (wanted) => state.conversations.find((each) => each.id === wanted);

export function append(conversation, turn, body) {
  const entries = (state.entries[conversation] ??= []);
  const entry = { number: entries.length + 1, seq: (state.seq += 1), at: now(), conversation, turn, ...body };
  entries.push(entry);
  const known = conversationOf(conversation);
  known.head = entry.number;
  known.updated_at = entry.at;
  keep();
  for (const socket of sockets) {
    if (!socket.riad.open) continue;
    const header = { header: { conversation, number: entry.number, kind: entry.kind, at: entry.at } };
    say(socket, { kind: "entry", seq: entry.seq, entry: socket.riad.watch.has(conversation) ? entry : header });
  }
  return entry;
}

export function delta(conversation, frame) {
  for (const socket of sockets) if (socket.riad.open && socket.riad.watch.has(conversation)) say(socket, { kind: "delta", conversation, ...frame });
}

export function hint(resource) {
  for (const socket of sockets) say(socket, { kind: "hint", resource });
}

export function ask(item) {
  state.inbox.push(item);
  conversationOf(item.conversation).waiting += 1;
  keep();
  hint("inbox");
}

export function settle(item) {
  state.inbox = state.inbox.filter((each) => each.id !== item.id);
  const conversation = conversationOf(item.conversation);
  conversation.waiting = Math.max(0, conversation.waiting - 1);
  keep();
  hint("inbox");
}

export function activity(conversation, what, turn) {
  const known = conversationOf(conversation);
  known.activity = what;
  if (turn === undefined) delete known.turn;
  else known.turn = turn;
  keep();
  hint("conversations");
}

export function newConversation(title = "") {
  const conversation = { id: id(), title, created_at: now(), updated_at: now(), archived: false, head: 0, activity: "quiet", waiting: 0 };
  state.conversations.push(conversation);
  keep();
  hint("conversations");
  return conversation;
}

/** What is not over when the process dies is over in this stand-in; the real server goes on. */
for (const conversation of state.conversations) {
  const last = (state.entries[conversation.id] ?? []).at(-1);
  if (last && last.kind !== "ended") {
    append(conversation.id, last.turn, { kind: "ended", outcome: "stopped", sentence: "You stopped this turn.", next_step: "", footer: [] });
  }
  conversation.activity = "quiet";
  conversation.waiting = 0;
}
state.inbox = [];

if (process.argv.includes("--seed") && !state.person) {
  state.person = { id: id(), handle: "mira", name: "Mira Haddad", role: "admin", locale: "en", zone: "Europe/Rome" };
  state.password = "a quiet courtyard";
  seedConversations({ append, newConversation, id, home, state });
}

// --- HTTP -----------------------------------------------------------------------------------------------------------

class Refusal extends Error {
  constructor(status, code, detail, more = {}) {
    super(detail);
    this.status = status;
    this.body = { type: `urn:riad:problem:${code}`, title: code.replaceAll("_", " "), status, detail, code, request_id: id(), ...more };
  }
}

const choiceOf = () => ({
  holds: { model: "qwen3-4b-instruct", model_tier: "device", fallbacks: [], profile: "riad/assistant", profile_title: "assistant", tier: "device", most: "any" },
});
const models = () => [{ name: "qwen3-4b-instruct", tier: "device", window: 16384, state: "ready" }];

/** The next prompt by segment, made up; a draft counts a token for four letters. */
function nextPrompt(replies, draft) {
  const segments = { system: 412, tools: 768, summary: 0, history: replies.reduce((all, each) => all + 60 + (each.usage.decoded ?? 0), 0), message: Math.ceil(draft.length / 4), around: 4, estimated: false };
  const total = Object.values(segments).reduce((all, each) => all + Number(each), 0);
  return { model: "demo", here: true, segments, total, estimated: false, cached: replies.length > 0 ? total - segments.message - 4 : 0, window: 16384, reserve: 3276, folds: false };
}

function sessionOf(session) {
  return { person: state.person, vault: locked ? "locked" : "open", csrf: session.csrf, models: models() };
}

function currentSession(request) {
  const token = /riad-local=([0-9a-f]+)/.exec(request.headers.cookie ?? "")?.[1];
  return token === undefined ? undefined : sessions.get(token);
}

function checkPassword(given, status = 401) {
  if (heldUntil > Date.now()) throw throttled();
  if (given === state.password) return void (wrong = 0);
  wrong += 1;
  if (wrong >= 5) {
    heldUntil = Date.now() + 20_000;
    wrong = 0;
    throw throttled();
  }
  throw new Refusal(status, status === 403 ? "password_wrong" : "sign_in_wrong", "Handle and password do not fit.", { next_step: "Check both and try again." });
}

function throttled() {
  return new Refusal(429, "too_many_tries", "There were too many tries.", { retry_after: Math.ceil((heldUntil - Date.now()) / 1000) });
}

function open(response) {
  const token = id(32);
  const session = { csrf: id(16) };
  sessions.clear();
  sessions.set(token, session);
  response.setHeader("set-cookie", `riad-local=${token}; HttpOnly; SameSite=Strict; Path=/`);
  return session;
}

const routes = [
  ["GET", "/setup", () => [200, { needed: !state.person }]],
  ["POST", "/setup", ({ body }) => {
    if (state.person) throw new Refusal(404, "unknown_route", "There is nothing here.");
    if (body.token !== setupToken) throw new Refusal(403, "wrong_token", "This is not the setup token.", { next_step: "Copy it from the place where Riad was started.", fields: [{ pointer: "/token", detail: "Not the token that was printed." }] });
    const { handle, name, locale, zone } = body;
    state.person = { id: id(), handle, name, role: "admin", locale, zone };
    state.password = body.password;
    keep();
    return [201, { person: state.person }];
  }],
  ["POST", "/sessions", ({ body, response }) => {
    if (body.handle !== state.person?.handle) checkPassword("");
    checkPassword(body.password);
    locked = false;
    return [201, sessionOf(open(response))];
  }],
  ["GET", "/models", () => [200, { models: models() }]],
  ["GET", "/choice", () => [200, choiceOf()]],
  ["GET", "/agents", () => [200, { items: [{ id: "riad/assistant", own: false, title: "assistant", description: "The default assistant.", kind: "chat", version: 0, faults: [] }] }]],
  ["GET", "/commands", () => [200, { items: [] }]],
  ["GET", "/session", ({ session }) => [200, sessionOf(session)]],
  ["POST", "/session/unlock", ({ body, response }) => {
    checkPassword(body.password, 403);
    locked = false;
    return [200, sessionOf(open(response))];
  }],
  ["POST", "/session/lock", () => {
    locked = true;
    for (const socket of sockets) socket.close(1000);
    return [204];
  }],
  ["DELETE", "/session", () => {
    sessions.clear();
    for (const socket of sockets) socket.close(1000);
    return [204];
  }],
  ["GET", "/conversations", ({ query }) => [200, { items: state.conversations.filter((each) => each.archived === (query.get("archived") === "true")) }]],
  ["POST", "/conversations", ({ body }) => [201, newConversation(body.title)]],
  ["GET", "/conversations/:id/choice", () => [200, choiceOf()]],
  ["GET", "/conversations/:id", ({ params, response }) => {
    const conversation = found(params.id);
    response.setHeader("etag", `"${conversation.updated_at}"`);
    return [200, conversation];
  }],
  ["PATCH", "/conversations/:id", ({ params, body, request }) => {
    const conversation = found(params.id);
    if (request.headers["if-match"] === undefined) throw new Refusal(428, "if_match_missing", "If-Match is missing.");
    Object.assign(conversation, body);
    keep();
    hint("conversations");
    return [200, conversation];
  }],
  ["GET", "/conversations/:id/entries", ({ params, query }) => {
    const conversation = found(params.id);
    return [200, { entries: (state.entries[conversation.id] ?? []).filter((each) => each.number > Number(query.get("since") ?? 0)), head: conversation.head }];
  }],
  ["POST", "/conversations/:id/messages", ({ params, body, key }) => {
    const conversation = found(params.id);
    const turn = running.get(conversation.id)?.turn ?? `turn-${id()}`;
    const entry = append(conversation.id, turn, { kind: "said", message_id: key, text: body.text });
    if (!running.has(conversation.id)) playTurn(conversation.id, turn, body.text);
    return [201, { entry: entry.number, turn }];
  }],
  ["POST", "/conversations/:id/stop", ({ params, body }) => {
    const turn = running.get(params.id);
    if (turn && turn.turn === body.turn) turn.stop();
    return [202, {}];
  }],
  ["DELETE", "/conversations/:id/messages/:message", ({ params }) => {
    const turn = running.get(params.id);
    const said = (state.entries[params.id] ?? []).find((each) => each.message_id === params.message);
    if (!turn || !said || said.number <= turn.seen) throw new Refusal(409, "already_read", "The message was already read.");
    append(params.id, said.turn, { kind: "withdrawn", message_id: params.message });
    return [204];
  }],
  ["GET", "/conversations/:id/usage", ({ params }) => {
    const replies = (state.entries[params.id] ?? []).filter((each) => each.kind === "replied");
    const sum = (name) => replies.reduce((all, each) => all + (each.usage[name] ?? 0), 0);
    return [200, { rounds: replies.map((each, at) => ({ round: at + 1, model: each.model, ...each.usage })), totals: { prompt: sum("prompt"), decoded: sum("decoded") }, failed: 0, window: 16384, next: nextPrompt(replies, "") }];
  }],
  ["POST", "/conversations/:id/usage", ({ params, body }) => {
    const replies = (state.entries[params.id] ?? []).filter((each) => each.kind === "replied");
    return [200, nextPrompt(replies, body.text)];
  }],
  ["GET", "/search", ({ query }) => {
    const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const within = query.get("conversation");
    const spoken = Object.values(state.entries).flat().filter((each) => ["said", "replied"].includes(each.kind) && (!within || each.conversation === within));
    const hits = spoken.filter((each) => words.length > 0 && words.every((word) => each.text.toLowerCase().includes(word)));
    const items = hits.reverse().map((each) => ({ conversation: each.conversation, title: state.conversations.find((one) => one.id === each.conversation)?.title ?? "", archived: false, entry: each.number, speaker: each.kind === "said" ? "person" : "model", at: each.at, excerpt: pieces(each.text.slice(0, 300), words) }));
    return [200, { items }];
  }],
  ["GET", "/inbox", () => [200, { items: state.inbox }]],
  ["POST", "/inbox/:id/answer", ({ params, body }) => {
    const item = state.inbox.find((each) => each.id === params.id);
    if (!item) throw new Refusal(404, "unknown_item", "This is no longer waiting.");
    const asked = item.approval ?? item.question;
    if (asked.digest !== body.digest) throw new Refusal(409, "digest_differs", "What would happen has changed.");
    waiting.get(item.id)?.(body);
    return [200, { entry: 0 }];
  }],
  ["GET", "/files", ({ query }) => [200, { path: query.get("path"), entries: listing(query.get("path")) }]],
];

function found(wanted) {
  const conversation = conversationOf(wanted);
  if (!conversation) throw new Refusal(404, "unknown_conversation", "There is no such conversation.", { next_step: "It may have been deleted." });
  return conversation;
}

function inHome(path) {
  const real = normalize(join(HOME, (path ?? "~").replace(/^~/, "")));
  if (!real.startsWith(HOME) || !existsSync(real)) throw new Refusal(404, "unknown_path", "There is nothing at this place.");
  return real;
}

function listing(path) {
  return readdirSync(inHome(path), { withFileTypes: true }).map((each) => {
    const stat = statSync(join(inHome(path), each.name));
    return { name: each.name, kind: each.isDirectory() ? "folder" : "file", size: stat.size, changed_at: stat.mtime.toISOString() };
  });
}

function matched(method, path) {
  for (const [wanted, pattern, handler] of routes) {
    const names = [];
    const form = new RegExp(`^${pattern.replace(/:(\w+)/g, (_, name) => (names.push(name), "([^/]+)"))}$`);
    const match = wanted === method && form.exec(path);
    if (match) return { handler, pattern, params: Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1])])) };
  }
  return undefined;
}

async function api(request, response, url) {
  const path = url.pathname.slice("/api/v1".length);
  const session = currentSession(request);
  const doors = ["/setup", "/sessions"].includes(path);
  if (!doors && !session) throw new Refusal(401, "signed_out", "Sign in first.");
  if (!doors && locked && !path.startsWith("/session")) throw new Refusal(423, "vault_locked", "The vault is locked.");
  if (request.method !== "GET" && !doors && request.headers["x-riad-csrf"] !== session.csrf) throw new Refusal(403, "csrf_wrong", "The request does not come from this session.");
  if (path === "/files/content") return content(response, url);
  const route = matched(request.method, path);
  if (!route) throw new Refusal(404, "unknown_route", "There is nothing here.");
  const text = await bodyOf(request);
  const key = request.headers["idempotency-key"];
  if (request.method === "POST" && !key && !/\/usage$/.test(url.pathname)) throw new Refusal(422, "key_missing", "Idempotency-Key is missing.");
  const remembered = key && !path.startsWith("/session") ? state.keys[key] : undefined;
  if (remembered) {
    if (remembered.body !== digest(path + text)) throw new Refusal(422, "key_reused", "This key was used for something else.");
    return answer(response, remembered.status, remembered.value);
  }
  const [status, value] = route.handler({ request, response, params: route.params, query: url.searchParams, body: text === "" ? {} : JSON.parse(text), key, session });
  if (key && !path.startsWith("/session")) state.keys[key] = { body: digest(path + text), status, value };
  answer(response, status, value);
}

function content(response, url) {
  const real = inHome(url.searchParams.get("path"));
  const type = /\.(md|txt|json|rs|ts|csv|py|toml)$/.test(real) ? "text/plain; charset=utf-8" : "application/octet-stream";
  const bytes = readFileSync(real);
  response.writeHead(200, { "content-type": type, "content-length": bytes.length, "cache-control": "no-store" });
  response.end(bytes);
}

const digest = (text) => createHash("sha256").update(text).digest("hex");

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function answer(response, status, value) {
  if (value === undefined) return response.writeHead(status).end();
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(value));
}

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml" };

function file(response, path) {
  const wanted = extname(path) === "" ? "/index.html" : path;
  const real = normalize(join(DIST, wanted));
  if (!real.startsWith(DIST) || !existsSync(real)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[extname(real)] ?? "application/octet-stream", "content-security-policy": CSP, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
  response.end(readFileSync(real));
}

function trouble(response, url) {
  switch (url.pathname) {
    case "/mock/cut":
      for (const socket of sockets) socket.terminate();
      break;
    case "/mock/down":
      downUntil = Date.now() + Number(url.searchParams.get("ms") ?? 5000);
      for (const socket of sockets) socket.terminate();
      break;
    case "/mock/expire":
      sessions.clear();
      for (const socket of sockets) socket.terminate();
      break;
    case "/mock/lock":
      locked = true;
      for (const socket of sockets) socket.terminate();
      break;
    default:
      return answer(response, 404, {});
  }
  return answer(response, 200, {});
}

const server = createServer((request, response) => {
  const url = new URL(request.url, "http://mock");
  if (url.pathname.startsWith("/mock/")) return trouble(response, url);
  if (downUntil > Date.now()) return request.socket.destroy();
  if (!url.pathname.startsWith("/api/")) return file(response, url.pathname);
  api(request, response, url).catch((fault) => {
    if (!(fault instanceof Refusal)) console.error(fault);
    const refusal = fault instanceof Refusal ? fault : new Refusal(500, "internal", "Something went wrong in the stand-in.");
    response.writeHead(refusal.status, { "content-type": "application/problem+json", ...(refusal.body.retry_after ? { "retry-after": refusal.body.retry_after } : {}) });
    response.end(JSON.stringify(refusal.body));
  });
});

// --- The stream -----------------------------------------------------------------------------------------------------

const streams = new WebSocketServer({ noServer: true, handleProtocols: () => "riad.v1" });

server.on("upgrade", (request, socket, head) => {
  if (downUntil > Date.now()) return socket.destroy();
  if (!currentSession(request)) return socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
  streams.handleUpgrade(request, socket, head, (stream) => {
    stream.riad = { open: false, watch: new Set() };
    sockets.add(stream);
    stream.on("close", () => sockets.delete(stream));
    stream.on("message", (data) => heard(stream, JSON.parse(String(data))));
  });
});

function say(socket, frame) {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}

function heard(socket, message) {
  if (message.open) return begin(socket, message.open);
  if (message.watch) {
    const before = socket.riad.watch;
    socket.riad.watch = new Set(message.watch);
    for (const each of message.watch) if (!before.has(each)) snapshots(socket, each);
  }
  if (message.snapshot) for (const turn of running.values()) if (turn.reply?.id === message.snapshot.reply_id) snapshot(socket, turn);
}

function begin(socket, { epoch, seq, watch }) {
  socket.riad = { open: true, watch: new Set(watch) };
  if (epoch !== state.epoch || seq > state.seq) {
    say(socket, { kind: "reset", epoch: state.epoch, seq: state.seq });
  } else {
    const missed = Object.values(state.entries).flat().filter((each) => each.seq > seq).sort((a, b) => a.seq - b.seq);
    for (const entry of missed) {
      const { conversation, number, kind, at } = entry;
      say(socket, { kind: "entry", seq: entry.seq, entry: watch.includes(conversation) ? entry : { header: { conversation, number, kind, at } } });
    }
  }
  for (const each of watch) snapshots(socket, each);
  say(socket, { kind: "live", epoch: state.epoch, seq: state.seq });
}

function snapshots(socket, conversation) {
  const turn = running.get(conversation);
  if (turn?.reply) snapshot(socket, turn);
}

function snapshot(socket, { conversation, reply }) {
  say(socket, { kind: "snapshot", conversation, reply_id: reply.id, text: reply.text, reasoning: reply.reasoning });
}

setInterval(() => sockets.forEach((socket) => say(socket, { kind: "ping" })), 15_000).unref();

server.listen(PORT, "127.0.0.1", () => {
  console.log(`address http://127.0.0.1:${server.address().port}`);
  if (!state.person) console.log(`setup token ${setupToken}`);
});
