/** The signal file of `chain-node confirm`: its name and its words. Source: decision 25 */

/** The file that a node looks for. */
export const CONFIRM_FILE = "config.ini.confirm_only_copy";
/** What it says for all groups. */
const ALL_GROUPS = "all";

/** What the file says. */
export function confirmText(group: number | undefined): string {
  return `${group ?? ALL_GROUPS}\n`;
}

/** Which groups a file means; undefined: all. A file that says nothing means none. */
export function confirmedGroups(text: string): readonly number[] | undefined {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.includes(ALL_GROUPS)) return undefined;
  return words.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
}
