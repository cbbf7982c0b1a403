import { describe, expect, test } from "vitest";
import { Choices, isFarther, withComing } from "../../src/app/choices.ts";
import { Problem } from "../../src/api.ts";
import { lineOf } from "../../src/parts/fault.ts";
import { addressOf, routeOf } from "../../src/app/router.ts";
import type { Choice, ModelInfo } from "../../src/wire.ts";

const USUAL: Choice = {
  holds: { model: "near", model_tier: "device", fallbacks: [], profile: "riad/assistant", profile_title: "assistant", tier: "device", most: "any" },
};
const FAR = { name: "far/huge", tier: "any", window: 1, state: "ready", usual: false, resting: false } satisfies ModelInfo;
const model = (name: string) => (name === FAR.name ? FAR : undefined);

describe("who answers where", () => {
  test("what is chosen before the first message stands at once and is sent once", async () => {
    const choices = new Choices({ get: async <T>() => USUAL as T, json: async <T>() => USUAL as T }, () => {}, model);
    await choices.load(undefined);
    expect(choices.of(undefined)?.holds.model).toBe("near");
    await choices.choose(undefined, { model: "far/huge", tier: "any" });
    expect(choices.of(undefined)).toMatchObject({ model: "far/huge", tier: "any", holds: { model: "far/huge", model_tier: "any", tier: "any" } });
    expect(choices.take()).toEqual({ model: "far/huge", tier: "any" });
    expect(choices.take()).toBeUndefined();
    expect(choices.of(undefined)?.holds.model).toBe("near");
  });

  test("a choice that is taken back is as usual again", () => {
    expect(withComing({ ...USUAL, tier: "any" }, { model: "", profile: "" }, model)).toMatchObject({ model: undefined, profile: undefined, tier: "any", holds: { model: "near" } });
    expect(withComing(USUAL, { profile: "me/helper" }, model).holds.profile_title).toBe("helper");
  });

  test("a refusal says why, and what stood stays", async () => {
    const refuse = async () => {
      throw new Problem(422, { detail: "It stays here." });
    };
    const choices = new Choices({ get: async <T>() => USUAL as T, json: refuse }, () => {}, model);
    await choices.load("c1");
    expect(await choices.choose("c1", { model: "far/huge" })).toBe("It stays here.");
    expect(choices.of("c1")).toEqual(USUAL);
  });

  test("places have an order", () => {
    expect([isFarther("any", "device"), isFarther("trusted", "trusted"), isFarther("device", "any")]).toEqual([true, false, false]);
  });
});

test("a slip names its line, and other words name none", () => {
  expect(lineOf("line 12, column 3: there is no field `tols`")).toBe(12);
  expect(lineOf("It has changed on line 3.")).toBeUndefined();
});

test("each profile and command has an address that can be loaded anew", () => {
  for (const route of [{ page: "agents", what: "agents" }, { page: "agents", what: "agents", open: "me/helper" }, { page: "agents", what: "commands", open: "riad/recap" }] as const) {
    expect(routeOf({ pathname: addressOf(route), search: "" })).toEqual(route);
  }
  expect(routeOf({ pathname: "/agents/me/a/b", search: "" })).toEqual({ page: "missing" });
});
