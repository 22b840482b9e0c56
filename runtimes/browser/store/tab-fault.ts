/** What a browser's storage throws, as faults of the store port. */
import { StoreFault, type StoreFaultKind } from "../../../core/fault/store-fault.ts";

/** Names of the browser's exceptions, as kinds of store faults. */
const KIND_OF_NAME: Readonly<Record<string, StoreFaultKind>> = {
  QuotaExceededError: "full",
  VersionError: "version",
  SecurityError: "unwritable",
  NotAllowedError: "unwritable",
  DataError: "corrupt",
  NotReadableError: "corrupt",
  // Bytes that do not decode.
  RangeError: "corrupt",
};

const SENTENCE_OF_KIND: Readonly<Record<StoreFaultKind, string>> = {
  io: "cannot be read or written",
  full:
    "cannot be written: the browser's storage for this site is full; make space, then " +
    "start the group or the node",
  corrupt: "holds damaged data",
  foreign: "is not a database of this program",
  locked: "is in use by another tab",
  version: "was written by a newer version",
  unwritable: "is not open to this page: the browser refuses storage here",
};

function nameOf(error: unknown): string {
  return error instanceof Error || error instanceof DOMException ? error.name : "";
}

/** The fault of a database, with what the browser threw as its cause. */
export function tabFault(database: string, error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  const kind = KIND_OF_NAME[nameOf(error)] ?? "io";
  const reason = error instanceof Error || error instanceof DOMException ? error.message : "";
  const detail = kind === "io" || kind === "corrupt" ? `: ${reason || String(error)}` : "";
  const text = `the database ${database} ${SENTENCE_OF_KIND[kind]}${detail}`;
  return new StoreFault(kind, text, { cause: error });
}

/** Whatever the browser throws at that work is a fault of the database. @throws StoreFault */
export async function guarded<Value>(database: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw tabFault(database, error);
  }
}

/** The fault of a part that is not as it was written. */
export function damagedTab(database: string, what: string): StoreFault {
  const next = "restore a backup, or wipe the chain";
  const said = `${SENTENCE_OF_KIND.corrupt}: ${what} is not as it was written; ${next}`;
  return new StoreFault("corrupt", `the database ${database} ${said}`);
}

/** A fault of a kind, in its own text. */
export function faultOfKind(database: string, kind: StoreFaultKind): StoreFault {
  return new StoreFault(kind, `the database ${database} ${SENTENCE_OF_KIND[kind]}`);
}
