// A scripted model behind the chat-completions interface: it streams what its script says and calls the tools that it
// says. Only for tests; it listens on this machine alone.

import { createServer } from "node:http";

/**
 * A script is a function from the messages of the request to one reply:
 * `{text?, reasoning?, calls?: [{tool, arguments}], pause?: ms between pieces, before?: ms}`.
 */
export async function startModel(script) {
  const requests = [];
  const server = createServer((request, response) => {
    if (request.method === "GET") return json(response, { object: "list", data: [{ id: "scripted", object: "model" }] });
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const asked = JSON.parse(body);
      requests.push(asked);
      void stream(response, script(asked.messages, asked) ?? { text: "I have nothing to say to that." });
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  return { base: `http://127.0.0.1:${server.address().port}/v1`, requests, close };
}

async function stream(response, { text = "", reasoning = "", calls = [], pause = 15, before = 0 }) {
  await sleep(before);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const send = async (delta, more = {}) => {
    response.write(`data: ${JSON.stringify({ id: "chat-1", object: "chat.completion.chunk", model: "scripted", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`);
    await sleep(pause);
  };
  for (const piece of pieces(reasoning)) await send({ reasoning_content: piece });
  for (const piece of pieces(text)) await send({ content: piece });
  for (const [index, call] of calls.entries()) {
    await send({ tool_calls: [{ index, id: `wire-${Date.now()}-${index}`, type: "function", function: { name: call.tool, arguments: "" } }] });
    for (const piece of pieces(JSON.stringify(call.arguments))) await send({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  await send({}, { finish_reason: calls.length > 0 ? "tool_calls" : "stop" });
  const usage = { prompt_tokens: 640, completion_tokens: 12 + text.length, total_tokens: 652 + text.length };
  response.write(`data: ${JSON.stringify({ id: "chat-1", object: "chat.completion.chunk", model: "scripted", choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

const pieces = (text) => text.match(/.{1,6}/gsu) ?? [];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function json(response, value) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** The last thing a person said, and what tools answered since. */
export function latest(messages) {
  const at = messages.findLastIndex((message) => message.role === "user");
  return { said: String(messages[at]?.content ?? ""), results: messages.slice(at + 1).filter((message) => message.role === "tool").map((message) => String(message.content)) };
}
