/** What is cached of deployed contracts below `contracts/.compiled`. Source: console 4.3 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { JsonItem } from "../../../core/client/abi-item.ts";
import { readText } from "../../folder/whole-files.ts";

/** Below the console folder. */
export const COMPILED = "contracts/.compiled";

/** A contract that was deployed from this folder. */
export interface DeployedContract {
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly deployedAt: number;
}

/** The folder of a group. */
export function cacheFolder(folder: string, groupId: number): string {
  return join(folder, COMPILED, String(groupId));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

/** Deployed addresses of a contract, newest first; none when nothing is cached. */
export async function deployedContracts(
  folder: string,
  groupId: number,
  contract: string,
): Promise<readonly DeployedContract[]> {
  const place = join(cacheFolder(folder, groupId), contract);
  const names = (await namesIn(place)).filter((name) => /^0x[0-9a-f]{40}$/i.test(name));
  const found = names.map(async (address) => {
    const { mtimeMs } = await stat(join(place, address));
    return { address, deployedAt: mtimeMs };
  });
  const all = await Promise.all(found);
  return all.sort((a, b) => b.deployedAt - a.deployedAt || a.address.localeCompare(b.address));
}

/** The ABI of a deployed contract; undefined when it is not cached, or cannot be read. */
export async function cachedAbi(
  folder: string,
  groupId: number,
  { contract, address }: { readonly contract: string; readonly address: string },
): Promise<readonly JsonItem[] | undefined> {
  const file = join(cacheFolder(folder, groupId), contract, address, `${contract}.abi`);
  const text = await readText(file);
  if (text === undefined) return undefined;
  try {
    const abi = JSON.parse(text) as unknown;
    return Array.isArray(abi) ? (abi as readonly JsonItem[]) : undefined;
  } catch {
    return undefined;
  }
}

/** The ABI of whichever contract was deployed at an address. */
export async function abiAt(
  folder: string,
  groupId: number,
  address: string,
): Promise<{ readonly contract: string; readonly abi: readonly JsonItem[] } | undefined> {
  for (const contract of await namesIn(cacheFolder(folder, groupId))) {
    const abi = await cachedAbi(folder, groupId, { contract, address });
    if (abi !== undefined) return { contract, abi };
  }
  return undefined;
}
