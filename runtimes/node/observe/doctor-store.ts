/** What the doctor can see in the ledger of a node that does not run: of which chain it is. */
import { shellWord } from "../../folder/node-scripts.ts";
import { join } from "node:path";
import { hashOf } from "../../../core/bytes/hex.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import { genesisBlock } from "../../../core/ledger/genesis-block.ts";
import { numberKey } from "../../../core/ledger/keys.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { formatVersion, type Version, version } from "../../../core/model/version.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { reasonOf } from "../../folder/folder-fault.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { copySuspicion, silentStart } from "../store/copy-guard.ts";
import { withDatabaseView } from "../store/level-files/database-view.ts";
import { failure, ok, type Verdict, warning } from "./verdict.ts";

interface ComparedLedger {
  /** Of its database, absolute; nobody has it open. */
  readonly ledger: string;
  /** Path of the genesis file. */
  readonly file: string;
  readonly genesis: GenesisConfig;
  readonly config: NodeConfig;
  readonly home: string;
}

const HASH_BYTES = 32;
const MINORS = 12;

/** The hash of its block 0, and why it seems not to be as its node left it. */
async function storedIn(ledger: string) {
  return withDatabaseView(ledger, async (store) => {
    const bytes = store.get(numberKey(0));
    const hash = bytes?.length === HASH_BYTES ? hashOf(bytes) : undefined;
    return { hash, suspicion: await copySuspicion(ledger, store) };
  });
}

/** A version under which the genesis file gives the block that is stored. */
function fittingVersion(
  stored: Hash,
  genesis: GenesisConfig,
  suite: CryptoSuite,
): Version | undefined {
  for (let minor = MINORS - 1; minor >= 0; minor--) {
    const tried = version(2, minor, 0);
    if (genesisBlock({ suite, version: tried, genesis }).hash === stored) return tried;
  }
  return undefined;
}

/** What a start does with a ledger that seems to be a copy or an older state. */
export function copyWarning(check: string, suspicion: string): Verdict {
  const next = "See docs/copies.md. Stop the node that this is a copy of, if it runs.";
  return warning(check, silentStart(suspicion), next);
}

/**
 * Whether the ledger follows from the genesis file and the version of the chain, and holds what its
 * node wrote last. Of its marks the caller has spoken.
 */
export async function checkStore(compared: ComparedLedger): Promise<readonly Verdict[]> {
  const { ledger, genesis, home } = compared;
  const check = `ledger ${genesis.groupId}`;
  try {
    const { hash, suspicion } = await storedIn(ledger);
    const isNews = suspicion !== undefined && (await copySuspicion(ledger)) === undefined;
    const copied = isNews ? [copyWarning(check, suspicion)] : [];
    return [await checkGenesis(compared, hash), ...copied];
  } catch (cause) {
    const next = `chain-node check ${shellWord(home)} says what is damaged.`;
    return [warning(check, `it cannot be looked into: ${reasonOf(cause)}`, next)];
  }
}

async function checkGenesis(compared: ComparedLedger, stored: Hash | undefined): Promise<Verdict> {
  const { ledger, file, genesis, config, home } = compared;
  const check = `ledger ${genesis.groupId}`;
  if (stored === undefined) return ok(check, "it has no block yet");
  const { nationalCrypto, supportedVersion } = config.chain;
  const suite = await createChainSuite(nationalCrypto ? "national" : "standard");
  const made = genesisBlock({ suite, version: supportedVersion, genesis }).hash;
  if (stored === made) return ok(check, "its genesis block is that of genesis file and version");
  const said = `${ledger} holds the genesis block ${stored}, and ${file} gives ${made}`;
  const fitting = fittingVersion(stored, genesis, suite);
  if (fitting === undefined) {
    const next = `Put back the ${file} that the other nodes have. If the ledger is of another`;
    return failure(check, said, `${next} chain, move ${ledger} and ${ledger}.made away.`);
  }
  const [is, was] = [supportedVersion, fitting].map(formatVersion);
  const next = `supported_version in ${join(home, "config.ini")} is ${is}, and the ledger was`;
  return failure(check, said, `${next} begun with one like ${was}: put back the other nodes'.`);
}
