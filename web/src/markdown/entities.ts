// Named characters of Markdown and HTML that texts of models really use. Any other name stands as it was written.

const NAMES: Readonly<Record<string, string>> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…",
  mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", bull: "•",
  middot: "·", deg: "°", plusmn: "±", times: "×", divide: "÷", frac12: "½", frac14: "¼", frac34: "¾", euro: "€",
  pound: "£", yen: "¥", cent: "¢", sect: "§", para: "¶", micro: "µ", larr: "←", rarr: "→", uarr: "↑", darr: "↓",
  harr: "↔", ne: "≠", le: "≤", ge: "≥", asymp: "≈", infin: "∞", sum: "∑", radic: "√", check: "✓", cross: "✗",
  auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß", eacute: "é", egrave: "è", agrave: "à",
  ccedil: "ç", ntilde: "ñ", alpha: "α", beta: "β", gamma: "γ", delta: "δ", lambda: "λ", mu: "μ", pi: "π", sigma: "σ",
  omega: "ω", Delta: "Δ", Sigma: "Σ", Omega: "Ω",
};

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(NAMES, name) ? (NAMES[name] as string) : whole;
    return fromCode(decimal === undefined ? parseInt(hex, 16) : parseInt(decimal, 10));
  });
}

function fromCode(code: number): string {
  const usable = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return usable ? String.fromCodePoint(code) : "\ufffd";
}
