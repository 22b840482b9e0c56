/** `chain-node restore`: a snapshot as the ledger of a node's group. */
import { shellWord } from "../../folder/node-scripts.ts";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { genesisBlock } from "../../../core/ledger/genesis-block.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { formatVersion } from "../../../core/model/version.ts";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import {
  CHUNK,
  isSnapshot,
  MAGIC,
  readChunks,
  SnapshotFault,
} from "../../shared/snapshot/chunk.ts";
import {
  ContentHash,
  decodeFacts,
  decodeSums,
  type SnapshotFacts,
} from "../../shared/snapshot/content.ts";
import { type Restored, restoreSnapshot } from "../../shared/snapshot/restore-snapshot.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { createCountLine } from "./count-line.ts";
import { isFolder } from "../store/folder-presence.ts";
import { type Installed, installLedger } from "../store/installed-ledger.ts";
import {
  genesisPath,
  groupFacts,
  holdNode,
  type NodePlace,
  requireNode,
} from "../store/ledger-place.ts";

/** A file's bytes in pieces. @throws SnapshotFault when it cannot be read */
async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: 256 * 1024 });
  } catch (cause) {
    throw new SnapshotFault(`it cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

/** Whether a file is a snapshot, by its first bytes. @throws FolderFault */
export async function startsAsSnapshot(file: string): Promise<boolean> {
  const handle = await open(file).catch((cause: unknown) => {
    throw new FolderFault("missing", `${file} is not there, or cannot be read`, { cause });
  });
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(MAGIC.length));
    return isSnapshot(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

async function readFacts(file: string): Promise<SnapshotFacts> {
  for await (const { kind, content } of readChunks(bytesOf(file))) {
    if (kind === CHUNK.facts) return decodeFacts(content);
    break;
  }
  throw new SnapshotFault("another chunk stands first");
}

/** Reads a file to its end: what it says of itself must be so. @throws SnapshotFault */
async function requireWhole(file: string): Promise<void> {
  const hash = new ContentHash();
  for await (const chunk of readChunks(bytesOf(file))) {
    hash.add(chunk);
    if (chunk.kind !== CHUNK.end) continue;
    const [found, { contentHash }] = [await hash.digest(), decodeSums(chunk.content)];
    if (found === contentHash) continue;
    throw new SnapshotFault(`the content has the hash ${found}, not ${contentHash}`);
  }
}

/** A value of the file next to the one of the node, and where that is set. */
type Pair = readonly [what: string, ofFile: string, ofNode: string, place: string];

/** What file and node must have alike. @throws FolderFault mismatch */
export function requireAlike(file: string, { home }: NodePlace, pairs: readonly Pair[]): void {
  const other = pairs.find(([, ofFile, ofNode]) => ofFile !== ofNode);
  if (!other) return;
  const [what, ofFile, ofNode, place] = other;
  const said = `${file} has ${what} ${ofFile}, the node in ${home} has ${ofNode} (${place})`;
  throw new FolderFault("mismatch", `${said}. Nothing was changed`);
}

/** The names that people know a suite by. */
function suiteWords(name: string): string {
  if (name === "national") return "SM2 and SM3 (sm_crypto=true)";
  return name === "standard" ? "secp256k1 and Keccak-256 (sm_crypto=false)" : name;
}

/** What every ledger has to have alike. @param genesisHash by the files of the node */
export function ledgerPairs(
  of: Pick<SnapshotFacts, "groupId" | "suite" | "supportedVersion" | "genesisHash">,
  node: NodePlace,
  genesisHash: string,
): readonly Pair[] {
  const { nationalCrypto, supportedVersion } = node.chain;
  const suite = suiteWords(nationalCrypto ? "national" : "standard");
  const version = formatVersion(supportedVersion);
  const place = "[compatibility] supported_version in config.ini";
  return [
    ["algorithms", suiteWords(of.suite), suite, "[chain] sm_crypto in config.ini"],
    ["compatibility version", of.supportedVersion, version, place],
    ["genesis block", of.genesisHash, genesisHash, genesisPath(node, of.groupId)],
  ];
}

/** Compares what a snapshot is of with the node; gives the genesis of the node's own file. */
async function admitted(
  node: NodePlace,
  file: string,
  facts: SnapshotFacts,
  suite: CryptoSuite,
): Promise<GenesisConfig> {
  const { supportedVersion: version, chainId } = node.chain;
  const { genesis } = await groupFacts(node, facts.groupId);
  if (!genesis) {
    const next = "copy it from a member of the group, it is the same on all";
    throw new FolderFault("missing", `${genesisPath(node, facts.groupId)} is not there: ${next}`);
  }
  const { hash } = genesisBlock({ suite, version, genesis });
  requireAlike(file, node, [
    ["chain id", `${facts.chainId}`, `${chainId}`, "[chain] id in config.ini"],
    ...ledgerPairs(facts, node, hash),
  ]);
  return genesis;
}

/** The fault of a snapshot with its file. */
function named(cause: unknown, file: string): unknown {
  if (!(cause instanceof SnapshotFault)) return cause;
  const { message, remedy } = cause;
  return new SnapshotFault(`${file}: ${message}. Nothing was changed: ${remedy}`, { cause });
}

/** What an operator reads behind the sums of a restored or imported group. */
export function abstentionLines({ home }: NodePlace): readonly string[] {
  const status = `chain-node status ${shellWord(home)}`;
  return [
    `the node is silent until it knows that it repeats no vote: ${status} tells`,
    "where all sealers of the group were restored or imported: chain-node confirm on each of them",
  ];
}

/** Names the ledger of before, where there was one. */
export function keptLines(kept: string | undefined): readonly string[] {
  return kept === undefined ? [] : [`the ledger that was there is now ${kept}`];
}

function reportText(node: NodePlace, { result, kept }: Installed<Restored>): string {
  const { facts, sums } = result;
  const lines = [
    `group ${facts.groupId} restored to block ${facts.number}: ${sums.transactions} transactions`,
    `content hash ${sums.contentHash}: compare it with that of other members`,
    ...keptLines(kept),
    ...abstentionLines(node),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Restores a snapshot into a node's folder. @throws FolderFault, SnapshotFault, StoreFault */
export async function restoreFile(
  file: string,
  node: NodePlace,
  replace: boolean,
): Promise<Installed<Restored>> {
  if (!(await stat(file).catch(() => undefined))?.isFile())
    throw new FolderFault("missing", `${file} is not there, or is no file`);
  const suite = await createChainSuite(node.chain.nationalCrypto ? "national" : "standard");
  const line = createCountLine();
  try {
    const facts = await readFacts(file);
    const genesis = await admitted(node, file, facts, suite);
    const version = node.chain.supportedVersion;
    const progress = (text: string) => line.show(() => text);
    const options = { suite, version, genesis, progress };
    // The file is read a second time: it must not have become another one.
    const admit = (again: SnapshotFacts) =>
      requireAlike(file, node, [["head", again.hash, facts.hash, "at first"]]);
    const folder = node.folderOf(facts.groupId);
    // A damaged file is told before somebody is sent to replace a ledger by it.
    if (!replace && (await isFolder(folder))) await requireWhole(file);
    return await installLedger({
      folder,
      replace,
      fill: (store) => restoreSnapshot(bytesOf(file), { ...options, store, admit }),
    });
  } catch (cause) {
    throw named(cause, file);
  } finally {
    line.end();
  }
}

/** Tells what was restored. */
export function tellRestored(node: NodePlace, installed: Installed<Restored>, json: boolean) {
  const { kept = null, result } = installed;
  const { groupId: group, number, hash } = result.facts;
  const line = JSON.stringify({ folder: node.home, group, number, hash, ...result.sums, kept });
  process.stdout.write(json ? `${line}\n` : reportText(node, installed));
}

/** Restores. @throws FolderFault, ConfigFault, SnapshotFault, StoreFault */
export async function runRestore(
  file: string,
  folder: string,
  { replace, json }: { readonly replace: boolean; readonly json: boolean },
): Promise<void> {
  const node = await requireNode(folder);
  const held = await holdNode(node);
  try {
    tellRestored(node, await restoreFile(file, node, replace), json);
  } finally {
    await held.close();
  }
}
