/** The data that the report's page has in it, and how it gets there. */
import type { BenchmarkReport } from "./round-result.ts";

/** Settings of the page. Source: benchmark 1 */
export interface PageLook {
  /** Base hue of charts, degrees. */
  readonly hue: number;
  /** How further hues follow from the first. */
  readonly scheme: string;
  /** How opaque areas of charts are, 0 to 1. */
  readonly transparency: number;
  /** Significant digits of figures of monitors. */
  readonly precision: number;
}

/** What the settings are when nobody sets them. Source: benchmark 1 */
export const DEFAULT_LOOK: PageLook = {
  hue: 21,
  scheme: "triade",
  transparency: 0.6,
  precision: 3,
};

/** What the page reads. */
export interface PageData {
  readonly report: BenchmarkReport;
  readonly look: PageLook;
}

/** Id of the element that holds the data. */
export const DATA_ID = "report-data";
/** What stands in the template where the data goes: JSON as the data is. */
export const DATA_MARK = '"REPORT-DATA"';
/** What stands there for the title. */
const TITLE_MARK = "REPORT-TITLE";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** The template with the data in it: nothing in the data can end its element. */
export function fillPage(template: string, data: PageData): string {
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  const title = data.report.name.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
  // Functions, because a text would have `$&` mean something.
  return template.replace(TITLE_MARK, () => title).replace(DATA_MARK, () => json);
}
