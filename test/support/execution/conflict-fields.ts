/**
 * Which transactions of a block may change places: the fields that each one claims, known before
 * any of them has run. Source: execution 12
 */
import { decodeAbi, decodeAbiLeniently } from "../../../core/abi/decode.ts";
import { SELECTOR_BYTES, selectorOf } from "../../../core/abi/encode.ts";
import { type AbiType, parseSignature } from "../../../core/abi/type.ts";
import { type ByteString, parseDecimal } from "../../../core/bytes/byte-string.ts";
import { numberOfBytes } from "../../../core/bytes/bytes.ts";
import { addressOfNumber, toHex } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Version } from "../../../core/model/version.ts";
import { familyTable } from "../../../core/storage/system-tables.ts";
import { ROW_NORMAL, type RowSource, storedUnder } from "../../../core/storage/table.ts";
import { PARALLEL_ROW_KEY } from "../../../core/execution/precompiled/1006-parallel-config.ts";

/** What a transaction claims. */
export interface ClaimedFields {
  /** Fields that the reference makes conflicts of; none: it may run at any time. */
  readonly written: readonly ByteString[];
  /**
   * Fields whose value the transaction shows. The reference lets such a transaction run before
   * or after those who write, so that its receipt depends on threads; here it keeps its place.
   */
  readonly read: readonly ByteString[];
}

/** The claims of a transaction; null when it conflicts with every other one. */
export type ConflictFields = ClaimedFields | null;

/** What the claims follow from. */
export interface ConflictRules {
  readonly suite: CryptoSuite;
  readonly version: Version;
  /** The committed rows: a registration counts from the next block on. */
  readonly source: RowSource;
}

/** A transaction as far as its claims go. */
export interface ClaimingTransaction {
  readonly to: Address | null;
  readonly input: Uint8Array;
}

const DAG_TRANSFER = addressOfNumber(0x5002);
/** Addresses of precompiled contracts and of objects of a block begin with this many zeros. */
const BUILT_IN = `0x${"0".repeat(24)}`;
const STRING = { kind: "string" } as const satisfies AbiType;

/** The reader of claims. Source: execution 12 */
export function createConflictFields(
  rules: ConflictRules,
): (transaction: ClaimingTransaction) => ConflictFields {
  const users = dagTransferUsers(rules.suite);
  return ({ to, input }) => {
    if (to === null) return null;
    const claim = (fields: readonly ByteString[]): readonly ByteString[] =>
      fields.map((field) => field + to.slice(2));
    if (to === DAG_TRANSFER) {
      const { written, read } = users(input);
      return { written: claim(written), read: claim(read) };
    }
    if (to.startsWith(BUILT_IN)) return null;
    const values = registeredValues(rules, to, input);
    return values === undefined ? null : { written: claim(values), read: [] };
  };
}

/**
 * The users that calls write and show, by their arguments. An empty name means that nothing is
 * written. Source: precompiles 16; execution 12
 */
export function dagTransferUsers(suite: CryptoSuite): (input: Uint8Array) => ClaimedFields {
  const selectorText = (signature: string) => toHex(selectorOf(signature, suite.hash));
  const writers = new Map([
    [selectorText("userAdd(string,uint256)"), [STRING]],
    [selectorText("userSave(string,uint256)"), [STRING]],
    [selectorText("userDraw(string,uint256)"), [STRING]],
    [selectorText("userTransfer(string,string,uint256)"), [STRING, STRING]],
  ]);
  const readers = new Map([[selectorText("userBalance(string)"), [STRING]]]);
  return (input) => {
    const names = (methods: ReadonlyMap<string, AbiType[]>): readonly ByteString[] => {
      const types = methods.get(toHex(input.subarray(0, SELECTOR_BYTES))) ?? [];
      const texts = decodeAbiLeniently(types, input.subarray(SELECTOR_BYTES)).map(String);
      return texts.includes("") ? [] : texts;
    };
    return { written: names(writers), read: names(readers) };
  };
}

/** The first parameters of a registered function as texts; undefined without a registration. */
function registeredValues(
  { source, version: chainVersion }: ConflictRules,
  to: Address,
  input: Uint8Array,
): ByteString[] | undefined {
  if (input.length < SELECTOR_BYTES) return undefined;
  const table = familyTable("parallel", to.slice(2), chainVersion);
  const selector = String(numberOfBytes(input, 0, SELECTOR_BYTES));
  const row = registrationOf(source, table, selector);
  const count = parseDecimal(row?.columns.get("criticalSize") ?? "");
  const inputs = parseSignature(row?.columns.get("functionName") ?? "")?.inputs;
  if (count === undefined || inputs === undefined || inputs.length < count) return undefined;
  const types = inputs.slice(0, Number(count));
  if (!types.every(isFieldType)) return undefined;
  const decoded = decodeAbi(types, input.subarray(SELECTOR_BYTES));
  if (!decoded.ok) return undefined;
  return decoded.values.map((value, i) =>
    types[i]?.kind === "address" ? String(value).slice(2) : String(value),
  );
}

function registrationOf(source: RowSource, table: ByteString, selector: string) {
  for (const row of storedUnder(source, table, PARALLEL_ROW_KEY))
    if (row.status === ROW_NORMAL && row.columns.get("selector") === selector) return row;
  return undefined;
}

/** The types that fields are made of. Source: execution 12 */
function isFieldType(type: AbiType): boolean {
  if (type.kind === "string" || type.kind === "address") return true;
  return (type.kind === "int" || type.kind === "uint") && type.bits === 256;
}
