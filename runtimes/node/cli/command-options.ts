/** Options that several commands have. */
import { type OptionRow, wholeNumber } from "./command-line.ts";

/** Source: groups 6 */
export const HIGHEST_GROUP = 32_767;

/** One line for machines. */
export const JSON_LINE: OptionRow = {
  flags: "--json",
  en: "print one line of JSON",
  zh: "输出一行 JSON",
};

/** Which group; the first when absent. */
export const GROUP: OptionRow = {
  flags: "--group <id>",
  kind: wholeNumber(1, HIGHEST_GROUP),
  fallback: 1,
  en: "group",
  zh: "群组",
};
