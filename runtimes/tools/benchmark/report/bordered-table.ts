/** Tables with borders for the terminal, as the reference draws them. Source: benchmark 2 */
import type { MonitorResult, RoundResult } from "../../../shared/benchmark/round-result.ts";
import { monitorTable, type TextTable } from "../../../shared/benchmark/monitor-table.ts";
import { resultCells, resultTitles } from "../../../shared/benchmark/result-table.ts";

/** East Asian letters are two places wide on a terminal. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;
/** Longest cell: queries and patterns would break the table. */
const MOST_LETTERS = 60;

function widthOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}

/** One line, without what would steer the terminal. */
function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, " ");
}

function cellText(text: string): string {
  const plain = plainText(text);
  return plain.length > MOST_LETTERS ? `${plain.slice(0, MOST_LETTERS - 1)}…` : plain;
}

/** The table as lines that end with a line feed. */
export function borderedTable({ titles, rows }: TextTable): string {
  const all = [titles, ...rows].map((cells) => cells.map(cellText));
  const widths = titles.map((_, i) => Math.max(...all.map((cells) => widthOf(cells[i] ?? ""))));
  const rule = `+${widths.map((width) => "-".repeat(width + 2)).join("+")}+`;
  const lines = all.map((cells) => {
    const padded = widths.map((width, i) => {
      const text = cells[i] ?? "";
      return ` ${text}${" ".repeat(width - widthOf(text))} `;
    });
    return `|${padded.join("|")}|`;
  });
  const [head = "", ...body] = lines;
  return `${[rule, head, rule, ...body, ...(body.length > 0 ? [rule] : [])].join("\n")}\n`;
}

/** The table of results of some rounds. */
export function resultText(rounds: readonly RoundResult[]): string {
  return borderedTable({ titles: resultTitles(), rows: rounds.map(resultCells) });
}

/** The tables of what monitors saw, each under its name, with what they could not see. */
export function monitorText(results: readonly MonitorResult[], precision?: number): string {
  const parts = results.map((result) => {
    const warnings = result.warnings.map((warning) => `  ${plainText(warning)}\n`);
    const table = borderedTable(monitorTable(result, precision));
    return `### ${result.type} resource stats ###\n${table}${warnings.join("")}`;
  });
  return parts.join("\n");
}
