/** Light, dark, or as the system has it; kept for later visits. */

/** What can be chosen. */
export type Theme = "auto" | "light" | "dark";
/** All of them, in the order of the switch. */
export const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** Where it is kept. */
const KEPT = "chain-node.theme";

/** The theme that was chosen. */
export function theme(): Theme {
  const kept = globalThis.localStorage?.getItem(KEPT);
  return kept === "light" || kept === "dark" ? kept : "auto";
}

/** Shows the page in a theme. */
export function showTheme(wanted: Theme): void {
  const { dataset } = document.documentElement;
  if (wanted === "auto") delete dataset["theme"];
  else dataset["theme"] = wanted;
}

/** Chooses the theme for this and later visits. */
export function chooseTheme(wanted: Theme): void {
  globalThis.localStorage?.setItem(KEPT, wanted);
  showTheme(wanted);
}
