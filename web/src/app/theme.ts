// The choice between light, dark and what the system says. theme.js applies it before the page is drawn; this keeps it.

export type Theme = "system" | "light" | "dark";

const KEY = "riad.theme";
const system = () => matchMedia("(prefers-color-scheme: dark)");

export function chosenTheme(): Theme {
  const kept = read();
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice holds for this page.
  }
  apply(theme);
}

export function followSystem(): void {
  system().addEventListener("change", () => {
    if (chosenTheme() === "system") apply("system");
  });
}

function apply(theme: Theme): void {
  const dark = theme === "dark" || (theme === "system" && system().matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
