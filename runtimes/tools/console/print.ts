/** How results look. Source: console 3 */
import { precompiledMessage } from "../../../core/fault/precompiled-code.ts";
import { ConsoleFault, type Outcome } from "./command.ts";
import { oneLine } from "./foreign-text.ts";
import type { ConsoleOptions } from "./session.ts";

const INDENT = "    ";
const RULE_CHARACTERS = 93;

/** The single rule line. */
export const RULE = "-".repeat(RULE_CHARACTERS);
/** The double rule line. */
export const DOUBLE_RULE = "=".repeat(RULE_CHARACTERS);

/** A list between brackets, one item per line; `empty` stands in for the items of an empty one. */
function block(open: string, items: readonly string[], close: string, depth: number): string {
  const inner = INDENT.repeat(depth + 1);
  const lines = items.length === 0 ? [inner] : items.map((item) => `${inner}${item}`);
  return `${open}\n${lines.join(",\n")}\n${INDENT.repeat(depth)}${close}`;
}

/** A scalar: JSON leaves signs alone that end a line for some readers. */
function inline(value: unknown): string {
  return oneLine(JSON.stringify(value) ?? "null");
}

/**
 * A value as JSON with the look of the console: four blanks per level, none behind `:` and `,`, one
 * element per line. Big integers are written as numbers. Source: console 3
 */
export function formatJson(value: unknown, depth = 0): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return inline(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => formatJson(item, depth + 1));
    return block("[", items, "]", depth);
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${inline(name)}:${formatJson(member, depth + 1)}`);
  return block("{", members, "}", depth);
}

/** A list of node IDs: one per line, without quotes. Source: console 3 */
export function formatIds(ids: readonly string[]): string {
  return ids.length === 0 ? "[]" : block("[", ids.map(oneLine), "]", 0);
}

/** An object as it is, for people and for programs. */
export function outcomeOf(data: unknown): Outcome {
  return { text: formatJson(data), data };
}

/** A sentence for people; `data` for programs. */
export function said(text: string, data: unknown = text): Outcome {
  return { text, data };
}

/** `{"code":..,"msg":..}` with the look of the console. */
export function formatCode(code: number, message: string): string {
  return formatJson({ code, msg: message });
}

/** The line that precedes what came of a transaction. */
export function hashLine(transactionHash: string): string {
  return `TransactionHash: ${transactionHash}`;
}

/** The text of a code of a precompiled contract. Source: interface 7.5; console 5 */
export function codeText(code: number): string {
  return precompiledMessage(code) ?? (code >= 0 ? "success" : "unknown code");
}

/** What a precompiled contract gave back, and how it is to be told. */
export interface CodeTold {
  readonly code: number;
  /** Printed above the code. */
  readonly transactionHash?: string | undefined;
  /** Some commands print no line with the hash; the JSON document has it. Source: console 3 */
  readonly hidesHash?: true | undefined;
  readonly options: Pick<ConsoleOptions, "legacyRetcode">;
}

/**
 * What came of a call of a precompiled contract: `"code":0,"msg":"success"` for every code from 0
 * on, or the code itself and `Success` in the form of consoles of 2.6 and later.
 * @throws ConsoleFault for a code below 0
 * Source: console 3
 */
export function codeOutcome({ code, transactionHash, hidesHash, options }: CodeTold): Outcome {
  const message = codeText(code);
  if (code < 0) {
    const shown = hidesHash ? { text: formatCode(code, message) } : {};
    throw new ConsoleFault(message, { code, ...shown, transactionHash });
  }
  const told = options.legacyRetcode ? { code, msg: "Success" } : { code: 0, msg: "success" };
  const above = transactionHash === undefined || hidesHash ? "" : `${hashLine(transactionHash)}\n`;
  const data = transactionHash === undefined ? told : { ...told, transactionHash };
  return { text: `${above}${formatJson(told)}`, data, code: told.code, message: told.msg };
}

/** What is printed of a failure. Source: console 3 */
export function faultText({ code, text, message, transactionHash }: ConsoleFault): string {
  if (text !== undefined) return text;
  const above = transactionHash === undefined ? "" : `${hashLine(transactionHash)}\n`;
  return `${above}${code === undefined ? message : formatCode(code, message)}`;
}

/** The one JSON document of a command. Source: console 3 */
export function outcomeDocument({ data, code = 0, message = "success" }: Outcome): string {
  return jsonText({ ok: true, code, message, data: data ?? null });
}

/** The one JSON document of a command that failed; without a code, it has its exit code. */
export function faultDocument(fault: ConsoleFault): string {
  const { code, exitCode, message, transactionHash, hint, data } = fault;
  // What is not known is left out.
  const beside = { transactionHash, hint };
  return jsonText({ ok: false, code: code ?? exitCode, message, ...beside, data });
}

/** JSON in one line; big integers become decimal texts. */
export function jsonText(value: unknown): string {
  const plain = (_: string, member: unknown): unknown =>
    typeof member === "bigint" ? member.toString() : member;
  return JSON.stringify(value, plain);
}

/**
 * A table with a rule above and below: columns as wide as their widest cell, or as given. Each row
 * is one line, whatever its texts are.
 * @param texts the first row is the head
 */
export function formatTable(texts: readonly (readonly string[])[], least = 0): string {
  const rows = texts.map((row) => row.map(oneLine));
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(least, ...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => padTo(cell, widths[column] ?? 0))
      .join(" | ")
      .trimEnd();
  const [head, ...body] = rows;
  if (head === undefined) return "";
  return [RULE, line(head), RULE, ...body.map(line), RULE].join("\n");
}

/** Characters of East Asian scripts take two places on a terminal. */
const WIDE = /[ᄀ-ᅟ⺀-〾ぁ-㏿㐀-䶿一-鿿ꀀ-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦]/gu;

/** Places that a text takes on a terminal. */
export function widthOf(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}

/** The text with blanks behind it, as wide as given. */
export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

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

/**
 * Accounts, each with the block from which on it counts. Source: console 4.7
 * @param answer JSON of the chain
 */
export function managersOutcome(answer: unknown): Outcome {
  const managers = (JSON.parse(String(answer)) ?? []) as readonly Manager[];
  if (managers.length === 0) return { text: "Empty set.", data: [] };
  const rows = managers.map(({ address, enable_num }) => line(address, enable_num));
  return { text: [RULE, line("address", "enable_num"), ...rows, RULE].join("\n"), data: managers };
}
