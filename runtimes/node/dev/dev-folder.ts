/** The data folder of a dev chain: ours, held, and of the chain that was begun in it. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { DEV_CHAIN_ID } from "../../shared/dev/dev-genesis.ts";
import type { Undo } from "../machine/undo.ts";
import { type DataFolder, openDataFolder } from "../store/data-folder.ts";

/** File that fixes what a dev chain was made with. */
const CHAIN_FILE = "chain.json";

/** What the first start of a chain settles: the keys of its nodes are in the genesis block. */
interface ChainKind {
  readonly nodes: number;
  /** Whether the chain is of the national suite. */
  readonly sm: boolean;
}

/** Refuses to continue a chain as one of another size or suite. */
async function requireSameChain(folder: DataFolder, { nodes, sm }: ChainKind): Promise<void> {
  const file = join(folder.path, CHAIN_FILE);
  // Also when an earlier start ended right after the folder was marked: no key depends on it yet.
  const hasNodes = (await readdir(folder.path)).some((name) => /^node\d+$/.test(name));
  if (!hasNodes) {
    await writeFile(file, `${JSON.stringify(sm ? { nodes, sm } : { nodes })}\n`);
    return;
  }
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new StoreFault("corrupt", `${file} cannot be read`, { cause });
  });
  const [, made, national] = /^\{"nodes":(\d+)(,"sm":true)?\}\s*$/.exec(text) ?? [];
  if (made === undefined) throw new StoreFault("corrupt", `${file} is damaged`);
  if ((national !== undefined) !== sm)
    throw new StoreFault(
      "foreign",
      `${folder.path} holds a chain of the ${sm ? "standard" : "national"} suite; ` +
        `start ${sm ? "without" : "with"} --sm to continue it, or with --reset to start over`,
    );
  if (Number(made) !== nodes)
    throw new StoreFault(
      "foreign",
      `${folder.path} holds a chain of ${made} node${made === "1" ? "" : "s"}, not ${nodes}; ` +
        `start with --nodes ${made} to continue it, or with --reset to start over`,
    );
}

/** Where a chain lies, and which it is. */
export interface DevFolderOptions extends ChainKind {
  /** A temporary folder when absent. */
  readonly data: string | undefined;
  /** Removed at the end. */
  readonly ephemeral: boolean;
}

/** Opens the folder; `undo` closes it. @throws StoreFault */
export async function openDevFolder(options: DevFolderOptions, undo: Undo): Promise<DataFolder> {
  if (options.data === undefined && !options.ephemeral)
    throw new StoreFault("foreign", "a chain that is kept needs a data folder");
  const path = options.data ?? (await mkdtemp(join(tmpdir(), "chain-node-")));
  // A given folder is removed only once it is known to be ours: it could be anybody's home.
  let mayRemove = options.data === undefined;
  if (options.ephemeral) {
    undo.add(async () => {
      if (mayRemove) await rm(path, { recursive: true, force: true });
    });
  }
  const folder = await openDataFolder(path, { chainId: DEV_CHAIN_ID, now: Date.now() });
  mayRemove = true;
  undo.add(() => folder.close());
  await requireSameChain(folder, options);
  return folder;
}
