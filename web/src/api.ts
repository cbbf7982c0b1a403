// Calls of the HTTP interface. An answer that is no success becomes a `Problem` with the server's own sentence; what
// follows from one (sign in again, unlock) is decided by the caller's listener.

import type { ProblemBody } from "./wire.ts";

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly body: Partial<ProblemBody>,
  ) {
    super(body.detail ?? body.title ?? `HTTP ${status}`);
  }

  get code(): string {
    return this.body.code ?? "";
  }

  /** What happened and the next step, as the server says it. */
  get sentence(): string {
    return [this.message, this.body.next_step].filter(Boolean).join(" ");
  }
}

/** No answer came: the network or the server is away. */
export class Unreachable extends Error {}

export interface Call {
  body?: unknown;
  key?: string;
  etag?: string;
  /** A problem of this call says nothing about the session: the form that made it shows it. */
  quiet?: boolean;
}

export class Api {
  csrf = "";
  /** Asks for the session anew, when another tab has changed it. */
  renew: () => Promise<void> = async () => {};
  /** Called with a problem before it is thrown, except for quiet calls. */
  onProblem: (problem: Problem) => void = () => {};

  get<T>(path: string): Promise<T> {
    return this.json<T>("GET", path, {});
  }

  async json<T>(method: string, path: string, call: Call): Promise<T> {
    const response = await this.send(method, path, call);
    if (response.status === 204) return undefined as T;
    return (await response.json()) as T;
  }

  /** The same with the strong ETag of the resource. */
  async tagged<T>(path: string): Promise<{ value: T; etag: string }> {
    const response = await this.send("GET", path, {});
    return { value: (await response.json()) as T, etag: response.headers.get("etag") ?? "" };
  }

  async send(method: string, path: string, call: Call): Promise<Response> {
    try {
      return await this.once(method, path, call);
    } catch (fault) {
      if (!(fault instanceof Problem) || fault.code !== "csrf_wrong") throw fault;
      await this.renew();
      return this.once(method, path, call);
    }
  }

  private async once(method: string, path: string, call: Call): Promise<Response> {
    const headers: Record<string, string> = { accept: "application/json" };
    if (method !== "GET") {
      headers["x-riad-csrf"] = this.csrf;
      headers["content-type"] = "application/json";
    }
    if (call.key !== undefined) headers["idempotency-key"] = call.key;
    if (call.etag !== undefined) headers["if-match"] = call.etag;
    let response: Response;
    try {
      response = await fetch(`/api/v1${path}`, {
        method,
        headers,
        credentials: "same-origin",
        cache: "no-store",
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
    } catch {
      throw new Unreachable("The server cannot be reached.");
    }
    if (response.ok) return response;
    const problem = new Problem(response.status, await problemOf(response));
    if (!call.quiet) this.onProblem(problem);
    throw problem;
  }
}

async function problemOf(response: Response): Promise<Partial<ProblemBody>> {
  const retry = Number(response.headers.get("retry-after"));
  const after = Number.isFinite(retry) && retry > 0 ? { retry_after: retry } : {};
  try {
    return { ...after, ...((await response.json()) as Partial<ProblemBody>) };
  } catch {
    return { ...after, detail: `The server answered ${response.status}.` };
  }
}

/** A fresh key: 32 hexadecimal digits. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
