// What a fault of a text says of its place.

/** The line that a fault names. */
export function lineOf(fault: string): number | undefined {
  const found = /^line (\d+)/.exec(fault);
  return found ? Number(found[1]) : undefined;
}
