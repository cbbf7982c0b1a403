// The texts of the interface: one catalogue file for each language, English beneath all of them. What the server says
// comes in the person's language from there.

import english from "./locales/en.json";

export type TextKey = keyof typeof english;
type Catalogue = Readonly<Partial<Record<TextKey, string>>>;

/** The languages there are; each is one file. */
export const LANGUAGES: readonly { tag: string; name: string }[] = [{ tag: "en", name: "English" }];

const catalogues: Readonly<Record<string, Catalogue>> = { en: english };
let chosen: Catalogue = english;
let tag = "en";

export function chooseLanguage(wanted: string): void {
  tag = Object.hasOwn(catalogues, wanted) ? wanted : "en";
  chosen = catalogues[tag] ?? english;
  document.documentElement.lang = tag;
}

export function language(): string {
  return tag;
}

/** The text of a key with `{name}` replaced. With `n`, the key with `.one` is taken where the language says one. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const one = `${key}.one` as TextKey;
  const singular = typeof values.n === "number" && one in english && new Intl.PluralRules(tag).select(values.n) === "one";
  const pattern = textOf(singular ? one : key);
  return pattern.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? value.toLocaleString(tag) : value;
  });
}

/** Words of the server that are newer than this catalogue stand as they are. */
function textOf(key: TextKey): string {
  return chosen[key] ?? english[key] ?? key.replace(/^.*\./, "");
}
