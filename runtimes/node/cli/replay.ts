/**
 * `chain-node replay`: executes a recorded ledger from its genesis and compares everything that the
 * record shows.
 */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { GenesisConfig } from "../../../core/model/config.ts";
import {
  formatVersion,
  isSupportedVersion,
  NEWEST_VERSION,
  parseVersion,
  type Version,
} from "../../../core/model/version.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readGenesisFile } from "../../formats/config/genesis-file.ts";
import type { Difference } from "../../shared/ledger-file/differences.ts";
import { LedgerReplay, type ReplayedBlock } from "../../shared/ledger-file/ledger-replay.ts";
import { LedgerFileFault } from "../../shared/ledger-file/ledger-file-fault.ts";
import { readRecordedBlock } from "../../shared/ledger-file/recorded-block.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { createCountLine } from "./count-line.ts";
import { excerpts } from "./excerpts.ts";
import { textOf } from "../store/ledger-place.ts";
import { ledgerLines } from "../store/ledger-lines.ts";
import { openLevelStore } from "../store/store.ts";

/** Options of `chain-node replay`. */
export interface ReplayOptions {
  /** Absent: the file next to the ledger. */
  readonly genesis: string | undefined;
  /** Absent: what the meta file next to the ledger says, else the newest. */
  readonly supportedVersion: string | undefined;
  readonly json: boolean;
}

/** Differences printed; all are counted. */
const SHOWN_DIFFERENCES = 20;
const LEDGER_FILE = /^(.+?)\.jsonl(\.gz)?$/;

/** What stands next to a ledger file. */
export interface LedgerFacts {
  readonly genesis: GenesisConfig;
  readonly genesisFile: string;
  readonly version: Version;
  readonly sm: boolean;
  /** How many blocks the meta file promises. */
  readonly blocks: number | undefined;
}

interface Tally {
  blocks: number;
  transactions: number;
  differences: number;
  readonly first: Difference[];
}

/** The name of a ledger without its endings. */
export function stemOf(file: string): string {
  const stem = LEDGER_FILE.exec(basename(file))?.[1];
  if (stem !== undefined) return stem;
  throw new FolderFault("argument", `${file}: a file that ends with .jsonl or .jsonl.gz is wanted`);
}

/** `group1` has its genesis in `group.1.genesis`, with or without another ending. */
function genesisNames(stem: string): readonly string[] {
  const group = /^group([0-9]+)$/.exec(stem)?.[1];
  const names = group === undefined ? [stem] : [stem, `group.${group}`];
  return names.flatMap((name) => [`${name}.genesis`, `${name}.genesis.txt`]);
}

async function findGenesis(file: string): Promise<string> {
  const folder = dirname(file);
  const present = new Set(await readdir(folder));
  const names = genesisNames(stemOf(file));
  const found = names.find((name) => present.has(name));
  if (found !== undefined) return join(folder, found);
  const next = `none of ${names.join(", ")} lies next to it; name the file with --genesis`;
  throw new FolderFault("missing", `the genesis file of ${file} is not there: ${next}`);
}

/** What the meta file names; a ledger may come without one. */
async function readMeta(file: string) {
  const path = join(dirname(file), `${stemOf(file)}.meta.json`);
  const text = await textOf(path);
  try {
    const meta = JSON.parse(text ?? "{}") as Record<string, unknown>;
    const { supported_version: version, sm_crypto: sm, blocks } = meta;
    return {
      version: typeof version === "string" ? version : undefined,
      sm: typeof sm === "boolean" ? sm : undefined,
      blocks: typeof blocks === "number" ? blocks : undefined,
    };
  } catch (cause) {
    throw new FolderFault("unusable", `${path} is not JSON`, { cause });
  }
}

function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (version !== undefined && isSupportedVersion(version)) return version;
  const allowed = `2.0.0 to ${formatVersion(NEWEST_VERSION)}`;
  throw new FolderFault("argument", `${text} is not a version that can be replayed: ${allowed}`);
}

/** Reads what stands next to a ledger, or is named. @throws FolderFault, ConfigFault */
export async function readFacts(
  file: string,
  options: Omit<ReplayOptions, "json">,
): Promise<LedgerFacts> {
  if (!(await stat(file).catch(() => undefined))?.isFile())
    throw new FolderFault("missing", `${file} is not there, or is no file`);
  const meta = await readMeta(file);
  const genesisFile = options.genesis ?? (await findGenesis(file));
  const text = await textOf(genesisFile);
  if (text === undefined) throw new FolderFault("missing", `${genesisFile} is not there`);
  const { genesis } = readGenesisFile(text, genesisFile).value;
  const named = options.supportedVersion ?? meta.version;
  return {
    genesis,
    genesisFile,
    version: named === undefined ? NEWEST_VERSION : versionOf(named),
    sm: meta.sm ?? false,
    blocks: meta.blocks,
  };
}

async function replayAll(file: string, facts: LedgerFacts, data: string): Promise<Tally> {
  const suite = await createChainSuite(facts.sm ? "national" : "standard");
  const store = await openLevelStore(data, { create: true });
  const tally: Tally = { blocks: 0, transactions: 0, differences: 0, first: [] };
  const progress = createCountLine();
  try {
    const { version, genesis } = facts;
    const replay = await LedgerReplay.open({ store, suite, version, genesis });
    let line = 0;
    for await (const text of ledgerLines(file)) {
      const replayed = await replay.next(readRecordedBlock(text, ++line));
      note(tally, replayed);
      progress.show(() => `block ${replayed.number}, ${sumsOf(tally)}`);
      if (replayed.stuck) return tally;
    }
    requireWhole(file, facts, tally);
  } finally {
    progress.end();
    await store.close();
  }
  return tally;
}

/** A file that was cut between two lines is no equal ledger. @throws LedgerFileFault */
export function requireWhole(
  file: string,
  { blocks }: Pick<LedgerFacts, "blocks">,
  tally: Pick<Tally, "blocks">,
): void {
  if (tally.blocks === 0) throw new LedgerFileFault(`${file} holds no block`);
  if (blocks === undefined || blocks === tally.blocks) return;
  const told = `its meta file reports ${blocks} blocks`;
  throw new LedgerFileFault(`${file} holds ${tally.blocks} blocks, but ${told}`);
}

function note(tally: Tally, { transactions, differences }: ReplayedBlock): void {
  tally.blocks += 1;
  tally.transactions += transactions;
  tally.differences += differences.length;
  tally.first.push(...differences.slice(0, SHOWN_DIFFERENCES - tally.first.length));
}

function sumsOf({ transactions, differences }: Tally): string {
  return `${transactions} transactions, ${differences} differences`;
}

/** Each difference as three lines: where it is, and both values. */
export function differenceLines(differences: readonly Difference[]): readonly string[] {
  return differences.flatMap((difference) => {
    const [recorded, computed] = excerpts(difference.recorded, difference.computed);
    const place = `block ${difference.block}: ${difference.field}`;
    return [place, `  recorded ${recorded}`, `  computed ${computed}`];
  });
}

function reportText(tally: Tally): string {
  const { blocks, differences, first } = tally;
  const lines = [...differenceLines(first)];
  if (differences > first.length) lines.push(`... and ${differences - first.length} more`);
  return [...lines, `${blocks} blocks, ${sumsOf(tally)}`].map((line) => `${line}\n`).join("");
}

/** Replays a ledger. Gives the exit code. @throws FolderFault, ConfigFault, LedgerFileFault */
export async function runReplay(file: string, options: ReplayOptions): Promise<number> {
  const facts = await readFacts(file, options);
  const data = await mkdtemp(join(tmpdir(), "chain-node-replay-"));
  try {
    const tally = await replayAll(file, facts, data);
    process.stdout.write(options.json ? `${JSON.stringify(tally)}\n` : reportText(tally));
    return tally.differences === 0 ? 0 : 1;
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}
