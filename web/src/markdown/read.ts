// Markdown to a small tree of known kinds: the allow-list. Whatever is not in it (raw HTML first of all) becomes text.
// Drawing is in draw.ts; no markup text is ever made here.

import { Lexer, type Token, type Tokens } from "marked";
import { decodeEntities } from "./entities.ts";

export type Inline =
  | { is: "text"; text: string }
  | { is: "code"; text: string }
  | { is: "strong" | "emphasis" | "struck"; inner: Inline[] }
  | { is: "link"; href: string; title?: string; inner: Inline[]; image?: boolean }
  | { is: "break" };

export interface ListItem {
  readonly checked?: boolean;
  readonly blocks: Block[];
}

export type Align = "left" | "center" | "right" | undefined;

export type Block =
  | { is: "paragraph"; inner: Inline[] }
  | { is: "plain"; inner: Inline[] }
  | { is: "heading"; level: number; inner: Inline[] }
  | { is: "code"; language: string; text: string }
  | { is: "quote"; blocks: Block[] }
  | { is: "list"; ordered: boolean; start: number; items: ListItem[] }
  | { is: "table"; align: Align[]; head: Inline[][]; rows: Inline[][][] }
  | { is: "rule" }
  | { is: "raw"; text: string };

export function readMarkdown(text: string): Block[] {
  return blocks(new Lexer({ gfm: true }).lex(text));
}

function blocks(tokens: readonly Token[] | undefined): Block[] {
  return (tokens ?? []).flatMap(block);
}

function block(token: Token): Block[] {
  switch (token.type) {
    case "paragraph":
      return [{ is: "paragraph", inner: inlines(token.tokens) }];
    case "heading":
      return [{ is: "heading", level: (token as Tokens.Heading).depth, inner: inlines(token.tokens) }];
    case "code":
      return [{ is: "code", language: language((token as Tokens.Code).lang), text: (token as Tokens.Code).text }];
    case "blockquote":
      return [{ is: "quote", blocks: blocks(token.tokens) }];
    case "list":
      return [list(token as Tokens.List)];
    case "table":
      return [table(token as Tokens.Table)];
    case "hr":
      return [{ is: "rule" }];
    case "text":
      return [{ is: "plain", inner: token.tokens ? inlines(token.tokens) : [{ is: "text", text: decodeEntities(token.raw) }] }];
    case "space":
    case "def":
    case "checkbox":
      return [];
    default:
      return token.raw.trim() === "" ? [] : [{ is: "raw", text: token.raw.replace(/\n+$/, "") }];
  }
}

function language(info: string | undefined): string {
  return /^[\w+#.-]{1,30}/.exec(info ?? "")?.[0] ?? "";
}

function list(token: Tokens.List): Block {
  const items = token.items.map((item) => ({
    ...(item.task ? { checked: item.checked === true } : {}),
    blocks: blocks(item.tokens),
  }));
  return { is: "list", ordered: token.ordered, start: Number(token.start) || 1, items };
}

function table(token: Tokens.Table): Block {
  return {
    is: "table",
    align: token.align.map((align) => align ?? undefined),
    head: token.header.map((cell) => inlines(cell.tokens)),
    rows: token.rows.map((row) => row.map((cell) => inlines(cell.tokens))),
  };
}

function inlines(tokens: readonly Token[] | undefined): Inline[] {
  return (tokens ?? []).flatMap(inline);
}

function inline(token: Token): Inline[] {
  switch (token.type) {
    case "text":
      return token.tokens ? inlines(token.tokens) : [{ is: "text", text: decodeEntities(token.raw) }];
    case "escape":
      return [{ is: "text", text: (token as Tokens.Escape).text }];
    case "codespan":
      return [{ is: "code", text: (token as Tokens.Codespan).text }];
    case "strong":
      return [{ is: "strong", inner: inlines(token.tokens) }];
    case "em":
      return [{ is: "emphasis", inner: inlines(token.tokens) }];
    case "del":
      return [{ is: "struck", inner: inlines(token.tokens) }];
    case "br":
      return [{ is: "break" }];
    case "link":
      return [link(token as Tokens.Link, inlines(token.tokens), false)];
    case "image":
      return [link(token as Tokens.Image, [{ is: "text", text: decodeEntities((token as Tokens.Image).text) }], true)];
    case "checkbox":
      return [];
    default:
      return [{ is: "text", text: token.raw }];
  }
}

function link(token: Tokens.Link | Tokens.Image, inner: Inline[], image: boolean): Inline {
  const href = safeAddress(decodeEntities(token.href));
  // An address that may not be followed stays readable, as the text it was.
  if (href === undefined) return { is: "text", text: token.raw };
  return { is: "link", href, inner, image, ...(token.title ? { title: decodeEntities(token.title) } : {}) };
}

/** Only web and mail addresses are links; everything else is text. */
export function safeAddress(href: string): string | undefined {
  let address: URL;
  try {
    address = new URL(href);
  } catch {
    return undefined;
  }
  return ["http:", "https:", "mailto:"].includes(address.protocol) ? address.href : undefined;
}

/** The place a link leads to, for people: host, or mail address. */
export function placeOf(href: string): string {
  const address = new URL(href);
  return address.protocol === "mailto:" ? address.pathname : address.host;
}
