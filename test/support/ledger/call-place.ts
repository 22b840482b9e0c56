/**
 * One block that is executed call by call, so that a test sees the rows between two calls; the
 * version and the number of the block below may change on the way.
 */
import { type Address, ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { type BlockScope, openBlockScope } from "../../../core/execution/block-scope.ts";
import { createChainRules } from "../../../core/execution/chain-rules.ts";
import { executeTransaction, type Outcome } from "../../../core/execution/executive.ts";
import { prepareGenesis } from "../../../core/ledger/genesis-block.ts";
import { NEWEST_VERSION, type Version } from "../../../core/model/version.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { createRowCache } from "../../../core/storage/row-cache.ts";
import type { RowSource, RowView } from "../../../core/storage/table.ts";
import { GENESIS } from "../execution/test-chain.ts";

const GAS_LIMIT = 300_000_000n;
/** Above every ID of a genesis block. */
const FIRST_ID = 1_000;

/** How a place begins. */
export interface PlaceOptions {
  readonly suite: CryptoSuite;
  readonly version?: Version;
  /** Number of the block below. */
  readonly parentNumber?: number;
  readonly freeStorage?: boolean;
  /** `tx_gas_limit`. */
  readonly gasLimit?: bigint;
}

/** A call, or a creation when there is no receiver. */
export interface PlaceCall {
  readonly from?: Address;
  readonly to?: Address;
  readonly input: Uint8Array;
}

/** Where calls are executed one after the other. */
export interface CallPlace {
  readonly scope: BlockScope;
  readonly suite: CryptoSuite;
  call(call: PlaceCall): Outcome;
  /** Rows in force under a key as the next call will see them. */
  rows(table: string, key: string): readonly RowView[];
  /** The same rows at another version, in a block of its own. */
  at(version: Version): CallPlace;
  /** The same rows and block with another number below. */
  above(parentNumber: number): CallPlace;
}

/** Opens a place on a new chain. */
export async function openPlace(options: PlaceOptions): Promise<CallPlace> {
  const { suite, version = NEWEST_VERSION, parentNumber = 0, freeStorage = false } = options;
  const store = openMemoryStore();
  const genesis = { ...GENESIS, freeStorage };
  await prepareGenesis(store, { suite, version, genesis });
  return place({ ...options, version, parentNumber, freeStorage }, createRowCache(store));
}

type Begun = Required<Omit<PlaceOptions, "gasLimit">> & Pick<PlaceOptions, "gasLimit">;

function place(options: Begun, source: RowSource): CallPlace {
  const { suite, version, freeStorage, parentNumber, gasLimit = GAS_LIMIT } = options;
  const rules = createChainRules({ suite, version, freeStorage, reconfirmCommittee: false });
  const scope = openBlockScope(rules, {
    source,
    parentNumber,
    parentHash: `0x${"00".repeat(32)}` as BlockScope["parentHash"],
    number: parentNumber + 1,
    timestamp: 0n,
    gasLimit,
    charging: false,
    blockHash: () => undefined,
  });
  return inScope(scope, options);
}

function inScope(scope: BlockScope, options: Begun): CallPlace {
  const rows = (table: string, key: string): readonly RowView[] =>
    scope.overlay.open(table)?.select(key) ?? [];
  return {
    scope,
    suite: options.suite,
    rows,
    call({ from = ZERO_ADDRESS, to, input }) {
      const money = { gasPrice: 0n, gas: GAS_LIMIT, value: 0n };
      return executeTransaction(scope, { from, to: to ?? null, input, ...money });
    },
    at(version) {
      return place({ ...options, version }, committed(rows));
    },
    above(parentNumber) {
      return inScope({ ...scope, parentNumber }, options);
    },
  };
}

/** Rows as if a block had written them: each has an ID of its own. */
function committed(rows: CallPlace["rows"]): RowSource {
  const known = new Map<string, ReturnType<RowSource["rows"]>>();
  let nextId = FIRST_ID;
  return {
    rows(table, key) {
      const place = `${table} ${key}`;
      const found =
        known.get(place) ?? rows(table, key).map((row) => ({ ...row, id: nextId++, number: 0 }));
      known.set(place, found);
      return found;
    },
  };
}
