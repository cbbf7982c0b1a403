// Marks words in what is drawn, without touching it: the browser paints the ranges (`::highlight(found)`). Where it cannot,
// nothing is painted and the first place is found all the same.

const NAME = "found";

/** Marks these words below an element, and gives the first place; none if they are not drawn there. */
export function highlight(root: Element, words: readonly string[]): Range | undefined {
  const ranges = rangesOf(root, words);
  unlight();
  if (ranges.length > 0 && "highlights" in CSS) CSS.highlights.set(NAME, new Highlight(...ranges));
  return ranges[0];
}

export function unlight(): void {
  if ("highlights" in CSS) CSS.highlights.delete(NAME);
}

function rangesOf(root: Element, words: readonly string[]): Range[] {
  const wanted = [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word !== "");
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const [start, end] of placesOf(node.textContent ?? "", wanted)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Where words begin and end in a text, in order. Exported for tests. */
export function placesOf(text: string, words: readonly string[]): [number, number][] {
  const low = text.toLowerCase();
  // Some letters grow when they are made small; then the places would be those of another text.
  if (low.length !== text.length) return [];
  const places: [number, number][] = [];
  for (const word of words) {
    for (let at = low.indexOf(word); at !== -1; at = low.indexOf(word, at + word.length)) places.push([at, at + word.length]);
  }
  return places.sort(([one], [other]) => one - other);
}
