/** Recorded exchanges: reading them, and telling whether an answer of ours says the same. */
import { isDeepStrictEqual } from "node:util";
import { inflateSync } from "node:zlib";
import { dataNames, readDataLines } from "../support/ledger/data-files.ts";

/** One line of a recording. */
export interface Exchange {
  readonly file: string;
  readonly line: number;
  readonly case: string;
  readonly node?: number;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
    /** Bytes for a socket, instead of the other members. */
    readonly rawHttp?: string;
  };
  readonly response: {
    readonly status?: number;
    readonly body?: string;
    readonly rawHttp?: string;
    /** The reference gave no answer. */
    readonly transportError?: string;
  };
}

/** An answer: HTTP status and body. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** All lines of a recording under the golden folder. */
export function readExchanges(file: string): readonly Exchange[] {
  const lines = readDataLines<Omit<Exchange, "file" | "line">>(`golden/${file}`);
  return lines.map((line, index) => ({ ...line, file, line: index + 1 }));
}

/** Names of the recordings of single methods. */
export function methodFiles(): readonly string[] {
  return dataNames("golden/methods").map((name) => name.slice("golden/".length));
}

/** JSON, or undefined for other text. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A member of a value that may be an object. */
export function get(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  }
  return at;
}

/** The method a request names; undefined for other bodies. */
export function methodOf(exchange: Exchange): string | undefined {
  const method = get(parse(exchange.request?.body ?? ""), "method");
  return typeof method === "string" ? method : undefined;
}

/** The positional parameters of a request. */
export function paramsOf(exchange: Exchange): readonly unknown[] {
  const params = get(parse(exchange.request?.body ?? ""), "params");
  return Array.isArray(params) ? params : [];
}

/** What the reference wrote behind the reason of a refusal: its words, limit and hash. */
function refusalOf(message: string): string | undefined {
  return /tag_comment\*\] = (\w+, (?:txBlockLimit=\d+, )?txHash=[0-9a-f]{8})/.exec(message)?.[1];
}

/** An envelope reduced to what is compared: id, result or code. */
function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (typeof value !== "object" || value === null) return value;
  const { id, result, error } = value as Record<string, unknown>;
  return error === undefined
    ? { id, result: readable(result) }
    : { id, code: get(error, "code"), hasData: get(error, "data") !== undefined };
}

/** A compressed result is compared by its content: the bytes are the compressor's choice. */
function readable(result: unknown): unknown {
  if (typeof result !== "string" || (!result.startsWith("eJ") && !result.startsWith("eA"))) {
    return result;
  }
  return inflateSync(Buffer.from(result, "base64")).toString("utf8");
}

/** Whether the two bodies say the same. */
export function sameBody(ours: string, recorded: string): boolean {
  const [left, right] = [parse(ours), parse(recorded)];
  if (right === undefined) return ours === recorded;
  if (!isDeepStrictEqual(essence(left), essence(right))) return false;
  const refusal = refusalOf(String(get(right, "error", "message")));
  return refusal === undefined || String(get(left, "error", "message")).includes(refusal);
}

/**
 * Whether our answer says the same as the recorded one: status, code, result; pool refusals also by
 * word and hash.
 */
export function sameAnswer(ours: Answer, exchange: Exchange): boolean {
  const { status, body = "" } = exchange.response;
  if (ours.status !== status) return false;
  const elided = /^elided: (\d+) bytes, starts (.*)$/s.exec(body);
  if (elided === null) return sameBody(ours.body, body);
  const [, size, start = ""] = elided;
  return Buffer.byteLength(ours.body) === Number(size) && ours.body.startsWith(start);
}
