/** `chain-node snapshot`: a group's ledger as one file. */
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { flushFolder, codeOf } from "../../folder/durable-folder.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { genesisOfMark } from "../../shared/ledger-check/genesis-mark.ts";
import type { SnapshotSums } from "../../shared/snapshot/content.ts";
import { writeSnapshot } from "../../shared/snapshot/write-snapshot.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { createCountLine } from "./count-line.ts";
import { isFolder } from "../store/folder-presence.ts";
import {
  groupFacts,
  type LedgerPlace,
  openLedgerStore,
  requireReadable,
} from "../store/ledger-place.ts";
import { readableLedger } from "./readable-ledgers.ts";

/** Refuses a file that is there, and a folder that is not. */
export async function requireFree(file: string): Promise<void> {
  if (await stat(file).catch(() => undefined))
    throw new FolderFault("exists", `${file} is there already: choose another name`);
  if (!(await isFolder(dirname(resolve(file)))))
    throw new FolderFault("missing", `${dirname(resolve(file))} is not a folder`);
}

/** Opens the draft of a file; nobody else's is taken for it. @throws FolderFault exists */
export async function openDraft(draft: string): Promise<FileHandle> {
  return open(draft, "wx").catch((cause: unknown) => {
    if (codeOf(cause) !== "EEXIST") throw cause;
    const next = "remove it if a run that was cut short has left it, or choose another name";
    throw new FolderFault("exists", `${draft} is there already: ${next}`, { cause });
  });
}

/** Writes all pieces to a file that is there whole or not at all; gives what they return. */
async function writeWhole<Result>(file: string, pieces: AsyncGenerator<Uint8Array, Result>) {
  const draft = `${file}.new`;
  const handle = await openDraft(draft);
  try {
    let result: Result;
    try {
      for (;;) {
        const { done, value } = await pieces.next();
        if (done) {
          result = value;
          break;
        }
        await handle.writeFile(value);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    await flushFolder(dirname(resolve(file)));
    return result;
  } catch (cause) {
    await rm(draft, { force: true });
    if (codeOf(cause) !== "ENOSPC") throw cause;
    throw new FolderFault("unusable", `${file}: there is no space left on the disk`, { cause });
  }
}

async function writeFrom(place: LedgerPlace, file: string): Promise<SnapshotSums> {
  const { node, groupId } = place;
  const { chainId, nationalCrypto, supportedVersion: version } = node.chain;
  const suite = await createChainSuite(nationalCrypto ? "national" : "standard");
  const { genesis } = await groupFacts(node, groupId);
  const store = await openLedgerStore(place);
  const line = createCountLine();
  const progress = (text: string) => line.show(() => text);
  try {
    const rules = { store, suite, version };
    const { consensusType = "pbft" } = genesis ?? (await genesisOfMark(rules)) ?? {};
    const pieces = writeSnapshot({ ...rules, chainId, groupId, consensusType, progress });
    return await writeWhole(file, pieces);
  } finally {
    line.end();
    await store.close();
  }
}

/** Writes a snapshot. @throws FolderFault, ConfigFault, StoreFault, SnapshotFault */
export async function runSnapshot(
  folder: string,
  options: { readonly out: string; readonly group: number; readonly json: boolean },
): Promise<void> {
  const { group, out: file, json } = options;
  const node = await requireReadable(folder);
  await requireFree(file);
  const held = await readableLedger(node, group);
  try {
    const sums = await writeFrom(held.place, file);
    const { blocks, transactions, contentHash } = sums;
    const { size } = await stat(file);
    const said = `group ${group} at block ${blocks - 1}: ${transactions} transactions in ${file} \
(${size} bytes)\ncontent hash ${contentHash}: the same on every member at block ${blocks - 1}`;
    const line = JSON.stringify({ file, group, number: blocks - 1, ...sums, bytes: size });
    process.stdout.write(`${json ? line : said}\n`);
  } finally {
    await held.close();
  }
}
