// Makes visible what a text could hide: control, bidi, zero-width, variation and tag characters, odd blanks and runs of
// blanks. Used wherever a person decides by what stands there. Nothing is ever cut.

export interface Piece {
  readonly text: string;
  /** plain: as it stands; mark: a hidden character, named; blanks: a run of blanks drawn as dots. */
  readonly is: "plain" | "mark" | "blanks";
}

const RUN_OF_BLANKS = 4;

/** Splits a text into pieces to draw. `keepLines` leaves line ends as they are, for texts of more than one line. */
export function pieces(text: string, keepLines = true): Piece[] {
  const found: Piece[] = [];
  let plain = "";
  const flush = () => {
    if (plain !== "") found.push({ text: plain, is: "plain" });
    plain = "";
  };
  for (const unit of units(text)) {
    if (unit.length >= RUN_OF_BLANKS && /^ +$/.test(unit)) {
      flush();
      found.push({ text: "·".repeat(unit.length), is: "blanks" });
    } else if (unit === "\n" && keepLines) {
      plain += unit;
    } else if (unit.length <= 2 && isHidden(unit.codePointAt(0) ?? 0)) {
      flush();
      found.push({ text: nameOf(unit.codePointAt(0) ?? 0), is: "mark" });
    } else {
      plain += unit;
    }
  }
  flush();
  return found;
}

/** The same as one plain text, for names, labels and addresses. */
export function visible(text: string): string {
  return pieces(text, false)
    .map((piece) => piece.text)
    .join("");
}

/** Runs of blanks, and single characters. */
function units(text: string): Iterable<string> {
  return text.match(/ +|[^ ]/gsu) ?? [];
}

function nameOf(code: number): string {
  if (code === 0x09) return "⇥";
  if (code === 0x0a) return "↵";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

const HIDDEN: readonly (readonly [number, number])[] = [
  [0x0000, 0x001f], // control
  [0x007f, 0x00a0], // delete, control, no-break space
  [0x00ad, 0x00ad], // soft hyphen
  [0x034f, 0x034f], // combining grapheme joiner
  [0x061c, 0x061c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x1680, 0x1680], // Ogham blank
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian variation
  [0x2000, 0x200f], // blanks of all widths, zero-width, direction marks
  [0x2028, 0x202f], // separators, bidi embedding
  [0x205f, 0x206f], // blank, invisible operators, bidi isolates
  [0x2800, 0x2800], // empty Braille
  [0x3000, 0x3000], // ideographic blank
  [0x3164, 0x3164], // Hangul filler
  [0xd800, 0xdfff], // lone surrogates
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // Hangul filler, half width
  [0xfff0, 0xfffb], // specials, interlinear marks
  [0x1bca0, 0x1bca3], // shorthand format
  [0x1d173, 0x1d17a], // musical format
  [0xe0000, 0xe0fff], // tags, variation selectors
];

export function isHidden(code: number): boolean {
  return HIDDEN.some(([from, to]) => code >= from && code <= to);
}
