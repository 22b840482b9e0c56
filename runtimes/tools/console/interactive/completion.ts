/** What Tab offers. Source: console 2 */
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { itemsOf } from "../../../../core/client/abi-item.ts";
import { listKeyFiles } from "../account/key-files.ts";
import type { CompletionKind, ConsoleCommand, Parameter } from "../command.ts";
import { SOURCE_FOLDER } from "../contracts/contract-file.ts";
import { deployedContracts, keptAbi, latestAddress } from "../contracts/deployed.ts";
import type { Session } from "../session.ts";
import { SYSTEM_KEYS } from "../system-keys.ts";
import { findCommand } from "../usage.ts";

/** What is offered for a word, and the word. */
export type Completion = readonly [offered: readonly string[], word: string];

/** What the offers are made from. */
export interface CompletionPlace {
  readonly session: Session;
  readonly commands: readonly ConsoleCommand[];
  /** The working folder. */
  readonly workingFolder: string;
}

/** Deployed addresses that are offered, newest first. Source: console 2 */
const MOST_ADDRESSES = 20;
/** Interfaces that contracts import and nobody deploys. Source: console 2 */
const HIDDEN = new Set(["Table"]);

/** The words before the cursor; the last one is being typed. */
interface Typed {
  readonly before: readonly string[];
  readonly word: string;
}

function typedOf(line: string): Typed {
  const words = line.trimStart().split(/\s+/);
  return { before: words.slice(0, -1), word: words.at(-1) ?? "" };
}

function beginsWith(text: string, beginning: string): boolean {
  return text.toLowerCase().startsWith(beginning.toLowerCase());
}

/** The parameter that is typed; the last one when it takes all that follow. */
function parameterAt(command: ConsoleCommand, index: number): Parameter | undefined {
  const last = command.parameters.at(-1);
  return command.parameters[index] ?? (last?.isMany ? last : undefined);
}

/** Files and folders that a beginning of a path leads to; folders end in a slash. */
async function pathsFrom(beginning: string, workingFolder: string): Promise<readonly string[]> {
  const cut = beginning.lastIndexOf("/") + 1;
  const written = beginning.slice(0, cut);
  const home = written.startsWith("~/") ? join(homedir(), written.slice(1)) : written;
  const entries = await readdir(resolve(workingFolder, home || "."), { withFileTypes: true });
  const showsHidden = beginning.slice(cut).startsWith(".");
  return entries
    .filter(({ name }) => showsHidden || !name.startsWith("."))
    .map((entry) => `${written}${entry.name}${entry.isDirectory() ? "/" : ""}`);
}

async function contracts(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, SOURCE_FOLDER)).catch(() => []);
  return names
    .filter((name) => name.endsWith(".sol"))
    .map((name) => name.slice(0, -".sol".length))
    .filter((name) => !HIDDEN.has(name));
}

/** Names of the functions of a deployed contract, by the ABI that is kept of it. */
async function functionsOf(session: Session, contract: string, at: string) {
  const { folder, groupId } = session;
  const place = { folder, groupId };
  const address = at === "latest" ? await latestAddress(place, contract) : at;
  const abi = (await keptAbi(place, contract, address)) ?? [];
  return [...new Set(itemsOf(abi, "function").map(({ name }) => name ?? ""))];
}

async function addressesOf(session: Session, contract: string): Promise<readonly string[]> {
  const { folder, groupId } = session;
  const found = await deployedContracts({ folder, groupId }, contract);
  return ["latest", ...found.slice(0, MOST_ADDRESSES).map(({ address }) => address)];
}

async function accounts(session: Session): Promise<readonly string[]> {
  const files = await listKeyFiles(await session.keyFolder());
  return [...new Set(files.map(({ address }) => address))];
}

const OFFERS: Readonly<
  Record<
    CompletionKind,
    (place: CompletionPlace, typed: Typed) => Promise<readonly string[]> | readonly string[]
  >
> = {
  contract: async ({ session, workingFolder }, { word }) => [
    ...(await contracts(session.folder)),
    ...(word === "" ? [] : await pathsFrom(word, workingFolder)),
  ],
  contractAddress: ({ session }, { before }) => addressesOf(session, before.at(-1) ?? ""),
  contractFunction: ({ session }, { before }) =>
    functionsOf(session, before.at(-2) ?? "", before.at(-1) ?? ""),
  account: ({ session }) => accounts(session),
  accountOrFile: async ({ session, workingFolder }, { word }) => [
    ...(await accounts(session)),
    ...(await pathsFrom(word, workingFolder)),
  ],
  accountFormat: () => ["pem", "p12"],
  systemKey: () => SYSTEM_KEYS.map(({ name }) => name),
  boolean: () => ["true", "false"],
  endpoint: ({ session }) => session.endpoints(),
  group: async ({ session }) => (await session.query("getGroupList", [])).map(String),
  nodeId: ({ session }) => session.query("getNodeIDList", [session.groupId]),
  command: ({ commands }) => commands.map(({ name }) => name),
  file: ({ workingFolder }, { word }) => pathsFrom(word, workingFolder),
};

async function offersFor(place: CompletionPlace, typed: Typed): Promise<readonly string[]> {
  const [name = "", ...args] = typed.before;
  const command = findCommand(name, place.commands);
  const kind = parameterAt(command, args.length)?.completes;
  const flags = typed.word.startsWith("-") ? (command.flags ?? []) : [];
  const words = kind === undefined ? [] : await OFFERS[kind](place, typed);
  return [...words, ...flags.map((flag) => flag.name)];
}

/**
 * The words that may stand at the end of a line; upper and lower case count as the same. Where a
 * node has to be asked and does not answer, nothing is offered.
 */
export async function complete(line: string, place: CompletionPlace): Promise<Completion> {
  const typed = typedOf(line);
  const { before, word } = typed;
  const all =
    before.length === 0
      ? place.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
      : await offersFor(place, typed).catch(() => []);
  const fitting = [...new Set(all)].filter((offer) => beginsWith(offer, word)).sort();
  const [only] = fitting;
  // The next word can be typed at once; the rest of a path cannot.
  const ends = fitting.length === 1 && only !== undefined && !only.endsWith("/");
  return [ends ? [`${only} `] : fitting, word];
}
