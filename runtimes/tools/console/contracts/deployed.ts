/** What was deployed from this folder: ABIs and code, and the log. Source: console 4.3 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type AbiList, readAbi } from "../../../../core/client/abi-list.ts";
import type { Hex } from "../../../../core/client/rpc-objects.ts";
import { readText, writeAll, writeWhole } from "../../../folder/whole-files.ts";
import { usageFault } from "../command.ts";
import { contractNameOf } from "./contract-file.ts";

const CACHE_FOLDER = "contracts/.compiled";
/** Log of deployments, below the console folder. Source: console 4.3 */
const LOG_FILE = "deploylog.txt";
const MOST_LOG_LINES = 10_000;
const NAME_WIDTH = 20;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Whose cache it is. */
export interface DeployedPlace {
  /** The console folder, absolute. */
  readonly folder: string;
  readonly groupId: number;
}

/** A contract that was deployed from here. */
export interface DeployedContract {
  readonly address: Hex;
  /** Milliseconds since 1970. */
  readonly deployedAt: number;
}

/** What is kept of a contract. */
export interface KeptContract {
  readonly name: string;
  readonly address: string;
  readonly abi: AbiList;
  /** Creation code, digits without 0x; absent when only the ABI is known. */
  readonly code?: string | undefined;
}

function contractFolder({ groupId }: DeployedPlace, name: string): string {
  return join(CACHE_FOLDER, `${groupId}`, name);
}

/** Keeps ABI and code of a contract at its address. */
export async function keepContract(
  place: DeployedPlace,
  { name, address, abi, code }: KeptContract,
): Promise<void> {
  const folder = join(contractFolder(place, name), address.toLowerCase());
  const abiFile = { path: join(folder, `${name}.abi`), text: JSON.stringify(abi), use: "text" };
  const codeFile = { path: join(folder, `${name}.bin`), text: code ?? "", use: "text" };
  const files = code === undefined ? [abiFile] : [abiFile, codeFile];
  await writeAll(place.folder, files as Parameters<typeof writeAll>[1]);
}

/** The ABI that is kept of a contract at an address; undefined when there is none. */
export async function keptAbi(
  place: DeployedPlace,
  name: string,
  address: string,
): Promise<AbiList | undefined> {
  const file = join(contractFolder(place, name), address.toLowerCase(), `${name}.abi`);
  const text = await readText(join(place.folder, file));
  return text === undefined ? undefined : readAbi(text);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

/** Addresses of a contract, the newest first. */
export async function deployedContracts(
  place: DeployedPlace,
  given: string,
): Promise<readonly DeployedContract[]> {
  const folder = join(place.folder, contractFolder(place, contractNameOf(given)));
  const addresses = (await namesIn(folder)).filter((name) => ADDRESS.test(name));
  const found = await Promise.all(
    addresses.map(async (address) => ({
      address: address as Hex,
      deployedAt: (await stat(join(folder, address))).mtimeMs,
    })),
  );
  return found.sort((a, b) => b.deployedAt - a.deployedAt);
}

/** Every contract of which an ABI is kept for an address, whatever its name. */
export async function keptAbisAt(
  place: DeployedPlace,
  address: string,
): Promise<readonly AbiList[]> {
  const names = await namesIn(join(place.folder, CACHE_FOLDER, `${place.groupId}`));
  const abis = await Promise.all(names.map((name) => keptAbi(place, name, address)));
  return abis.filter((abi) => abi !== undefined);
}

/** @throws ConsoleFault with exit code 2 when nothing was deployed from here */
export async function latestAddress(place: DeployedPlace, given: string): Promise<Hex> {
  const [latest] = await deployedContracts(place, given);
  if (latest) return latest.address;
  const name = contractNameOf(given);
  throw usageFault(
    `${name} was not deployed to group ${place.groupId} from this folder: deploy it first, or ` +
      "give its address.",
  );
}

function two(value: number): string {
  return `${value}`.padStart(2, "0");
}

/** `yyyy-MM-dd HH:mm:ss` in the time zone of this computer. */
export function localTime(milliseconds: number): string {
  const at = new Date(milliseconds);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Adds a line to the log of deployments; the newest are kept. Source: console 4.3 */
export async function logDeployment(
  { folder, groupId }: DeployedPlace,
  name: string,
  address: string,
): Promise<void> {
  const shown = name.padEnd(NAME_WIDTH);
  const line = `${localTime(Date.now())}  [group:${groupId}]  ${shown}  ${address}`;
  const before = (await readText(join(folder, LOG_FILE)))?.split("\n") ?? [];
  const lines = [...before.filter((it) => it !== ""), line].slice(-MOST_LOG_LINES);
  await writeWhole(folder, { path: LOG_FILE, text: `${lines.join("\n")}\n`, use: "text" });
}

/** The newest lines of the log that are about the group, the oldest first. */
export async function deploymentLog(
  { folder, groupId }: DeployedPlace,
  count: number,
): Promise<readonly string[]> {
  const text = (await readText(join(folder, LOG_FILE))) ?? "";
  const lines = text.split("\n").filter((line) => line.includes(`  [group:${groupId}]  `));
  return lines.slice(-count);
}
