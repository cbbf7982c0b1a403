// Markdown is read into known kinds only; what is active stays text.
import { expect, test } from "vitest";
import { readMarkdown, safeAddress, type Block, type Inline } from "../../src/markdown/read.ts";

const para = (...inner: Inline[]): Block => ({ is: "paragraph", inner });
const text = (value: string): Inline => ({ is: "text", text: value });

test("raw HTML is text, in blocks and in lines", () => {
  expect(readMarkdown("<img src=x onerror=alert(1)>")).toEqual([{ is: "raw", text: "<img src=x onerror=alert(1)>" }]);
  expect(readMarkdown("a <b>b</b>")).toEqual([para(text("a "), text("<b>"), text("b"), text("</b>"))]);
});

test("only web and mail addresses are links", () => {
  expect(readMarkdown("[x](javascript:alert(1))")).toEqual([para(text("[x](javascript:alert(1))"))]);
  expect(readMarkdown("[x](/local)")).toEqual([para(text("[x](/local)"))]);
  for (const bad of ["javascript:1", " javascript:1", "JAVASCRIPT:1", "data:text/html,x", "file:///etc", "vbscript:x", "blob:x", "//host"]) {
    expect(safeAddress(bad), bad).toBeUndefined();
  }
  expect(safeAddress("HTTPS://Example.org/a")).toBe("https://example.org/a");
});

test("an image is a link and never an image", () => {
  expect(readMarkdown("![a cat](https://h.example/c.png)")).toEqual([
    para({ is: "link", href: "https://h.example/c.png", inner: [text("a cat")], image: true }),
  ]);
});

test("named characters are decoded once, and only outside code", () => {
  expect(readMarkdown("&lt;b&gt; &amp;lt; `&lt;`")).toEqual([para(text("<b> &lt; "), { is: "code", text: "&lt;" })]);
});

test("lists, tables and code keep their form", () => {
  expect(readMarkdown("3. a\n4. [x] b")).toMatchObject([{ is: "list", ordered: true, start: 3, items: [{}, { checked: true }] }]);
  expect(readMarkdown("|a|b|\n|:-:|-|\n|1|2|")).toMatchObject([{ is: "table", align: ["center", undefined], rows: [[[text("1")], [text("2")]]] }]);
  expect(readMarkdown("```rs\nfn x() {}\n")).toEqual([{ is: "code", language: "rs", text: "fn x() {}" }]);
});
