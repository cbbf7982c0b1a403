// Draws what read.ts found. Every element here is written out: nothing of a text is ever taken as markup, and nothing
// is fetched because of it.

import { html, nothing, type TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { ifDefined } from "lit/directives/if-defined.js";
import { icon } from "../icons.ts";
import { t } from "../text.ts";
import { placeOf, readMarkdown, type Align, type Block, type Inline, type ListItem } from "./read.ts";

export function drawMarkdown(text: string): unknown {
  return guard([text], () => {
    const blocks = readMarkdown(text);
    const highest = Math.min(...blocks.map((block) => (block.is === "heading" ? block.level : 6)));
    return html`<div class="prose">${blocks.map((block) => (block.is === "heading" ? heading(block.level - highest, block.inner) : drawBlock(block)))}</div>`;
  });
}

function drawBlock(block: Block): TemplateResult {
  switch (block.is) {
    case "paragraph":
      return html`<p>${block.inner.map(inline)}</p>`;
    case "plain":
      return html`${block.inner.map(inline)}`;
    case "heading":
      return heading(block.level, block.inner);
    case "code":
      return code(block.language, block.text);
    case "quote":
      return html`<blockquote>${block.blocks.map(drawBlock)}</blockquote>`;
    case "list":
      return block.ordered
        ? html`<ol start=${block.start}>${block.items.map(item)}</ol>`
        : html`<ul>${block.items.map(item)}</ul>`;
    case "table":
      return table(block.align, block.head, block.rows);
    case "rule":
      return html`<hr />`;
    case "raw":
      return html`<pre class="raw">${block.text}</pre>`;
  }
}

/** Headings of an answer stand below those of the page: its highest is the third, the others follow by their depth. */
function heading(depth: number, inner: Inline[]): TemplateResult {
  const parts = inner.map(inline);
  if (depth <= 0) return html`<h3>${parts}</h3>`;
  if (depth === 1) return html`<h4>${parts}</h4>`;
  return depth === 2 ? html`<h5>${parts}</h5>` : html`<h6>${parts}</h6>`;
}

function code(language: string, text: string): TemplateResult {
  return html`<figure class="code">
    <figcaption><span>${language || t("code.plain")}</span>${copyButton(text)}</figcaption>
    <pre tabindex="0"><code>${text}</code></pre>
  </figure>`;
}

export function copyButton(text: string): TemplateResult {
  return html`<button type="button" class="quiet small copy" @click=${(event: Event) => void copy(event, text)}>
    ${icon("copy", 16)}<span>${t("code.copy")}</span>
  </button>`;
}

async function copy(event: Event, text: string): Promise<void> {
  const label = (event.currentTarget as HTMLElement).querySelector("span");
  if (!label) return;
  try {
    await navigator.clipboard.writeText(text);
    label.textContent = t("code.copied");
  } catch {
    label.textContent = t("code.copy_failed");
  }
  setTimeout(() => (label.textContent = t("code.copy")), 1_600);
}

function item(item: ListItem): TemplateResult {
  if (item.checked === undefined) return html`<li>${item.blocks.map(drawBlock)}</li>`;
  return html`<li class="task">
    <input type="checkbox" disabled .checked=${item.checked} aria-label=${item.checked ? t("task.done") : t("task.open")} />
    <div>${item.blocks.map(drawBlock)}</div>
  </li>`;
}

function table(align: Align[], head: Inline[][], rows: Inline[][][]): TemplateResult {
  const side = (at: number) => ifDefined(align[at] === undefined ? undefined : `to-${align[at]}`);
  return html`<div class="table" tabindex="0" role="region" aria-label=${t("table.label")}>
    <table>
      <thead><tr>${head.map((cell, at) => html`<th scope="col" class=${side(at)}>${cell.map(inline)}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td class=${side(at)}>${cell.map(inline)}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`;
}

function inline(part: Inline): TemplateResult {
  switch (part.is) {
    case "text":
      return html`${part.text}`;
    case "code":
      return html`<code>${part.text}</code>`;
    case "strong":
      return html`<strong>${part.inner.map(inline)}</strong>`;
    case "emphasis":
      return html`<em>${part.inner.map(inline)}</em>`;
    case "struck":
      return html`<s>${part.inner.map(inline)}</s>`;
    case "break":
      return html`<br />`;
    case "link":
      return link(part);
  }
}

/** A link says where it leads when its text does not. */
function link(part: Extract<Inline, { is: "link" }>): TemplateResult {
  const place = placeOf(part.href);
  const says = part.inner.map(plain).join("").toLowerCase().includes(place.toLowerCase());
  return html`<a href=${part.href} target="_blank" rel="noopener noreferrer" title=${ifDefined(part.title)}
    >${part.image ? html`${t("link.image")} ` : nothing}${part.inner.map(inline)}</a
  >${says ? nothing : html`<span class="link-place"> (${place})</span>`}`;
}

function plain(part: Inline): string {
  if (part.is === "text" || part.is === "code") return part.text;
  return part.is === "break" ? "" : part.inner.map(plain).join("");
}
