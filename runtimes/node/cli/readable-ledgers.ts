/**
 * The ledgers of a node for a command that reads them: those of a stopped node are held meanwhile,
 * a running one lends the files that they consist of now.
 */
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { type BorrowedView, borrowView } from "../client/control-client.ts";
import {
  groupsIn,
  holdNode,
  type LedgerPlace,
  ledgersOf,
  type NodePlace,
  presentOf,
} from "../store/ledger-place.ts";

interface ReadableLedgers {
  /** Those of the wanted group, or of all, in the order of their groups. */
  readonly ledgers: readonly LedgerPlace[];
  close(): Promise<void>;
}

/** Borrows from the node that runs; undefined when it has no control socket. */
async function borrow(node: NodePlace, group?: number): Promise<ReadableLedgers | undefined> {
  const views: BorrowedView[] = [];
  const ledgers: LedgerPlace[] = [];
  const close = async () => {
    for (const view of views) view.close();
  };
  try {
    // The node runs: nothing of its folders may be changed.
    const present = async () => presentOf(node, await groupsIn(node));
    const wanted = group === undefined ? (await present()).map(({ groupId }) => groupId) : [group];
    for (const groupId of wanted) {
      const view = await borrowView(node.home, groupId);
      if (!view) return undefined;
      views.push(view);
      ledgers.push({ node, groupId, folder: node.folderOf(groupId), files: view.folder });
    }
  } catch (cause) {
    await close();
    throw cause;
  }
  return { ledgers, close };
}

async function held(node: NodePlace, group?: number): Promise<ReadableLedgers> {
  const folder = await holdNode(node);
  try {
    const found = await ledgersOf(node);
    const ledgers = found.filter(({ groupId }) => group === undefined || groupId === group);
    return { ledgers, close: () => folder.close() };
  } catch (cause) {
    await folder.close();
    throw cause;
  }
}

/**
 * Lends the ledgers of a node, of one group or of all.
 * @throws StoreFault locked where the node runs and has no control socket; FolderFault
 */
export async function readableLedgers(node: NodePlace, group?: number): Promise<ReadableLedgers> {
  try {
    return await held(node, group);
  } catch (cause) {
    if (!(cause instanceof StoreFault) || cause.kind !== "locked") throw cause;
    const borrowed = await borrow(node, group);
    if (!borrowed) throw cause;
    return borrowed;
  }
}

/** As {@link readableLedgers} for one group. @throws FolderFault missing */
export async function readableLedger(
  node: NodePlace,
  group: number,
): Promise<{ readonly place: LedgerPlace; close(): Promise<void> }> {
  const { ledgers, close } = await readableLedgers(node, group);
  const [place] = ledgers;
  if (place) return { place, close };
  await close();
  const next = "the node has no ledger of that group";
  throw new FolderFault("missing", `${node.folderOf(group)} is not there: ${next}`);
}
