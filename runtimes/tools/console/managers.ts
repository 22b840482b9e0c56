/** Lists of accounts with the block from which on each counts. Source: console 4.7 */
import type { Outcome } from "./command.ts";
import { oneLine } from "./foreign-text.ts";
import { RULE, widthOf } from "./print.ts";

/** An account in a list of the chain. */
export interface Manager {
  readonly address: string;
  readonly enable_num: string;
}

const COLUMN_WIDTH = 45;

function centred(text: string): string {
  const before = Math.max(0, COLUMN_WIDTH - widthOf(text)) >> 1;
  return `${" ".repeat(before)}${text}`.padEnd(COLUMN_WIDTH);
}

function line(address: string, enableNum: string): string {
  return `${centred(oneLine(address))} | ${centred(oneLine(enableNum))}`.trimEnd();
}

/** A table of two columns, or that there is none. @param answer JSON of the chain */
export function managersOutcome(answer: unknown): Outcome {
  const managers = (JSON.parse(String(answer)) ?? []) as readonly Manager[];
  if (managers.length === 0) return { text: "Empty set.", data: [] };
  const rows = managers.map(({ address, enable_num }) => line(address, enable_num));
  return { text: [RULE, line("address", "enable_num"), ...rows, RULE].join("\n"), data: managers };
}
