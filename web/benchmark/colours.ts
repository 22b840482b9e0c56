/** The colours of charts as the settings want them. Source: benchmark 1 (`report-charting-*`) */
import type { PageLook } from "../../runtimes/shared/benchmark/report-page.ts";

/** Colours of a chart; more names take them again. */
const COUNT = 6;

/** Turns of the hue, degrees, by the names of schemes that the reference knows. */
const SCHEMES: Readonly<Record<string, readonly number[]>> = {
  mono: [0],
  contrast: [0, 180],
  triade: [0, 120, 240],
  tetrade: [0, 90, 180, 270],
  analogic: [0, 30, -30],
};

/** What is drawn in a colour of the page: 0 to 5, or the one of failures. */
export function inColour(colour: number | "bad"): Record<string, string> {
  return { "--c": `var(--${colour === "bad" ? colour : `chart-${colour}`})` };
}

/** Sets the names that the style sheet uses: each colour for both themes. */
export function setColours(style: CSSStyleDeclaration, look: PageLook): void {
  const turns = SCHEMES[look.scheme] ?? SCHEMES["triade"] ?? [0];
  for (let index = 0; index < COUNT; index += 1) {
    const hue = (look.hue + (turns[index % turns.length] ?? 0) + 360) % 360;
    // A second use of a hue is distinguished by its lightness.
    const use = Math.floor(index / turns.length);
    const light = `hsl(${hue} 68% ${38 - 12 * (use % 3)}%)`;
    const dark = `hsl(${hue} 75% ${66 + 11 * (use % 3)}%)`;
    style.setProperty(`--chart-${index}`, `light-dark(${light}, ${dark})`);
  }
  style.setProperty("--chart-alpha", String(Math.min(1, Math.max(0, look.transparency))));
}
