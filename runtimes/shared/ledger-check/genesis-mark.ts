/** The configuration of a group back from the mark of its block 0. Source: tx-block-codec 10 */
import { byteString } from "../../../core/bytes/byte-string.ts";
import { hashOf } from "../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import { genesisBlock, type GenesisOptions } from "../../../core/ledger/genesis-block.ts";
import { headerKey, numberKey } from "../../../core/ledger/keys.ts";
import { decodeHeaderRecord } from "../../../core/ledger/records.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import type { Header } from "../../../core/model/header.ts";
import { version, type Version, VERSION_RC2 } from "../../../core/model/version.ts";
import type { Store } from "../../../core/ports/store.ts";

type MarkRules = Omit<GenesisOptions, "genesis">;

/** Value of a mark without a timeout: the default of the genesis file. */
const DEFAULT_TIMEOUT_SECONDS = 3;

/** What a mark is read from. */
type MarkedHeader = Pick<Header, "extraData" | "timestamp">;

/** The configuration that a mark spells; it is not known yet whether block 0 follows from it. */
function configOf(
  { extraData, timestamp }: MarkedHeader,
  chain: Version,
): GenesisConfig | undefined {
  const [mark] = extraData;
  if (mark === undefined) return undefined;
  const parts = byteString(mark).split("-");
  const [id, sealers = "", type] = parts.splice(0, 3);
  parts.splice(0, chain <= VERSION_RC2 ? 2 : 1);
  const flags = chain >= version(2, 4, 0) ? parts.shift() : "0";
  const [most, gas, timeout = `${DEFAULT_TIMEOUT_SECONDS}`] = parts;
  const numbers = [id, flags, most, gas, timeout];
  if (numbers.some((text) => !/^\d+$/.test(text ?? ""))) return undefined;
  return {
    groupId: Number(id),
    timestamp,
    consensusType: type === "raft" ? "raft" : "pbft",
    sealers: sealers.split(",").filter((sealer) => sealer !== "") as NodeId[],
    maxTransactions: Number(most),
    gasLimit: BigInt(gas ?? 0),
    consensusTimeoutSeconds: Number(timeout),
    freeStorage: flags !== "0",
  };
}

/** The configuration that block 0 was made from; undefined when its hash does not follow. */
export function genesisOfHeader(
  header: MarkedHeader,
  hash: Hash,
  rules: MarkRules,
): GenesisConfig | undefined {
  const genesis = configOf(header, rules.version);
  if (!genesis) return undefined;
  return genesisBlock({ ...rules, genesis }).hash === hash ? genesis : undefined;
}

/**
 * The configuration that block 0 of a store was made from, for ledgers without a genesis file;
 * undefined when the block does not follow from what its mark says.
 */
export async function genesisOfMark(
  source: MarkRules & { readonly store: Store },
): Promise<GenesisConfig | undefined> {
  const { store } = source;
  const bytes = store.get(numberKey(0));
  const record = bytes?.length === 32 ? await store.load(headerKey(hashOf(bytes))) : undefined;
  if (!bytes || !record) return undefined;
  return genesisOfHeader(decodeHeaderRecord(record).header, hashOf(bytes), source);
}
