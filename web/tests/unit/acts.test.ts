// What a refusal of the server means for an act, and the name that a first message gives.
import { describe, expect, test } from "vitest";
import { Problem, Unreachable, type Api } from "../../src/api.ts";
import { sendAct, titleFrom } from "../../src/outbox/acts.ts";
import type { Act } from "../../src/outbox/outbox.ts";

const say: Act = { does: "say", conversation: "c", text: "x" };
const answer: Act = { does: "answer", conversation: "c", item: "i", digest: "d", decision: "approve" };
const withdraw: Act = { does: "withdraw", conversation: "c", message: "m" };

function sent(act: Act, fault: Error): Promise<{ is: string }> {
  const api = { json: async () => Promise.reject(fault) } as unknown as Api;
  return sendAct({ key: "k", act, at: "", state: "sending" }, { api, start: async () => "c", turnOf: () => "t" });
}

describe("a refused act", () => {
  const CASES: [Act, Error, string][] = [
    [say, new Unreachable(), "later"],
    [say, new Problem(500, {}), "later"],
    [say, new Problem(503, { retry_after: 2 }), "later"],
    [say, new Problem(409, { code: "still_working" }), "later"],
    [answer, new Problem(409, { code: "still_working" }), "later"],
    [say, new Problem(401, {}), "blocked"],
    [answer, new Problem(423, {}), "blocked"],
    [say, new Problem(507, {}), "refused"],
    [say, new Problem(413, {}), "refused"],
    [answer, new Problem(409, { code: "digest_differs" }), "stale"],
    [answer, new Problem(404, {}), "stale"],
    [answer, new Problem(410, {}), "stale"],
    [withdraw, new Problem(409, { code: "already_read" }), "settled"],
  ];
  for (const [act, fault, wanted] of CASES) {
    const what = fault instanceof Problem ? `${fault.status} ${fault.code}` : "no answer";
    test(`${act.does}, ${what}: ${wanted}`, async () => expect((await sent(act, fault)).is).toBe(wanted));
  }
});

describe("a command", () => {
  const answered = (body: object) => {
    const api = { json: async () => body } as unknown as Api;
    return sendAct({ key: "k", act: say, at: "", state: "sending" }, { api, start: async () => "c", turnOf: () => "t" });
  };

  test("is answered at once and line by line", async () => {
    const rows = [{ name: "/stop", says: "stops" }, { name: "/new", says: "begins" }];
    expect(await answered({ command: "help", says: "Commands.", rows })).toEqual({
      is: "answered",
      reason: "Commands.\n/stop: stops\n/new: begins",
      act: say,
      anew: false,
    });
  });

  test("may ask for another conversation", async () => {
    expect(await answered({ command: "new", says: "New.", rows: [], act: "new" })).toMatchObject({ is: "answered", anew: true });
  });

  test("that is said to a model is a message", async () => {
    expect(await answered({ entry: 1, turn: "t" })).toMatchObject({ is: "done", turn: "t" });
  });
});

test("a title is the first words, whole and on one line", () => {
  expect(titleFrom(" Two\n words\u0007 ")).toBe("Two words");
  const long = titleFrom("word ".repeat(30));
  expect(long).toMatch(/^(word )+word…$/);
  expect([...long].length).toBeLessThanOrEqual(61);
});
