// Acts survive whatever cuts them, go out in order, and each counts once.
import { describe, expect, test } from "vitest";
import { Outbox, type Act, type Kept, type Shelf } from "../../src/outbox/outbox.ts";
import { Sender, type Sent } from "../../src/outbox/sender.ts";

class Memory implements Shelf {
  private readonly kept = new Map<string, string>();
  getItem(key: string): string | null {
    return this.kept.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.kept.set(key, value);
  }
  removeItem(key: string): void {
    this.kept.delete(key);
  }
}

const say = (text: string, conversation = "c1"): Act => ({ does: "say", conversation, text });

function sender(outbox: Outbox, perform: (kept: Kept) => Promise<Sent>): Sender {
  return new Sender({ outbox, perform, changed: () => {}, wait: async () => {}, alone: (work) => work() });
}

describe("the outbox", () => {
  test("is there again after a reload", () => {
    const shelf = new Memory();
    new Outbox(shelf, "o").add("k1", say("one"), "now");
    expect(new Outbox(shelf, "o").all()).toEqual([{ key: "k1", act: say("one"), at: "now", state: "waiting" }]);
  });

  test("takes a key once", () => {
    const outbox = new Outbox(new Memory(), "o");
    outbox.add("k1", say("one"), "now");
    outbox.add("k1", say("two"), "now");
    expect(outbox.all()).toHaveLength(1);
  });

  test("a broken shelf is an empty one", () => {
    const shelf = new Memory();
    shelf.setItem("o", "{not json");
    expect(new Outbox(shelf, "o").all()).toEqual([]);
  });

  test("offers nothing past an open act of the same conversation, and what was cut while sending again", () => {
    const outbox = new Outbox(new Memory(), "o");
    outbox.add("k1", say("one"), "now");
    outbox.add("k2", say("two"), "now");
    outbox.change("k1", { state: "sending" });
    expect(outbox.next()?.key).toBe("k1");
    outbox.change("k1", { state: "failed" });
    expect(outbox.next()?.key).toBe("k2");
  });
});

describe("sending", () => {
  test("500 acts over a network that fails at random arrive each once and in order", async () => {
    const outbox = new Outbox(new Memory(), "o");
    for (let n = 0; n < 500; n += 1) outbox.add(`k${n}`, say(String(n), `c${n % 3}`), "now");
    const effects: string[] = [];
    const seen = new Set<string>();
    let chance = 7;
    const random = () => (chance = (chance * 48271) % 2147483647) / 2147483647;
    await sender(outbox, async ({ key, act }) => {
      const fate = random();
      if (fate < 0.3) return { is: "later" };
      // The server takes it, by its key once; sometimes its answer is lost on the way.
      if (!seen.has(key)) effects.push(act.does === "say" ? act.text : "");
      seen.add(key);
      return fate < 0.5 ? { is: "later" } : { is: "done" };
    }).wake();
    expect(effects).toHaveLength(500);
    for (const lane of [0, 1, 2]) {
      const mine = effects.map(Number).filter((n) => n % 3 === lane);
      expect(mine).toEqual([...mine].sort((a, b) => a - b));
    }
    expect(outbox.all().every((kept) => kept.state === "sent")).toBe(true);
  }, 30_000);

  test("what is refused stops with its reason and holds up nothing", async () => {
    const outbox = new Outbox(new Memory(), "o");
    outbox.add("k1", say("bad"), "now");
    outbox.add("k2", say("good"), "now");
    await sender(outbox, async ({ key }) => (key === "k1" ? { is: "refused", reason: "Too long." } : { is: "done" })).wake();
    expect(outbox.all().map(({ key, state, reason }) => [key, state, reason])).toEqual([
      ["k1", "failed", "Too long."],
      ["k2", "sent", undefined],
    ]);
  });

  test("a closed door holds everything until somebody comes in again", async () => {
    const outbox = new Outbox(new Memory(), "o");
    outbox.add("k1", say("one"), "now");
    let open = false;
    const all = sender(outbox, async () => (open ? { is: "done" } : { is: "blocked" }));
    await all.wake();
    expect(outbox.all()[0]?.state).toBe("waiting");
    open = true;
    await all.wake();
    expect(outbox.all()[0]?.state).toBe("sent");
  });
});
