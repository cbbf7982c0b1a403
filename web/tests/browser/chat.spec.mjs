// What a person can do in a conversation, with whatever answers.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { PERSON, isReal, say, setUp, signIn, turnIsOver } from "./harness.mjs";
import { latest } from "./model.mjs";

const LONG = "The court is the middle of the house, and every room looks into it. ".repeat(12);
const STAND_IN_STORY =
  "The court is the middle of the house, and every room looks into it. Water runs there in summer, and in winter the sun comes in just far enough to reach the bench. ".repeat(8);
const QUESTIONS = [
  { text: "Which day should stay free?", options: ["Friday", "Saturday", "Sunday"], many: true, other: false },
  { text: "When do you like to do the long things?", options: ["In the morning", "After lunch", "In the evening"], other: true },
];
const HOSTILE = 'Look: <img src="http://192.0.2.1/x.png" onerror="alert(1)"> ![a](http://192.0.2.1/y.png) [go](javascript:alert(1)) <script>alert(2)</script> **end**';

function script(messages) {
  const { said, results } = latest(messages);
  if (/long/i.test(said)) return { text: LONG, pause: 40 };
  if (/slow/i.test(said)) return { text: "Here I am.", before: 6000 };
  if (/hostile/i.test(said)) return { text: HOSTILE };
  if (/pack/i.test(said)) {
    return results.length === 0
      ? { text: "I will write it down.", calls: [{ tool: "file_write", arguments: { path: "~/notes/weekend.md", content: "- two towels\n" } }] }
      : { text: "It is written." };
  }
  if (/week/i.test(said)) {
    return results.length === 0
      ? { text: "Before I plan the week, two things.", calls: [{ tool: "ask_person", arguments: { questions: QUESTIONS } }] }
      : { text: `Thank you: ${results[0]}` };
  }
  return { text: "I hear you." };
}

export const a_message_streams_and_is_there_after_a_reload = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Tell me something long.");
  const reply = page.locator(".reply .prose");
  await reply.waitFor();
  const early = (await reply.innerText()).length;
  await page.waitForFunction((length) => (document.querySelector(".reply .prose")?.textContent?.length ?? 0) > length + 40, early);
  assert.match(page.url(), /\/c\/(?!new)/, "the conversation has an address");
  await page.reload();
  await page.locator(".reply .prose").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator(".turn[data-state=over]").waitFor();
});

export const stop_shows_at_once_also_before_the_first_token = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Be slow, please.");
  await page.getByRole("button", { name: "Stop", exact: true }).click({ timeout: 2000 });
  const began = Date.now();
  await page.locator(".turn[data-state=over]").waitFor({ timeout: 3000 });
  assert.ok(Date.now() - began < 1500, `stopping took ${Date.now() - began} ms`);
  await page.locator(".end").getByText("You stopped this turn.").waitFor();
});

export const a_message_while_it_works_waits_and_can_be_withdrawn = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Tell me something long.");
  await page.locator(".reply").waitFor();
  await say(page, "Keep it short.");
  const waiting = page.locator(".said.waits:not(.unsent)");
  await waiting.getByText("Keep it short.").waitFor();
  await waiting.getByRole("button", { name: "Withdraw" }).click();
  await waiting.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator(".turn[data-state=over]").waitFor();
});

export const a_draft_is_kept_for_each_conversation = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Hello");
  await turnIsOver(page, 1);
  await page.getByLabel("Your message").fill("half a thought");
  await page.locator(".shell > .side").getByRole("link", { name: "New conversation" }).click();
  assert.equal(await page.getByLabel("Your message").inputValue(), "");
  await page.goBack();
  assert.equal(await page.getByLabel("Your message").inputValue(), "half a thought");
  await page.reload();
  await page.waitForFunction(() => document.querySelector("#composer-text")?.value === "half a thought");
});

export const a_session_that_ends_is_renewed_over_the_page = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Hello");
  await turnIsOver(page, 1);
  // Lists that follow the turn are read before the session goes, so that the message meets the closed door.
  await page.waitForTimeout(1000);
  await page.context().clearCookies();
  await say(page, "Are you still there?");
  await page.locator("dialog.door-over").waitFor();
  await page.locator("dialog.door-over").getByLabel("Password").fill(PERSON.password);
  await page.locator("dialog.door-over").getByRole("button", { name: "Sign in" }).click();
  await page.locator("dialog.door-over").waitFor({ state: "detached" });
  await turnIsOver(page, 2);
  assert.equal(await page.locator(".said").count(), 2, "the message that was held is sent once");
});

export const lock_and_unlock_and_sign_out = spec(script, async (page, scene) => {
  await setUp(page, scene);
  const side = page.locator(".shell > .side");
  await side.getByRole("button", { name: "Lock" }).click();
  scene.expect(403);
  await page.getByLabel("Password").fill("wrong, on purpose");
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.locator(".form-problem").waitFor();
  await page.getByLabel("Password").fill(PERSON.password);
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.locator("riad-unlock").waitFor({ state: "detached" });
  await side.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), [], "nothing stays on the device");
  await signIn(page);
});

export const a_hostile_answer_stays_text = spec(
  script,
  async (page, scene) => {
    await setUp(page, scene);
    await say(page, "Something hostile, please.");
    await turnIsOver(page, 1);
    const reply = page.locator(".reply .prose");
    assert.equal(await reply.locator("img, script, iframe").count(), 0);
    assert.match(await reply.innerText(), /<img src="http:\/\/192\.0\.2\.1\/x\.png" onerror="alert\(1\)">/);
    const links = await reply.locator("a").evaluateAll((all) => all.map((each) => [each.getAttribute("href"), each.rel]));
    assert.deepEqual(links, [["http://192.0.2.1/y.png", "noopener noreferrer"]]);
  },
  "real",
);

export const a_card_is_deaf_at_first_and_answers_once = spec(script, async (page, scene) => {
  await page.addInitScript(watchFirstCard);
  await setUp(page, scene);
  await say(page, "Write down what to pack.");
  await page.locator("riad-approval .act:enabled").waitFor();
  const card = await page.evaluate(() => window.firstCard);
  assert.equal(card.deaf, true, "a card begins deaf");
  assert.ok(card.hears - card.drawn >= 450, `it heard after ${card.hears - card.drawn} ms`);
  await page.getByRole("link", { name: /Inbox/ }).first().click();
  await page.locator("riad-inbox riad-approval").waitFor();
  await page.locator("riad-inbox").getByRole("button", { name: "No, with a note" }).click();
  await page.locator("riad-inbox textarea").fill("Not now.");
  await page.keyboard.press("Enter");
  await page.locator("riad-inbox .empty").waitFor();
  assert.equal(scene.file("notes/weekend.md"), undefined);
});

/** Notes when the first card is drawn, whether it can be pressed then, and when it can. */
function watchFirstCard() {
  const look = () => {
    const allow = document.querySelector("riad-approval .answers .act");
    const seen = window.firstCard;
    if (allow && !seen) window.firstCard = { deaf: allow.disabled, drawn: performance.now() };
    if (allow && !allow.disabled && seen && seen.hears === undefined) seen.hears = performance.now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}

export const a_stale_answer_is_not_used_and_the_card_says_so = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Write down what to pack.");
  const card = page.locator("riad-approval");
  const problem = { type: "urn:riad:problem:digest_differs", title: "Changed", status: 409, detail: "It changed.", code: "digest_differs" };
  let asked = 0;
  await page.route("**/answer", (route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(problem) }) : route.continue();
  });
  await card.getByRole("button", { name: "Allow once" }).click();
  await card.getByText("your answer was not used").waitFor();
  assert.equal(scene.file("notes/weekend.md"), undefined);
  await card.getByRole("button", { name: "Allow once" }).click();
  await turnIsOver(page, 1);
  assert.notEqual(scene.file("notes/weekend.md"), undefined);
});

export const rename_archive_and_find_again = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Hello");
  await turnIsOver(page, 1);
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("Title").fill("A better name");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "A better name" }).waitFor();
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await page.locator(".shell > .side").getByText("Your conversations will stand here.").waitFor();
  await page.goto(`${scene.address}/conversations`);
  await page.getByRole("button", { name: "Take out of the archive" }).click();
  await page.locator(".shell > .side").getByRole("link", { name: "A better name" }).waitFor();
});

export const cuts_in_the_middle_of_a_reply_lose_nothing = spec(script, async (page, scene) => {
  const streams = [];
  await page.routeWebSocket(/\/events$/, (stream) => {
    stream.connectToServer();
    streams.push(stream);
  });
  await setUp(page, scene);
  await say(page, "Tell me a long story.");
  for (let cut = 0; cut < 5; cut += 1) {
    await page.waitForTimeout(650);
    await streams.at(-1).close({ code: 1011 });
  }
  await turnIsOver(page, 1);
  assert.ok(streams.length >= 4, `the stream was opened ${streams.length} times`);
  const said = (await page.locator(".reply .prose").first().innerText()).replace(/\s+/g, " ").trim();
  assert.equal(said, (isReal ? LONG : STAND_IN_STORY).trim());
});

export const questions_are_answered_one_after_the_other = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Help me plan the coming week.");
  const card = page.locator("riad-question");
  await card.getByText("Which day should stay free?").waitFor();
  assert.equal(await card.getByRole("button", { name: "Next" }).isDisabled(), true, "nothing is chosen beforehand");
  await card.getByLabel("Friday").check();
  await card.getByLabel("Sunday").check();
  await card.getByRole("button", { name: "Next" }).click();
  await card.getByText("2 of 2").waitFor();
  await card.getByLabel("Something else").fill("Never on a Monday");
  await card.getByRole("button", { name: "Answer" }).click();
  await turnIsOver(page, 1);
  if (isReal) await page.locator(".thread").getByText(/Thank you:.*Friday, Sunday/s).waitFor();
  await page.locator(".count").first().waitFor({ state: "detached" });
});

export const what_was_written_can_be_read_on_the_files_page = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Write down what to pack.");
  await page.locator("riad-approval").getByRole("button", { name: "Allow once" }).click();
  await turnIsOver(page, 1);
  await page.locator(".shell > .side").getByRole("link", { name: "Files", exact: true }).click();
  await page.locator("riad-files").getByRole("link", { name: "notes" }).click();
  await page.locator("riad-files").getByRole("link", { name: "weekend.md" }).click();
  await page.locator("riad-files .prose").getByText("two towels").waitFor();
  await page.getByRole("button", { name: "Source" }).click();
  await page.locator("riad-files pre").getByText("- two towels").waitFor();
  await page.goBack();
  await page.locator("riad-files .rows").getByRole("link", { name: "weekend.md" }).waitFor();
});

export const on_a_phone_nothing_scrolls_sideways = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Write down what to pack.");
  await page.setViewportSize({ width: 320, height: 640 });
  for (const path of ["/inbox", "/conversations", "/files", "/c/new"]) {
    await page.goto(`${scene.address}${path}`);
    await page.locator(".page").waitFor();
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, path);
  }
});

export const offline_is_said_and_what_was_written_is_sent_later = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Hello");
  await turnIsOver(page, 1);
  await scene.kill();
  await say(page, "Written while nobody listened.");
  await page.locator(".offline").waitFor();
  await page.getByText("Kept here until the connection is back").waitFor();
  await page.reload({ timeout: 3000 }).catch(() => {});
  await scene.startServer();
  await page.goto(scene.address);
  await page.getByLabel("Password").waitFor();
  if (isReal) {
    await page.getByLabel("Password").fill(PERSON.password);
    await page.getByRole("button", { name: "Unlock" }).click();
  } else {
    await signIn(page);
  }
  await page.locator(".shell > .side .conversations a").first().click();
  await page.getByText("Written while nobody listened.").first().waitFor();
  await turnIsOver(page, 2);
  assert.equal(await page.locator(".said").count(), 2, "sent once");
});
