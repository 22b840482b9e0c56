/** The state root of an executed block. Source: storage 5 */
import type { CryptoSuite } from "../crypto/suite.ts";
import { version } from "../model/version.ts";
import type { Table } from "../storage/live-table.ts";
import type { Overlay } from "../storage/overlay.ts";
import { stateRoot, type RootTable } from "../storage/state-root.ts";
import { legacyStateHash } from "../crypto/legacy-state-hash.ts";

/** From here on tables are hashed with the chain hash. Source: storage 5 */
const CHAIN_HASH_FROM = version(2, 4, 1);

/** The root over what the block changed, 32 bytes. */
export function overlayRoot(overlay: Overlay, suite: CryptoSuite): Uint8Array {
  const chainVersion = overlay.options.version;
  const hash = chainVersion >= CHAIN_HASH_FROM ? suite.hash : legacyStateHash(suite);
  const tables = overlay
    .tables()
    .filter((table) => table.schema.hashed)
    .map(rootTable);
  return stateRoot(tables, { version: chainVersion, hash });
}

function rootTable(table: Table): RootTable {
  return {
    name: table.schema.name,
    keyField: table.schema.keyField,
    touched: table.touched,
    dirty: [...table.dirtyRows.values()],
    inserted: table.newRows.filter((row) => !row.withdrawn),
  };
}
