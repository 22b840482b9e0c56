/**
 * `chain-node import`: a file with a ledger as the ledger of a node's group. A snapshot is
 * restored; a recorded ledger is executed block by block, and kept only when every block comes out
 * as it was recorded.
 */
import { basename, join } from "node:path";
import type { Store } from "../../../core/ports/store.ts";
import { genesisBlock } from "../../../core/ledger/genesis-block.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { formatVersion } from "../../../core/model/version.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { writeGenesisFile } from "../../formats/config/genesis-file.ts";
import { writeGroupFile } from "../../formats/config/group-file.ts";
import { suiteFile } from "../../formats/config/suite-files.ts";
import { writeWhole } from "../../folder/whole-files.ts";
import { LedgerReplay } from "../../shared/ledger-file/ledger-replay.ts";
import { LedgerFileFault } from "../../shared/ledger-file/ledger-file-fault.ts";
import { type RecordedBlock, readRecordedBlock } from "../../shared/ledger-file/recorded-block.ts";
import { beginAbstention } from "../../shared/snapshot/restore-snapshot.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { createCountLine } from "./count-line.ts";
import { type Installed, installLedger } from "../store/installed-ledger.ts";
import {
  groupFacts,
  holdNode,
  type NodePlace,
  requireNode,
  textOf,
} from "../store/ledger-place.ts";
import { ledgerLines } from "../store/ledger-lines.ts";
import {
  differenceLines,
  type LedgerFacts,
  type ReplayOptions,
  readFacts,
  requireWhole,
  stemOf,
} from "./replay.ts";
import {
  keptLines,
  requireAlike,
  restoreFile,
  abstentionLines,
  ledgerPairs,
  startsAsSnapshot,
  tellRestored,
} from "./restore.ts";

interface ImportOptions extends ReplayOptions {
  readonly replace: boolean;
}

/** Differences of the first bad block that are printed. */
const SHOWN_DIFFERENCES = 5;

/** What was imported. */
interface Imported {
  readonly group: number;
  readonly number: number;
  readonly hash: string;
  readonly transactions: number;
  /** What the node is in the group: by the node ID next to its key. */
  readonly role: "sealer" | "observer" | "free" | undefined;
}

/** Transactions name their chain; a node of another one would refuse all that follow. */
function requireChain({ number, transactions }: RecordedBlock, { chain, home }: NodePlace): void {
  const other = transactions.find(({ chainId }) => Number(chainId) !== chain.chainId);
  if (!other) return;
  const said = `block ${number} has a transaction of chain ${Number(other["chainId"])}`;
  const next = `set [chain] id in ${join(home, "config.ini")}, which is ${chain.chainId}`;
  throw new FolderFault("mismatch", `${said}: ${next}. Nothing was changed`);
}

async function roleOf(node: NodePlace, ledger: Ledger): Promise<Imported["role"]> {
  const name = suiteFile("node.nodeid", node.chain.nationalCrypto ? "national" : "standard");
  const nodeId = (await textOf(join(node.configPath, name)))?.trim();
  if (!nodeId) return undefined;
  const isIn = (list: readonly string[]) => list.includes(nodeId);
  if (isIn(await ledger.sealers())) return "sealer";
  return isIn(await ledger.observers()) ? "observer" : "free";
}

function differentFault(number: number, lines: readonly string[]): LedgerFileFault {
  const shown = lines.slice(0, 3 * SHOWN_DIFFERENCES).join("\n");
  const next = "chain-node replay shows all. Nothing was changed";
  return new LedgerFileFault(`${shown}\nblock ${number} differs: ${next}`);
}

/** Executes the whole file into a store; stops at the first difference. */
async function executeInto(
  store: Store,
  file: string,
  node: NodePlace,
  facts: LedgerFacts,
): Promise<Imported> {
  const { version, genesis, sm } = facts;
  const suite = await createChainSuite(sm ? "national" : "standard");
  // Nobody sees the store before it is whole: one flush at the end is enough.
  const lazy: Store = { ...store, commit: (writes) => store.commit(writes, { durable: false }) };
  const replay = await LedgerReplay.open({ store: lazy, suite, version, genesis });
  const line = createCountLine();
  let transactions = 0;
  let lines = 0;
  try {
    for await (const text of ledgerLines(file)) {
      const recorded = readRecordedBlock(text, ++lines);
      requireChain(recorded, node);
      const { number, differences } = await replay.next(recorded);
      if (differences.length > 0) throw differentFault(number, differenceLines(differences));
      transactions += recorded.transactions.length;
      line.show(() => `block ${number}, ${transactions} transactions`);
    }
  } finally {
    line.end();
  }
  requireWhole(file, facts, { blocks: lines });
  const { number, hash } = replay.ledger.head();
  await store.commit([], { durable: true });
  await beginAbstention(store, number);
  const role = await roleOf(node, replay.ledger);
  return { group: genesis.groupId, number, hash, transactions, role };
}

/** Compares what a ledger is of with the node. */
async function requireFit(file: string, node: NodePlace, facts: LedgerFacts): Promise<void> {
  const { genesis, version, sm } = facts;
  const { groupId } = genesis;
  const suite = await createChainSuite(sm ? "national" : "standard");
  const own = (await groupFacts(node, groupId)).genesis ?? genesis;
  const hashOf = (of: typeof genesis) => genesisBlock({ suite, version, genesis: of }).hash;
  const supportedVersion = formatVersion(version);
  const of = { groupId, suite: suite.name, supportedVersion, genesisHash: hashOf(genesis) };
  requireAlike(file, node, ledgerPairs(of, node, hashOf(own)));
}

/** Writes the files of the group where the node has none, each of them whole or not at all. */
async function addGroupFiles(node: NodePlace, { genesis }: LedgerFacts): Promise<void> {
  const name = `group.${genesis.groupId}`;
  const texts = [
    { path: `${name}.ini`, text: writeGroupFile() },
    // Last: a group is loaded when this file is there.
    { path: `${name}.genesis`, text: writeGenesisFile(genesis) },
  ];
  for (const { path, text } of texts) {
    if ((await textOf(join(node.configPath, path))) !== undefined) continue;
    await writeWhole(node.configPath, { path, text, use: "text" });
  }
}

const ROLE_LINES: Readonly<Record<NonNullable<Imported["role"]>, string>> = {
  sealer: "this node is a sealer of it",
  observer: "this node is an observer of it",
  free: "this node is no member: it answers with [rpc] act_as_group_member=true in config.ini",
};

function reportText(node: NodePlace, { result, kept }: Installed<Imported>): string {
  const { group, number, transactions, role } = result;
  const lines = [
    `group ${group} imported to block ${number}: ${transactions} transactions, all as recorded`,
    ...(role ? [ROLE_LINES[role]] : []),
    ...keptLines(kept),
    ...(role === "free" ? [] : abstentionLines(node)),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

async function importLedger(file: string, node: NodePlace, options: ImportOptions): Promise<void> {
  const { genesis, supportedVersion, replace, json } = options;
  stemOf(file);
  const facts = await readFacts(file, { genesis, supportedVersion });
  await requireFit(file, node, facts);
  const installed = await installLedger({
    folder: node.folderOf(facts.genesis.groupId),
    replace,
    fill: (store) => executeInto(store, file, node, facts),
    addFiles: () => addGroupFiles(node, facts),
  });
  const { result, kept = null } = installed;
  const line = JSON.stringify({ file: basename(file), folder: node.home, ...result, kept });
  process.stdout.write(json ? `${line}\n` : reportText(node, installed));
}

/** Imports either format. @throws FolderFault, ConfigFault, LedgerFileFault, SnapshotFault */
export async function runImport(
  file: string,
  folder: string,
  options: ImportOptions,
): Promise<void> {
  const node = await requireNode(folder);
  const isRestored = await startsAsSnapshot(file);
  const held = await holdNode(node);
  try {
    if (!isRestored) await importLedger(file, node, options);
    else tellRestored(node, await restoreFile(file, node, options.replace), options.json);
  } finally {
    await held.close();
  }
}
