/**
 * Where we answer otherwise than the recording on purpose. Each entry cites the decision or the
 * PICK that says so and states what we answer instead; one that no longer applies fails the test.
 */
import { isDeepStrictEqual } from "node:util";
import { inflateSync } from "node:zlib";
import {
  type Answer,
  type Exchange,
  get,
  methodOf,
  paramsOf,
  parse,
  sameBody,
} from "./exchange.ts";

/** A difference on purpose. */
export interface Allowed {
  readonly what: string;
  /** `decision N` of spec/README.md, or a document and section that holds a PICK or [DEVIATE]. */
  readonly citation: string;
  readonly concerns: (exchange: Exchange) => boolean;
  /** Whether our answer is the one that the citation asks for. */
  readonly holds: (ours: Answer, exchange: Exchange) => boolean;
}

function isMethod(...names: readonly string[]): (exchange: Exchange) => boolean {
  return (exchange) => names.includes(methodOf(exchange) ?? "");
}

function isCase(...names: readonly string[]): (exchange: Exchange) => boolean {
  return (exchange) => exchange.file === "transport.jsonl" && names.includes(exchange.case);
}

/** Our answer equals the recorded one after both are rewritten. */
function equalAfter(
  rewriteOurs: (result: unknown) => unknown,
  rewriteRecorded: (result: unknown) => unknown = (result) => result,
): Allowed["holds"] {
  return (ours, exchange) => {
    const left = get(parse(ours.body), "result");
    const right = get(parse(exchange.response.body ?? ""), "result");
    if (left === undefined || right === undefined) return false;
    return isDeepStrictEqual(rewriteOurs(left), rewriteRecorded(right));
  };
}

/** Rewrites every object inside a value. */
function mapObjects(
  value: unknown,
  rewrite: (object: Record<string, unknown>) => Record<string, unknown>,
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, rewrite));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, it]) => [name, mapObjects(it, rewrite)]);
  return rewrite(Object.fromEntries(entries) as Record<string, unknown>);
}

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

function nullReceiver(object: Record<string, unknown>): Record<string, unknown> {
  return object["to"] === ZERO_ADDRESS ? { ...object, to: null } : object;
}

function without(...names: readonly string[]): (result: unknown) => unknown {
  return (result) =>
    mapObjects(result, (object) =>
      Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))),
    );
}

const SYNC_HASHES = ["genesisHash", "latestHash", "knownLatestHash"];

function prefixHashes(object: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(object).map(([name, value]) => [
    name,
    SYNC_HASHES.includes(name) ? `0x${String(value)}` : value,
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

const PARSE_ERROR =
  '{"error":{"code":-32700,"message":"JSON_PARSE_ERROR: The JSON-Object is not JSON-Valid"},' +
  '"id":null,"jsonrpc":"2.0"}\n';

/** The list. */
export const ALLOWED: readonly Allowed[] = [
  {
    what: "peers carry their ID also as nodeId",
    citation: "decision 1",
    concerns: isMethod("getPeers", "getNodeInfo"),
    holds: equalAfter(without("nodeId")),
  },
  {
    what: "the version is our own, under both names",
    citation: "decision 13",
    concerns: isMethod("getClientVersion"),
    holds: (ours, exchange) => {
      const result = get(parse(ours.body), "result");
      const [name, alias] = ["Chain-Node Version", "FISCO-BCOS Version"];
      const isOurs = get(result, name) === "2.12.0" && get(result, alias) === "2.12.0";
      return isOurs && equalAfter(without(name, alias), without(alias))(ours, exchange);
    },
  },
  {
    what: "the version inside a batch is our own, too",
    citation: "decision 13",
    concerns: (exchange) => exchange.case.startsWith("batch of 8"),
    holds: (ours, exchange) => {
      const unnamed = without("Chain-Node Version", "FISCO-BCOS Version");
      const [left, right] = [ours.body, exchange.response.body ?? ""].map((body) =>
        unnamed(parse(body)),
      );
      const isOurs = ours.body.includes('"Chain-Node Version":"2.12.0"');
      return isOurs && isDeepStrictEqual(left, right);
    },
  },
  {
    what: "requests that end the reference are answered with an error or fail",
    citation: "decision 22",
    concerns: ({ file, response }) =>
      file === "reference_crashes.jsonl" && response.transportError !== undefined,
    holds: (ours) => {
      const answer = parse(ours.body);
      const status = get(answer, "result", "status");
      const isFailing = typeof status === "string" && Number(status) !== 0;
      return ours.status === 200 && (isFailing || get(answer, "error") !== undefined);
    },
  },
  {
    what: "the own index in a Raft group is shown under both of its keys",
    citation: "rpc-semantics 5.1",
    concerns: isMethod("getConsensusStatus"),
    holds: equalAfter(without("node index")),
  },
  {
    what: "hashes of the sync status have 0x",
    citation: "decision 2",
    concerns: isMethod("getSyncStatus"),
    holds: equalAfter(
      (result) => result,
      (result) => mapObjects(result, prefixHashes),
    ),
  },
  {
    what: "the receiver of a creation is null in block listings",
    citation: "decision 8",
    concerns: isMethod("getBlockByNumber", "getBlockByHash"),
    holds: equalAfter(
      (result) => result,
      (result) => mapObjects(result, nullReceiver),
    ),
  },
  {
    what: "the receiver of a creation is null in receipts",
    citation: "decision 8",
    concerns: isMethod("getTransactionReceipt"),
    holds: equalAfter(
      (result) => result,
      (result) => mapObjects(result, nullReceiver),
    ),
  },
  {
    what: "a receipt next to its proof has the fields of the interface alone",
    citation: "decision 32",
    concerns: isMethod("getTransactionReceiptByHashWithProof"),
    holds: equalAfter(
      (result) => result,
      (result) => without("remainGas", "statusMsg")(mapObjects(result, nullReceiver)),
    ),
  },
  {
    what: "the receiver of a creation is null in batch receipts",
    citation: "decision 8",
    concerns: isMethod(
      "getBatchReceiptsByBlockNumberAndRange",
      "getBatchReceiptsByBlockHashAndRange",
    ),
    holds: (ours, exchange) => {
      const recorded = exchange.response.body ?? "";
      // In a compressed result the same text is inside the JSON text.
      const rewritten = recorded.replaceAll(`"to":"${ZERO_ADDRESS}"`, '"to":null');
      return sameBody(ours.body, rewritten) || sameCompressed(ours.body, recorded);
    },
  },
  {
    what: "decimal numbers with leading zeros are decimal",
    citation: "decision 12",
    concerns: (exchange) => paramsOf(exchange)[1] === "010",
    holds: (ours) => ours.body.includes('umber":"0xa"') || ours.body.includes('"number":10'),
  },
  {
    what: "JSON is read strictly: no comments, no second value, no octal, no control characters",
    citation: "rpc-semantics 2.6",
    concerns: isCase("comment", "two objects", "leading zero", "control char in string"),
    holds: (ours) => ours.status === 200 && ours.body === PARSE_ERROR,
  },
  {
    what: "nesting deeper than 1000 is a parse error in JSON, not a bare text",
    citation: "rpc-semantics 2.6",
    concerns: isCase("deep nesting 2000"),
    holds: (ours) => ours.status === 200 && ours.body === PARSE_ERROR,
  },
  {
    what: "PUT and PATCH with a body are refused instead of left without an answer",
    citation: "rpc-semantics 1",
    concerns: isCase("method PUT", "method PATCH"),
    holds: (ours) => ours.status === 405 && ours.body === "Not allowed HTTP Method",
  },
];

function sameCompressed(ours: string, recorded: string): boolean {
  const [left, right] = [parse(ours), parse(recorded)].map((it) => get(it, "result"));
  if (typeof left !== "string" || typeof right !== "string") return false;
  const expected = inflate(right).replaceAll(`"to":"${ZERO_ADDRESS}"`, '"to":null');
  return inflate(left) === expected;
}

function inflate(result: string): string {
  return inflateSync(Buffer.from(result, "base64")).toString("utf8");
}
