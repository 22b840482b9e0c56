/**
 * A chain of this browser from its chain file and the snapshots of its groups. Everything is
 * checked on the way; the chain is there once the last step, its record, is done. Each node is
 * silent then, until it knows that it repeats no vote or its user says that no other copy runs.
 * Source: decision 25
 */
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { genesisBlock } from "../../../core/ledger/genesis-block.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { decodeHeader, headerHash } from "../../../core/model/header.ts";
import { formatVersion } from "../../../core/model/version.ts";
import type { Store, StoreWrite } from "../../../core/ports/store.ts";
import { DEV_GROUP_ID, devGenesis } from "../../shared/dev/dev-genesis.ts";
import { jsonGroupFormat } from "../../shared/group-text.ts";
import { genesisOfHeader } from "../../shared/ledger-check/genesis-mark.ts";
import { CHUNK, readChunks, SnapshotFault } from "../../shared/snapshot/chunk.ts";
import { decodeFacts, readBlocks, type SnapshotFacts } from "../../shared/snapshot/content.ts";
import { type Restored, restoreSnapshot } from "../../shared/snapshot/restore-snapshot.ts";
import { LARGE_PAGE } from "../../shared/store-pages.ts";
import type { TabStorage } from "../tab-storage.ts";
import { type ChainFile, ChainFileFault, fileDigits, textOfDigits } from "./chain-file.ts";
import { versionOf } from "./tab-backup.ts";

interface RestoreParts {
  readonly file: ChainFile;
  /** One per group, in any order. */
  readonly snapshots: readonly Blob[];
  readonly suite: CryptoSuite;
  /** Where the chain goes; nothing of it is there yet. */
  readonly storage: TabStorage;
  readonly progress: (place: string) => void;
}

/** Bytes of entries that are copied at once. */
const COPY_BYTES = 2 * 1024 * 1024;

/** The bytes of a file in pieces; no more than one of them waits in memory. */
export async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = blob.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** What a snapshot says it is of, and the configuration that its block 0 spells. */
async function readBeginning(
  blob: Blob,
  rules: Pick<RestoreParts, "suite"> & { readonly version: ReturnType<typeof versionOf> },
): Promise<{ readonly facts: SnapshotFacts; readonly genesis: GenesisConfig | undefined }> {
  let facts: SnapshotFacts | undefined;
  for await (const { kind, content } of readChunks(piecesOf(blob))) {
    if (kind === CHUNK.facts) facts = decodeFacts(content);
    if (!facts) break;
    if (kind !== CHUNK.blocks) continue;
    const [first] = readBlocks(content);
    const header = first && decodeHeader(first.headerRlp);
    if (!header) break;
    const genesis = genesisOfHeader(header, headerHash(header, rules.suite), rules);
    return { facts, genesis };
  }
  throw new SnapshotFault("the file is no whole snapshot");
}

/** The configuration of a group as the chain's own files have it; undefined where none has. */
function ownGenesis({ record, files }: ChainFile, groupId: number): GenesisConfig | undefined {
  if (record.kind === "chain" && groupId === DEV_GROUP_ID)
    return devGenesis({ ...record, sealers: record.nodeIds as readonly NodeId[] });
  const path = `conf/group.${groupId}.genesis`;
  const digits = files.map((of) => of[path]).find((found) => found !== undefined);
  return digits === undefined
    ? undefined
    : jsonGroupFormat().readGenesis(textOfDigits(digits), path);
}

/** A snapshot that belongs to the chain. */
interface Admitted {
  readonly blob: Blob;
  readonly facts: SnapshotFacts;
  readonly genesis: GenesisConfig;
}

/** @throws ChainFileFault when the snapshot is of another chain; SnapshotFault */
async function admit(blob: Blob, { file, suite }: RestoreParts): Promise<Admitted> {
  const { record } = file;
  const version = versionOf(record);
  const { facts, genesis: spelt } = await readBeginning(blob, { suite, version });
  const genesis = ownGenesis(file, facts.groupId) ?? spelt;
  const other = (what: string) =>
    new ChainFileFault(`the snapshot of group ${facts.groupId} belongs to another chain: ${what}`);
  if (facts.chainId !== record.chainId) throw other(`its chain id is ${facts.chainId}`);
  if (facts.suite !== suite.name) throw other(`its algorithms are ${facts.suite}`);
  if (facts.supportedVersion !== formatVersion(version))
    throw other(`its compatibility version is ${facts.supportedVersion}`);
  if (!genesis) throw other("its block 0 does not tell who may seal");
  if (genesisBlock({ suite, version, genesis }).hash !== facts.genesisHash)
    throw other("its block 0 is another one");
  return { blob, facts, genesis };
}

/** Copies a store; both are of the same group. */
async function copyStore(from: Store, to: Store): Promise<void> {
  let writes: StoreWrite[] = [];
  let bytes = 0;
  const flush = async (durable: boolean): Promise<void> => {
    await to.commit(writes, { durable });
    writes = [];
    bytes = 0;
  };
  for (let next = ""; ; ) {
    const entries = await from.range(next, "\xff\xff", LARGE_PAGE * 16);
    for (const { key, value } of entries) {
      writes.push({ key, value });
      bytes += key.length + value.length;
      if (bytes >= COPY_BYTES) await flush(false);
    }
    const last = entries.at(-1);
    if (!last) break;
    next = `${last.key}\0`;
  }
  await flush(true);
}

async function restoreGroup(parts: RestoreParts, { blob, genesis }: Admitted): Promise<Restored> {
  const { file, suite, storage, progress } = parts;
  const { record } = file;
  const { groupId } = genesis;
  const version = versionOf(record);
  const first = await storage.openStore(record, 0, groupId);
  try {
    const restored = await restoreSnapshot(piecesOf(blob), {
      store: first,
      suite,
      version,
      genesis,
      // The file is read a second time; what it is of was examined.
      admit: () => undefined,
      progress: (place) => progress(`group ${groupId}, ${place}`),
    });
    for (let node = 1; node < record.nodeIds.length; node++) {
      progress(`group ${groupId}, node ${node}`);
      const store = await storage.openStore(record, node, groupId);
      await copyStore(first, store).finally(() => store.close());
    }
    return restored;
  } finally {
    await first.close();
  }
}

async function restoreFiles({ file, storage }: RestoreParts): Promise<void> {
  for (const index of file.record.nodeIds.keys()) {
    const files = await storage.openFiles(file.record, index);
    for (const [path, digits] of Object.entries(file.files[index] ?? {}))
      await files.write(path, fileDigits.read(digits));
  }
}

/** A group without its ledger would begin anew under keys that have voted in it. */
function requireAllGroups({ groups }: ChainFile, given: readonly number[]): void {
  if (given.length === 0) throw new ChainFileFault("no snapshot was given");
  const missing = groups.find((id) => !given.includes(id));
  if (missing !== undefined)
    throw new ChainFileFault(`there is no snapshot of group ${missing}: it belongs to the chain`);
  const unknown = given.find((id) => !groups.includes(id));
  if (unknown !== undefined)
    throw new ChainFileFault(`the chain file knows no group ${unknown}: a newer one is wanted`);
}

/** The keys are those of the nodes. */
function requireOwnKeys({ file: { keys, record }, suite }: RestoreParts): void {
  for (const [index, key] of keys.entries()) {
    if (nodeIdOf(suite.publicKey(key)) === record.nodeIds[index]) continue;
    throw new ChainFileFault(`the chain file is damaged: key ${index + 1} is of another node`);
  }
}

/**
 * Restores the ledgers and files of a chain; its record is left to the caller.
 *
 * @throws ChainFileFault, SnapshotFault, StoreFault; what was written is discarded then
 */
export async function restoreChain(parts: RestoreParts): Promise<readonly Restored[]> {
  requireOwnKeys(parts);
  const admitted: Admitted[] = [];
  for (const blob of parts.snapshots) admitted.push(await admit(blob, parts));
  const groups = admitted.map(({ facts }) => facts.groupId);
  const twice = groups.find((id, index) => groups.indexOf(id) !== index);
  if (twice !== undefined) throw new ChainFileFault(`two snapshots are of group ${twice}`);
  requireAllGroups(parts.file, groups);
  const restored: Restored[] = [];
  for (const one of admitted) restored.push(await restoreGroup(parts, one));
  await restoreFiles(parts);
  return restored;
}
