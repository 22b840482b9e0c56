/**
 * Block 0: the mark that makes a group's configuration part of its hash, and the header around it.
 * Source: tx-block-codec 10
 */
import { utf8Bytes } from "../bytes/byte-string.ts";
import { ZERO_HASH } from "../bytes/ids.ts";
import { EMPTY_BLOOM } from "../crypto/bloom.ts";
import type { GenesisConfig } from "./config.ts";
import type { Header } from "./header.ts";
import { version, VERSION_RC2, type Version } from "./version.ts";

/** Timestamp of a genesis file without one. Source: tx-block-codec 10 */
export const DEFAULT_GENESIS_TIMESTAMP = 2n ** 63n - 1n;
/** evmFlags of a group in free-storage mode. Source: tx-block-codec 10 */
const FREE_STORAGE_FLAG = 2n ** 63n;

const EVM_FLAGS_FROM = version(2, 4, 0);
const TIMEOUT_FROM = version(2, 6, 0);
const SORTED_SEALERS_FROM = version(2, 9, 0);

/** Parts of the mark that this node fixes, but that marks of other nodes may have otherwise. */
interface MarkStorage {
  /** In marks up to 2.0.0-rc2. */
  readonly storageType: string;
  readonly stateType: string;
}

/**
 * The only state type here, and the storage that rc2 chains named by default. Source: decision 20
 */
const DEFAULT_STORAGE: MarkStorage = { storageType: "LevelDB", stateType: "storage" };

/** The text in the genesis block's extraData. Source: tx-block-codec 10 */
export function genesisMark(
  config: GenesisConfig,
  compatibility: Version,
  storage: MarkStorage = DEFAULT_STORAGE,
): string {
  const sealers =
    compatibility >= SORTED_SEALERS_FROM ? [...config.sealers].sort() : config.sealers;
  const list = sealers.map((sealer) => `${sealer},`).join("");
  const parts: (string | number | bigint)[] = [config.groupId, list, config.consensusType];
  if (compatibility <= VERSION_RC2) parts.push(storage.storageType);
  parts.push(storage.stateType);
  if (compatibility >= EVM_FLAGS_FROM) parts.push(config.freeStorage ? FREE_STORAGE_FLAG : 0n);
  parts.push(config.maxTransactions, config.gasLimit);
  if (compatibility >= TIMEOUT_FROM) parts.push(config.consensusTimeoutSeconds);
  return parts.join("-");
}

/**
 * The header of block 0 with that mark. Its transactionsRoot is zero, not a root of nothing.
 * Source: tx-block-codec 10
 */
export function genesisHeader(mark: string, timestamp: bigint): Header {
  return {
    parentHash: ZERO_HASH,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    logsBloom: EMPTY_BLOOM,
    number: 0,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp,
    extraData: [utf8Bytes(mark)],
    sealer: 0,
    sealerList: [],
  };
}
