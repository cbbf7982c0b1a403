// The icons, drawn by hand for Riad on a grid of 24: thin lines, round ends, in the colour of the text beside them.

import { html, svg, type TemplateResult } from "lit";

const SHAPES = {
  chat: svg`<path d="M5 18.5V7.5A2.5 2.5 0 0 1 7.5 5h9A2.5 2.5 0 0 1 19 7.5v6a2.5 2.5 0 0 1-2.5 2.5H8.5z"/>`,
  inbox: svg`<path d="M4.5 13.5 7 6h10l2.5 7.5V18a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1z"/><path d="M4.5 13.5H9a3 3 0 0 0 6 0h4.5"/>`,
  files: svg`<path d="M4 18V7a1.5 1.5 0 0 1 1.5-1.5h4L12 8h6.5A1.5 1.5 0 0 1 20 9.5V18a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1z"/>`,
  file: svg`<path d="M7 4.5h6.5L18 9v9.5a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1z"/><path d="M13.5 4.5V9H18"/>`,
  plus: svg`<path d="M12 5.5v13M5.5 12h13"/>`,
  menu: svg`<path d="M5 7.5h14M5 12h14M5 16.5h14"/>`,
  more: svg`<path d="M6 12h.01M12 12h.01M18 12h.01"/>`,
  close: svg`<path d="m6.5 6.5 11 11M17.5 6.5l-11 11"/>`,
  send: svg`<path d="M12 19V5.5M6 11l6-6 6 6"/>`,
  stop: svg`<rect x="7" y="7" width="10" height="10" rx="1.5" fill="currentColor"/>`,
  up: svg`<path d="M12 19V5.5M6 11l6-6 6 6"/>`,
  down: svg`<path d="M12 5v13.5M6 13l6 6 6-6"/>`,
  chevron: svg`<path d="m9 6 6 6-6 6"/>`,
  back: svg`<path d="m14.5 6-6 6 6 6"/>`,
  check: svg`<path d="m5.5 12.5 4.5 4.5 8.5-10"/>`,
  cross: svg`<path d="m7.5 7.5 9 9M16.5 7.5l-9 9"/>`,
  clock: svg`<circle cx="12" cy="12" r="7.5"/><path d="M12 8v4.2l2.8 1.8"/>`,
  read: svg`<path d="M3.5 12S6.5 6.5 12 6.5 20.5 12 20.5 12 17.5 17.5 12 17.5 3.5 12 3.5 12z"/><circle cx="12" cy="12" r="2.5"/>`,
  create: svg`<path d="M7 4.5h6.5L18 9v9.5a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1z"/><path d="M12 10.5v5M9.5 13h5"/>`,
  modify: svg`<path d="m5 19 .8-3.8L15.9 5.1a1.4 1.4 0 0 1 2 0l1 1a1.4 1.4 0 0 1 0 2L8.8 18.2z"/><path d="m14 7 3 3"/>`,
  delete: svg`<path d="M5.5 7.5h13M9.5 7.5V5h5v2.5M7 7.5l.8 11.5h8.4L17 7.5"/>`,
  outgoing: svg`<path d="M20 4.5 4 10.5l6.5 3 3 6.5z"/><path d="m10.5 13.5 4-4"/>`,
  spend: svg`<circle cx="12" cy="12" r="7.5"/><path d="M14.5 9.5c-.6-.8-1.5-1-2.5-1-1.3 0-2.4.6-2.4 1.7 0 2.4 5 1.2 5 3.6 0 1.1-1.1 1.7-2.6 1.7-1.1 0-2-.3-2.6-1.1M12 7v10"/>`,
  execute: svg`<rect x="3.5" y="5" width="17" height="14" rx="1.5"/><path d="m7 9.5 2.5 2.5L7 14.5M12 15h4.5"/>`,
  question: svg`<circle cx="12" cy="12" r="7.5"/><path d="M9.8 10a2.3 2.3 0 1 1 3.2 2.1c-.7.3-1 .8-1 1.6M12 16.2h.01"/>`,
  lock: svg`<rect x="6" y="11" width="12" height="8.5" rx="1.5"/><path d="M8.5 11V8.5a3.5 3.5 0 0 1 7 0V11"/>`,
  out: svg`<path d="M10 5H6a1 1 0 0 0-1 1v12a1 1 0 0 0 1 1h4M10 12h9.5M16 8.5l3.5 3.5-3.5 3.5"/>`,
  sun: svg`<circle cx="12" cy="12" r="3.5"/><path d="M12 4v1.5M12 18.5V20M4 12h1.5M18.5 12H20M6.3 6.3l1.1 1.1M16.6 16.6l1.1 1.1M6.3 17.7l1.1-1.1M16.6 7.4l1.1-1.1"/>`,
  moon: svg`<path d="M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5z"/>`,
  screen: svg`<rect x="4" y="5.5" width="16" height="10.5" rx="1.5"/><path d="M9.5 19.5h5M12 16v3.5"/>`,
  archive: svg`<path d="M4.5 9h15v9.5a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1zM3.5 5h17v4h-17zM10 12.5h4"/>`,
  branch: svg`<circle cx="7" cy="6.5" r="2"/><circle cx="7" cy="17.5" r="2"/><circle cx="17" cy="8.5" r="2"/><path d="M7 8.5v7M17 10.5c0 4-10 1.5-10 5"/>`,
  fold: svg`<path d="M5 12h14M12 4v5M9.5 6.5 12 9l2.5-2.5M12 20v-5M9.5 17.5 12 15l2.5 2.5"/>`,
  take: svg`<path d="M12 4.5v10M7.5 10.5 12 15l4.5-4.5M5 19.5h14"/>`,
  copy: svg`<rect x="8.5" y="8.5" width="10.5" height="10.5" rx="1.5"/><path d="M15.5 8.5V6A1 1 0 0 0 14.5 5H6a1 1 0 0 0-1 1v8.5a1 1 0 0 0 1 1h2.5"/>`,
  agent: svg`<circle cx="12" cy="8.5" r="3.5"/><path d="M5.5 19.5c.6-3.6 3.2-5.5 6.5-5.5s5.9 1.9 6.5 5.5"/>`,
  slash: svg`<rect x="4.5" y="4.5" width="15" height="15" rx="2.5"/><path d="m10 16 4-8"/>`,
  star: svg`<path d="m12 4.5 2.2 5.3 5.3 2.2-5.3 2.2L12 19.5l-2.2-5.3L4.5 12l5.3-2.2z"/>`,
  gauge: svg`<path d="M4.5 16.5a7.5 7.5 0 1 1 15 0M12 16.5l3.5-5"/>`,
  again: svg`<path d="M18.5 12a6.5 6.5 0 1 1-2-4.7M18.5 5v3.5H15"/>`,
  cloud: svg`<path d="M7.5 18a3.5 3.5 0 0 1-.4-7 5 5 0 0 1 9.7-.6A3.8 3.8 0 0 1 16.5 18z"/>`,
  device: svg`<rect x="5" y="4.5" width="14" height="15" rx="2"/><path d="M9 15.5h6M9 8.5h6v3.5H9z"/>`,
  link: svg`<path d="M13.5 5.5h5v5M18.5 5.5l-8 8M15.5 13.5v4a1 1 0 0 1-1 1h-8a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1h4"/>`,
  warn: svg`<path d="M12 4.5 20.5 19h-17zM12 10v4.5M12 16.7h.01"/>`,
  people: svg`<circle cx="12" cy="8.5" r="3.5"/><path d="M5 19.5a7 7 0 0 1 14 0"/>`,
  search: svg`<circle cx="11" cy="11" r="5.5"/><path d="m15.5 15.5 4 4"/>`,
  home: svg`<path d="M5 10.5 12 5l7 5.5V19h-4.5v-4a2.5 2.5 0 0 0-5 0v4H5z"/>`,
} as const;

export type IconName = keyof typeof SHAPES;

export function icon(name: IconName, size = 20): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" width=${size} height=${size} aria-hidden="true" focusable="false">${SHAPES[name]}</svg>`;
}

/** The mark of Riad: two squares laid over each other make the star of eight, with the court open in its middle. */
export function star(size = 28, name = ""): TemplateResult {
  return html`<svg class="star ${name}" viewBox="0 0 32 32" width=${size} height=${size} aria-hidden="true" focusable="false">
    <g class="star-turn">
      <rect x="6.5" y="6.5" width="19" height="19" rx="1.2" />
      <rect x="6.5" y="6.5" width="19" height="19" rx="1.2" transform="rotate(45 16 16)" />
    </g>
    <circle class="star-court" cx="16" cy="16" r="3.6" />
  </svg>`;
}
