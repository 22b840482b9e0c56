/**
 * What a chain of this browser needs besides its ledgers to go on elsewhere: what it is, the small
 * files of its nodes, and the keys of the nodes under a passphrase. One JSON text. The ledgers
 * themselves are snapshots, one per group, which `chain-node import` reads as they are.
 */
import { utf8Bytes, utf8Text } from "../../../core/bytes/byte-string.ts";
import { concatBytes, equalBytes } from "../../../core/bytes/bytes.ts";
import { fromHex, isNodeId, toHex } from "../../../core/bytes/hex.ts";
import { sha256 } from "../../shared/snapshot/chunk.ts";
import { KeyFault } from "../keys/key-fault.ts";
import { keyOfPassphrase, newLock, seal, unseal } from "../keys/sealing.ts";
import type { TabRecord } from "../tab-record.ts";

/** Small files of a node by their paths. */
export type NodeFiles = Readonly<Record<string, string>>;

/** What is in the file, its keys open. */
export interface ChainFile {
  readonly record: TabRecord;
  /** Of each node, in order; contents as hexadecimal digits. */
  readonly files: readonly NodeFiles[];
  readonly keys: readonly Uint8Array[];
  /** Groups that had a ledger: none of them may begin anew. */
  readonly groups: readonly number[];
  /** Whether the keys were under a passphrase in their browser. */
  readonly isLocked: boolean;
}

/** A file that is none of these, or damaged. */
export class ChainFileFault extends Error {
  override readonly name = "ChainFileFault";
}

const FORMAT = "chain-node chain file";
const VERSION = 1;
const PURPOSE = "chain file";
const KEY_BYTES = 32;
const HASH_BYTES = 32;
const NAME = /^[A-Za-z0-9.-]{1,64}$/;

/** As it is written. */
interface Written {
  readonly format: string;
  readonly version: number;
  readonly record: TabRecord;
  readonly files: readonly NodeFiles[];
  readonly groups: readonly number[];
  readonly isLocked: boolean;
  readonly keys: {
    readonly derivation: "PBKDF2-HMAC-SHA-256";
    readonly iterations: number;
    readonly salt: string;
    readonly cipher: "AES-256-GCM";
    readonly iv: string;
    readonly data: string;
  };
}

/** What stands open in the file, in one hash: it is sealed with the keys. */
function openHash({ record, files, groups, isLocked }: Omit<ChainFile, "keys">) {
  return sha256(utf8Bytes(JSON.stringify([record, files, groups, isLocked])));
}

/** The text of a chain file. @throws KeyFault insecure, noPassphrase */
export async function writeChainFile(file: ChainFile, passphrase: string): Promise<string> {
  const { record, files, groups, isLocked } = file;
  const lock = newLock(passphrase);
  const key = await keyOfPassphrase(passphrase, lock);
  const secret = concatBytes(await openHash(file), ...file.keys);
  const { iv, data } = await seal(key, secret, PURPOSE);
  const written: Written = {
    format: FORMAT,
    version: VERSION,
    record,
    files,
    groups,
    isLocked,
    keys: {
      derivation: "PBKDF2-HMAC-SHA-256",
      iterations: lock.iterations,
      salt: toHex(lock.salt),
      cipher: "AES-256-GCM",
      iv: toHex(iv),
      data: toHex(data),
    },
  };
  return `${JSON.stringify(written, undefined, 2)}\n`;
}

function bytesOf(digits: unknown): Uint8Array<ArrayBuffer> {
  const bytes = typeof digits === "string" ? fromHex(digits) : undefined;
  if (!bytes) throw new ChainFileFault("the chain file is damaged: its keys cannot be read");
  return new Uint8Array(bytes);
}

function isRecord(value: unknown): value is TabRecord {
  if (typeof value !== "object" || value === null) return false;
  const { name, kind, nodeIds, chainId, consensus, sm, created } = value as Partial<TabRecord>;
  const isNamed = typeof name === "string" && NAME.test(name);
  const hasNodes = Array.isArray(nodeIds) && nodeIds.length > 0 && nodeIds.every(isNodeId);
  const isOfKind = kind === "chain" || (kind === "join" && nodeIds?.length === 1);
  const hasRules = (consensus === "pbft" || consensus === "raft") && typeof sm === "boolean";
  const hasNumbers = Number.isSafeInteger(chainId) && Number.isSafeInteger(created);
  return isNamed && hasNodes && isOfKind && hasRules && hasNumbers;
}

function parse(text: string): Written {
  let value: Partial<Written> | undefined;
  try {
    value = JSON.parse(text) as Partial<Written>;
  } catch {
    // Told below.
  }
  if (value?.format !== FORMAT) throw new ChainFileFault("this is no chain file of this program");
  if (value.version !== VERSION)
    throw new ChainFileFault("the chain file was written by a newer program");
  if (!isRecord(value.record) || !Array.isArray(value.files) || !Array.isArray(value.groups))
    throw new ChainFileFault("the chain file is damaged: parts of it are missing");
  if (!value.keys) throw new ChainFileFault("the chain file is damaged: its keys are missing");
  return value as Written;
}

/** @throws ChainFileFault; KeyFault wrongPassphrase, insecure */
export async function readChainFile(text: string, passphrase: string): Promise<ChainFile> {
  const { record, files, groups, isLocked, keys: stored } = parse(text);
  const lock = { salt: bytesOf(stored.salt), iterations: stored.iterations };
  const key = await keyOfPassphrase(passphrase, lock);
  const sealed = { iv: bytesOf(stored.iv), data: bytesOf(stored.data) };
  const secret = await unseal(key, sealed, PURPOSE);
  if (!secret) throw new KeyFault("wrongPassphrase");
  const open = { record, files, groups, isLocked };
  if (!equalBytes(secret.subarray(0, HASH_BYTES), await openHash(open)))
    throw new ChainFileFault("the chain file was changed after it was saved");
  const all = secret.subarray(HASH_BYTES);
  const count = record.nodeIds.length;
  if (all.length !== count * KEY_BYTES)
    throw new ChainFileFault("the chain file is damaged: a key is missing");
  const keys = Array.from({ length: count }, (_, index) =>
    all.slice(index * KEY_BYTES, (index + 1) * KEY_BYTES),
  );
  return { ...open, keys };
}

/** The content of a file as it stands in a chain file, and back. */
export const fileDigits = { write: (bytes: Uint8Array) => toHex(bytes), read: bytesOf };

/** A text of a small file. */
export function textOfDigits(digits: string): string {
  return utf8Text(bytesOf(digits));
}
