/**
 * `chain-node export`: a group's ledger as a file that `chain-node replay` reads, from the folder
 * of a node or over the public methods of any 2.x node.
 */
import { shellWord } from "../../folder/node-scripts.ts";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Block } from "../../../core/model/block.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import { formatVersion, parseVersion } from "../../../core/model/version.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { writeGenesisFile } from "../../formats/config/genesis-file.ts";
import { genesisOfHeader } from "../../shared/ledger-check/genesis-mark.ts";
import { LedgerFileFault } from "../../shared/ledger-file/ledger-file-fault.ts";
import {
  headerOf,
  readRecordedBlock,
  recordedHashOf,
  recordOf,
} from "../../shared/ledger-file/recorded-block.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { createCountLine } from "./count-line.ts";
import { ask, RequestFault } from "../client/json-rpc.ts";
import {
  genesisPath,
  type LedgerPlace,
  openLedgerStore,
  requireReadable,
  textOf,
} from "../store/ledger-place.ts";
import { readableLedger } from "./readable-ledgers.ts";
import { stemOf } from "./replay.ts";
import { openDraft, requireFree } from "./snapshot.ts";

interface ExportOptions {
  readonly node: string | undefined;
  readonly rpc: string | undefined;
  readonly group: number;
  readonly json: boolean;
}

/** Receipts asked for at a time. */
const RECEIPTS_AT_ONCE = 16;
/** An older node does not know the methods of headers. */
const METHOD_NOT_FOUND = -32_601;

/** What is written. */
interface Recording {
  /** Number of the last block. */
  readonly last: number;
  readonly version: string;
  readonly sm: boolean;
  /** Text of its genesis file, where there is one. */
  readonly genesis: string | undefined;
  /** A line and the transactions in it. */
  line(number: number): Promise<{ readonly text: string; readonly transactions: number }>;
  close(): Promise<void>;
}

/** Reads the ledger in the folder of a node. @throws FolderFault, StoreFault */
async function openFolder(folder: string, group: number): Promise<Recording> {
  const { place, close } = await readableLedger(await requireReadable(folder), group);
  try {
    return await openPlace(place, close);
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function openPlace(place: LedgerPlace, giveBack: () => Promise<void>): Promise<Recording> {
  const { node, groupId, folder } = place;
  const { chain } = node;
  const store = await openLedgerStore(place);
  const suite = await createChainSuite(chain.nationalCrypto ? "national" : "standard");
  const ledger = openLedger({ store, suite, version: chain.supportedVersion });
  return {
    last: ledger.head().number,
    version: formatVersion(chain.supportedVersion),
    sm: chain.nationalCrypto,
    genesis: await textOf(genesisPath(node, groupId)),
    async line(number) {
      const hash = await ledger.hashOf(number);
      const block: Block | undefined = hash && (await ledger.block(hash));
      if (!block) throw new FolderFault("unusable", `${folder} has no block ${number}`);
      return { text: recordOf(block), transactions: block.transactions.length };
    },
    close: () => store.close().finally(giveBack),
  };
}

type Shown = Readonly<Record<string, unknown>>;

function shownObject(value: unknown, what: string): Shown {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Shown;
  throw new RequestFault(`the node has no ${what}`);
}

/** The header alone; where the method is not known, what the block says of it. */
async function headerFrom(url: string, group: number, block: Shown): Promise<Shown> {
  const number = Number(block["number"]);
  try {
    const header = await ask(url, "getBlockHeaderByNumber", [group, `${number}`, true]);
    return shownObject(header, `header of block ${number}`);
  } catch (cause) {
    if (!(cause instanceof RequestFault) || cause.code !== METHOD_NOT_FOUND) throw cause;
    const { transactions: _, ...header } = block;
    return { ...header, number };
  }
}

async function receiptsOf(url: string, group: number, hashes: readonly string[]) {
  const receipts: unknown[] = [];
  for (let from = 0; from < hashes.length; from += RECEIPTS_AT_ONCE) {
    const some = hashes.slice(from, from + RECEIPTS_AT_ONCE);
    const asked = some.map((hash) => ask(url, "getTransactionReceipt", [group, hash]));
    receipts.push(...(await Promise.all(asked)));
  }
  return receipts;
}

/** Asks a node. @throws RequestFault */
async function openRpc(url: string, group: number): Promise<Recording> {
  const said = shownObject(await ask(url, "getClientVersion", []), "version");
  const last = Number(await ask(url, "getBlockNumber", [group]));
  if (!Number.isSafeInteger(last) || last < 0)
    throw new RequestFault("the node has no block number");
  return {
    last,
    version: String(said["Supported Version"] ?? ""),
    sm: / gm$/.test(String(said["FISCO-BCOS Version"] ?? "")),
    genesis: undefined,
    async line(number) {
      const answer = await ask(url, "getBlockByNumber", [group, `${number}`, true]);
      const block = shownObject(answer, `block ${number}`);
      const transactions = Array.isArray(block["transactions"]) ? block["transactions"] : [];
      const hashes = transactions.map((transaction: Shown) => String(transaction["hash"]));
      const header = await headerFrom(url, group, block);
      const receipts = await receiptsOf(url, group, hashes);
      const text = JSON.stringify({ number, block, header, receipts });
      return { text, transactions: hashes.length };
    },
    close: async () => undefined,
  };
}

/** The lines of a recording, shown as they pass. */
async function* linesOf(recording: Recording, note: (transactions: number) => void) {
  for (let number = 0; number <= recording.last; number++) {
    const { text, transactions } = await recording.line(number);
    note(transactions);
    yield `${text}\n`;
  }
}

/** Writes the lines through a draft; gives the number of transactions. */
async function writeLines(file: string, recording: Recording): Promise<number> {
  const draft = `${file}.new`;
  const handle = await openDraft(draft);
  const progress = createCountLine();
  let blocks = 0;
  let transactions = 0;
  const lines = linesOf(recording, (count) => {
    transactions += count;
    blocks += 1;
    progress.show(() => `${blocks} of ${recording.last + 1} blocks, ${transactions} transactions`);
  });
  try {
    const output = handle.createWriteStream({ flush: true });
    if (file.endsWith(".gz")) await pipeline(lines, createGzip(), output);
    else await pipeline(lines, output);
    await rename(draft, file);
    return transactions;
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  } finally {
    progress.end();
  }
}

function openRecording({ node, rpc, group }: ExportOptions): Promise<Recording> {
  if (node !== undefined && rpc === undefined) return openFolder(node, group);
  if (rpc !== undefined && node === undefined) return openRpc(rpc, group);
  const said = "export takes either --node with a node's folder, or --rpc with the URL of a node";
  throw new FolderFault("argument", said);
}

/**
 * The text of a genesis file that block 0 follows from; undefined when its mark does not tell.
 * Source: tx-block-codec 10
 */
async function genesisTextOf({ line, version, sm }: Recording): Promise<string | undefined> {
  const parsed = parseVersion(version);
  if (parsed === undefined) return undefined;
  const suite = await createChainSuite(sm ? "national" : "standard");
  try {
    const recorded = readRecordedBlock((await line(0)).text, 1);
    const rules = { suite, version: parsed };
    const genesis = genesisOfHeader(headerOf(recorded), recordedHashOf(recorded), rules);
    return genesis && writeGenesisFile(genesis);
  } catch (cause) {
    // An older node shows less of a block.
    if (cause instanceof LedgerFileFault) return undefined;
    throw cause;
  }
}

/** Puts the genesis file next to the ledger; false when nobody can tell what is in it. */
async function addGenesis(path: string, text: string | undefined): Promise<boolean> {
  // With --rpc its reader may have put it there already.
  if ((await textOf(path)) !== undefined) return true;
  if (text !== undefined) await writeFile(path, text);
  return text !== undefined;
}

/** Writes the file and what belongs next to it. @throws FolderFault, StoreFault, RequestFault */
export async function runExport(file: string, options: ExportOptions): Promise<void> {
  const beside = (ending: string) => join(dirname(file), `${stemOf(file)}.${ending}`);
  const [meta, genesisFile] = [beside("meta.json"), beside("genesis")];
  for (const path of [file, meta]) await requireFree(path);
  if (options.node !== undefined) await requireFree(genesisFile);
  const recording = await openRecording(options);
  const { group, json } = options;
  const { last, version, sm } = recording;
  let transactions = 0;
  let genesis: string | undefined;
  try {
    transactions = await writeLines(file, recording);
    genesis = recording.genesis ?? (await genesisTextOf(recording));
  } finally {
    await recording.close();
  }
  const facts = {
    group,
    blocks: last + 1,
    transactions,
    supported_version: version,
    sm_crypto: sm,
  };
  await writeFile(meta, `${JSON.stringify(facts, undefined, 2)}\n`);
  const next = (await addGenesis(genesisFile, genesis))
    ? `chain-node replay ${shellWord(file)} checks it`
    : `block 0 does not tell its genesis file: put the group's next to it as ${genesisFile}, or \
name it: chain-node replay ${shellWord(file)} --genesis FILE`;
  const said = `${last + 1} blocks, ${transactions} transactions in ${file}; ${next}`;
  process.stdout.write(`${json ? JSON.stringify({ file, ...facts }) : said}\n`);
}
