/** `chain-node clean`: lists ledgers that were replaced and kept, asks, and deletes them. */
import { rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import { type Asked, isAgreed } from "../../tools/network/clean.ts";
import { statOf } from "../store/folder-presence.ts";
import { isReplacedLedger } from "../store/installed-ledger.ts";
import { findNodes, groupsIn, namesIn, type NodePlace } from "../store/ledger-place.ts";

/** A ledger that restore or import has replaced. */
interface Replaced {
  readonly node: string;
  /** Absolute. */
  readonly folder: string;
  readonly bytes: number;
  /** When it was replaced, ISO 8601. */
  readonly since: string;
}

const MEBIBYTE = 1024 * 1024;

async function bytesIn(folder: string): Promise<number> {
  const files = (await namesIn(folder)).map((name) => statOf(join(folder, name)));
  return (await Promise.all(files)).reduce((sum, file) => sum + (file?.size ?? 0), 0);
}

/** Those of one node, next to the ledgers that took their place. */
async function replacedIn(node: NodePlace): Promise<readonly Replaced[]> {
  const groups = await groupsIn(node);
  const places = new Set(groups.map((group) => dirname(node.folderOf(group))));
  const found: Replaced[] = [];
  for (const place of places) {
    for (const name of (await namesIn(place)).filter(isReplacedLedger)) {
      const folder = join(place, name);
      // A rename changes the folder's own record.
      const since = (await stat(folder)).ctime.toISOString();
      found.push({ node: node.name, folder, bytes: await bytesIn(folder), since });
    }
  }
  return found;
}

function list(found: readonly Replaced[]): string {
  const lines = found.map(({ folder, bytes, since }) => {
    const size = `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
    return `  ${folder}  ${size}, replaced ${since}`;
  });
  return ["to be removed:", ...lines, ""].join("\n");
}

/** Removes replaced ledgers; the exit code is 1 when not agreed to. @throws FolderFault */
export async function runClean(
  folder: string,
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
  asked: Asked = { input: process.stdin, output: process.stderr },
): Promise<number> {
  const found = (await Promise.all((await findNodes(folder)).map(replacedIn))).flat();
  if (found.length > 0) {
    process.stderr.write(list(found));
    if (!yes && !(await isAgreed(asked, "these ledgers"))) {
      process.stderr.write("nothing was removed\n");
      return 1;
    }
  }
  for (const { folder: path } of found) {
    await rm(path, { recursive: true, force: true }).catch((cause: unknown) => {
      throw new FolderFault("unusable", `${path} cannot be removed: ${reasonOf(cause)}`, { cause });
    });
  }
  const removed = found.length === 1 ? "1 ledger was removed" : `${found.length} ledgers removed`;
  const said = found.length === 0 ? "no replaced ledger is kept here" : removed;
  process.stdout.write(`${json ? JSON.stringify({ removed: found }) : said}\n`);
  return 0;
}
