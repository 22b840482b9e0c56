/**
 * Puts a whole ledger in the place of a group's: it is built beside, and becomes visible by one
 * rename. A process that ends in the middle leaves the old ledger or the new one: whoever opens the
 * ledger next finishes what was begun. Source: storage 13.1, 13.7
 */
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Store } from "../../../core/ports/store.ts";
import { flushFolder } from "../../folder/durable-folder.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { isFolder } from "./folder-presence.ts";
import { dropView } from "./level-files/database-view.ts";
import { openLevelStore } from "./store.ts";

/** Ends the name of a ledger that is being built. */
const DRAFT = ".draft";
/** Ends the name of one that is whole, and takes the place of the other now. */
export const WHOLE = ".restored";
/** Ends, with a number, the names of ledgers that were replaced. */
const OLD = ".old-";

/** Whether a name beside a ledger is that of one that was replaced. */
export function isReplacedLedger(name: string): boolean {
  return /^[^.]+\.old-\d+$/.test(name);
}

interface Installation<Result> {
  /** Of the ledger's database; absolute. */
  readonly folder: string;
  /** Whether a ledger that is there may be replaced; it is kept beside. */
  readonly replace: boolean;
  /** Fills the empty store; when it fails nothing changes. */
  fill(store: Store): Promise<Result>;
  /** Writes what belongs to the ledger, once that is whole and before it becomes visible. */
  readonly addFiles?: () => Promise<void>;
}

/** What came of it. */
export interface Installed<Result> {
  readonly result: Result;
  /** Where the ledger is that was there before. */
  readonly kept: string | undefined;
}

async function freeName(stem: string): Promise<string> {
  for (let number = 1; ; number++)
    if (!(await isFolder(`${stem}${number}`))) return `${stem}${number}`;
}

/**
 * Finishes an installation that was cut short behind its last check, and drops what a check has
 * left. Gives what was replaced.
 */
export async function settleLedger(folder: string): Promise<string | undefined> {
  await dropView(folder);
  const whole = `${folder}${WHOLE}`;
  if (!(await isFolder(whole))) return undefined;
  const kept = (await isFolder(folder)) ? await freeName(`${folder}${OLD}`) : undefined;
  if (kept !== undefined) await rename(folder, kept);
  await rename(whole, folder);
  await flushFolder(dirname(folder));
  return kept;
}

async function requirePlace(folder: string, replace: boolean): Promise<void> {
  if (replace || !(await isFolder(folder))) return;
  const next = "--replace puts this one in its place and keeps the other beside it";
  throw new FolderFault("exists", `${folder} holds a ledger already: ${next}`);
}

async function fillDraft<Result>(draft: string, fill: (store: Store) => Promise<Result>) {
  const store = await openLevelStore(draft, { create: true });
  try {
    return await fill(store);
  } finally {
    await store.close();
  }
}

/** A failure with what became of the folder. */
function unchanged(cause: unknown, draft: string): unknown {
  if (!(cause instanceof StoreFault)) return cause;
  const message =
    cause.kind === "full" ? `${dirname(draft)}: there is no space left on the disk` : cause.message;
  return new StoreFault(cause.kind, `${message}. Nothing was changed`, { cause });
}

/**
 * Builds a ledger and puts it in place. The caller holds the node's data.
 * @throws FolderFault exists; StoreFault; what `fill` throws
 */
export async function installLedger<Result>(
  installation: Installation<Result>,
): Promise<Installed<Result>> {
  const { folder, replace, fill } = installation;
  await settleLedger(folder);
  await requirePlace(folder, replace);
  const draft = `${folder}${DRAFT}`;
  await rm(draft, { recursive: true, force: true });
  let result: Result;
  try {
    await mkdir(dirname(folder), { recursive: true });
    result = await fillDraft(draft, fill);
    await flushFolder(draft);
    await installation.addFiles?.();
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    throw unchanged(cause, draft);
  }
  await rename(draft, `${folder}${WHOLE}`);
  // From here on it is the new ledger that a crash leaves.
  await flushFolder(dirname(folder));
  return { result, kept: await settleLedger(folder) };
}
