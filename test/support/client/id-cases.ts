/** Ids of requests as JSON text, with what an answer echoes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../runner/root.ts";

/** One id. */
export interface IdCase {
  readonly name: string;
  /** JSON text. */
  readonly id: string;
  /** JSON text; null when the request is refused. */
  readonly echo: string | null;
}

const FILE = join(ROOT, "test", "data", "vectors-own", "rpc-ids.json");

/** All of them. */
export const ID_CASES = (
  JSON.parse(readFileSync(FILE, "utf8")) as { readonly cases: readonly IdCase[] }
).cases;

/** A request of group list; members of the same name elsewhere are not its id. */
export function requestText({ id }: IdCase): string {
  return `{"jsonrpc":"2.0","params":[{"id":7},"id"],"id": ${id} ,"method":"getGroupList"}`;
}

const REFUSED =
  '{"error":{"code":-32600,"message":"INVALID_JSON_REQUEST: ' +
  'The JSON sent is not a valid JSON-RPC Request object"},"id":null,"jsonrpc":"2.0"}';

/** The answer of a node with group 1. */
export function answerText({ echo }: IdCase): string {
  return echo === null ? REFUSED : `{"id":${echo},"jsonrpc":"2.0","result":[1]}`;
}

/** All of them in one request, and its answer without the line feed. */
export const ID_BATCH = {
  request: `[${ID_CASES.map(requestText).join(" ,\n")}]`,
  answer: `[${ID_CASES.map(answerText).join(",")}]`,
};
