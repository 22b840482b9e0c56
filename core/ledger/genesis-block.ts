/** Block 0 in the store: written once, compared ever after. Source: storage 8; tx-block-codec 10 */
import { bytesOf } from "../bytes/byte-string.ts";
import { equalBytes } from "../bytes/bytes.ts";
import { hashOf, idBytes } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { StoreFault } from "../fault/store-fault.ts";
import type { GenesisConfig } from "../model/config.ts";
import { genesisHeader, genesisMark } from "../model/genesis.ts";
import { encodeHeader, type Header } from "../model/header.ts";
import { version, type Version } from "../model/version.ts";
import type { Store, StoreWrite } from "../ports/store.ts";
import { Overlay } from "../storage/overlay.ts";
import { CONFIG_TABLE, CONSENSUS_TABLE } from "../storage/system-tables.ts";
import { metaKey, numberKey } from "./keys.ts";
import { blockBatch } from "./writer.ts";

/** What decides block 0. */
export interface GenesisOptions {
  readonly suite: CryptoSuite;
  readonly version: Version;
  readonly genesis: GenesisConfig;
}

/** Block 0. */
interface GenesisBlock {
  readonly header: Header;
  readonly headerRlp: Uint8Array;
  readonly hash: Hash;
}

/** Form of the records in the store; a store of another form is refused. */
export const STORE_FORMAT = "1";
/** Where a store says in which form its records are. */
export const FORMAT_RECORD = { key: metaKey("format"), value: bytesOf(STORE_FORMAT) };
const TIMEOUT_FROM = version(2, 6, 0);

/** Block 0 of a group. Source: tx-block-codec 10 */
export function genesisBlock({ genesis, suite, version: of }: GenesisOptions): GenesisBlock {
  const header = genesisHeader(genesisMark(genesis, of), genesis.timestamp);
  const headerRlp = encodeHeader(header);
  return { header, headerRlp, hash: hashOf(suite.hash(headerRlp)) };
}

/**
 * Makes sure that the store holds this group: writes block 0 into an empty store, compares
 * otherwise.
 *
 * @throws StoreFault `foreign` when the store holds another genesis block, which stays as it is;
 * `version` when it was written by a node with another form of records
 * Source: storage 8, 13.7
 */
export async function prepareGenesis(store: Store, options: GenesisOptions): Promise<GenesisBlock> {
  const block = genesisBlock(options);
  const stored = store.get(numberKey(0));
  if (stored === undefined) {
    await store.commit(genesisWrites(options, block), { durable: true });
    return block;
  }
  const format = store.get(FORMAT_RECORD.key);
  if (format === undefined || !equalBytes(format, FORMAT_RECORD.value)) {
    throw new StoreFault("version", "the store was written in another form of records");
  }
  if (equalBytes(stored, idBytes(block.hash))) return block;
  throw otherGenesis(store, hashOf(stored), block.hash);
}

/** Says what an operator does next where the store has a folder. */
function otherGenesis({ folder }: Store, stored: Hash, made: Hash): StoreFault {
  const said = `the store holds the genesis block ${stored}, not ${made}`;
  if (folder === undefined) return new StoreFault("foreign", said);
  const next =
    `it lies in ${folder}. The genesis file of the group, or supported_version or sm_crypto in ` +
    "config.ini, is not the one that it was begun with: put back those of the other nodes. If " +
    `the ledger is of another chain, move ${folder} and ${folder}.made away`;
  return new StoreFault("foreign", `${said}; ${next}`);
}

/** Rows and records of block 0. Source: storage 8 */
function genesisWrites(options: GenesisOptions, { hash, headerRlp }: GenesisBlock): StoreWrite[] {
  const source = { rows: () => [] };
  const overlay = new Overlay({ source, version: options.version, parentNumber: 0 });
  insertConfig(overlay, options);
  insertSealers(overlay, options.genesis);
  const { writes } = blockBatch({
    number: 0,
    hash,
    headerRlp,
    unexecuted: hash,
    seals: [],
    body: { transactions: [], senders: [] },
    hashes: [],
    receipts: [],
    nonces: [],
    failed: 0,
    overlay,
    bodyIsStored: false,
  });
  return [...writes, FORMAT_RECORD];
}

function insertConfig(overlay: Overlay, options: GenesisOptions): void {
  const { genesis } = options;
  const values: [string, string][] = [
    ["tx_count_limit", String(genesis.maxTransactions)],
    ["tx_gas_limit", String(genesis.gasLimit)],
  ];
  if (options.version >= TIMEOUT_FROM) {
    values.push(["consensus_timeout", String(genesis.consensusTimeoutSeconds)]);
  }
  const table = overlay.systemTable(CONFIG_TABLE);
  for (const [key, value] of values) table.insert(key, Object.entries({ value, enable_num: "0" }));
}

function insertSealers(overlay: Overlay, genesis: GenesisConfig): void {
  const table = overlay.systemTable(CONSENSUS_TABLE);
  for (const sealer of genesis.sealers) {
    const columns = { type: "sealer", node_id: sealer, enable_num: "0" };
    table.insert("node", Object.entries(columns));
  }
}
