// The rules of a password as they can be seen while typing. The server judges; this only tells early. The list of
// common passwords is the server's, so that rule shows when it answers.

export interface Rule {
  readonly key: "length" | "handle" | "varied" | "same";
  readonly met: boolean;
}

export const SHORTEST = 12;
export const LONGEST = 128;

export function passwordRules(password: string, handle: string, again: string): Rule[] {
  const length = [...password.normalize("NFC")].length;
  const lower = password.toLowerCase();
  return [
    { key: "length", met: length >= SHORTEST && length <= LONGEST },
    { key: "handle", met: length > 0 && (handle === "" || !lower.includes(handle)) },
    { key: "varied", met: length > 0 && !repeats(lower) },
    { key: "same", met: length > 0 && password === again },
  ];
}

export function handleFits(handle: string): boolean {
  return /^[a-z][a-z0-9-]{1,30}$/.test(handle);
}

/** One to three characters over and over. */
function repeats(text: string): boolean {
  const letters = [...text];
  return [1, 2, 3].some((period) => letters.every((letter, at) => at < period || letter === letters[at - period]));
}
