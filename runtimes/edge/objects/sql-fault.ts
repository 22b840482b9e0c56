/** What the storage of an object throws, as faults of the store port. */
import { StoreFault } from "../../../core/fault/store-fault.ts";

/** SQLite's own word for a database at its bound. */
const FULL = /SQLITE_FULL|database or disk is full/;
const DAMAGED = /SQLITE_CORRUPT|SQLITE_NOTADB/;

/** The fault, with what the platform threw as its cause. */
export function sqlFault(error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const kind = FULL.test(reason) ? "full" : DAMAGED.test(reason) ? "corrupt" : "io";
  return new StoreFault(kind, `the storage of this object failed: ${reason}`, { cause: error });
}

/** Whatever the platform throws at that work is a fault of the store. @throws StoreFault */
export function guarded<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw sqlFault(error);
  }
}
