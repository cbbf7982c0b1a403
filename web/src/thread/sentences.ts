// Cuts a growing text into whole sentences, for those who listen: a screen reader is given a sentence once it is over,
// not every letter.

const END = /[.!?…。！？]["'”’)\]]*(?=\s)|\n+/gu;

export class Sentences {
  private said = 0;

  /** The sentences that have ended since the last call; with `over` the rest too. */
  next(text: string, over = false): string {
    const fresh = text.slice(this.said);
    let end = 0;
    for (const match of fresh.matchAll(END)) end = match.index + match[0].length;
    if (over) end = fresh.length;
    this.said += end;
    return fresh.slice(0, end).replace(/[`*_#>|]+/g, "").replace(/\s+/g, " ").trim();
  }
}
