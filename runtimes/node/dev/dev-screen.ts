/**
 * What `chain-node dev` prints: the first screen, one line per block, and the JSON line for
 * machines.
 */
import type { DevAccount } from "../../shared/dev/dev-accounts.ts";
import type { WrittenBlock } from "../../../core/node/options/group-options.ts";
import { colours } from "../log/terminal.ts";

/** What the first screen shows. */
export interface ScreenFacts {
  readonly rpcUrls: readonly string[];
  readonly nodeIds: readonly string[];
  readonly chainId: number;
  readonly groupId: number;
  readonly accounts: readonly DevAccount[];
  readonly data: string;
  readonly ephemeral: boolean;
  /** Whether the chain is of the national suite. */
  readonly sm: boolean;
  /** Ports for SDKs, `host:port`. */
  readonly channel: readonly string[];
  /** Folder with the files that SDKs connect with. */
  readonly sdk: string | undefined;
  /** Whether SDKs connect with RSA certificates. */
  readonly rsa: boolean;
  /** Keys that are read, as one line; undefined without a terminal. */
  readonly keys: string | undefined;
}

/** The request of the example line. */
export function exampleCurl(url: string): string {
  return `curl -s ${url} -d '{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[1]}'`;
}

const KEYS_WARNING = "public and the same everywhere, never use them elsewhere";
/** More nodes than this are shown two to a line. */
const MOST_NODE_LINES = 8;

/** One line for each node, or for two. */
function nodeLines(facts: ScreenFacts, isTerminal: boolean): readonly string[] {
  const { dim, cyan } = colours(isTerminal);
  const cells = facts.rpcUrls.map((url, i) => {
    const id = (facts.nodeIds[i] ?? "").slice(0, 8);
    return `  node ${String(i).padEnd(2)} ${cyan(url)}  ${dim(`id ${id}...`)}`;
  });
  if (cells.length <= MOST_NODE_LINES) return cells;
  const half = Math.ceil(cells.length / 2);
  return cells.slice(0, half).map((cell, i) => cell + (cells[half + i] ?? ""));
}

/** The first screen: at most 25 lines of at most 120 columns for up to 16 nodes. */
export function firstScreen(facts: ScreenFacts, isTerminal: boolean): string {
  const { bold, cyan, dim, green, yellow } = colours(isTerminal);
  const accounts = facts.accounts.map(
    ({ address, privateKey }, i) => `  ${i} ${dim(address)} ${privateKey}`,
  );
  const first = facts.rpcUrls[0] ?? "";
  const kind = `${countOf(facts.rpcUrls.length, "node")}, PBFT${facts.sm ? ", SM2 and SM3" : ""}`;
  return [
    `${green(bold("chain-node"))} ${kind}, chain ${facts.chainId}, group ${facts.groupId}`,
    ...nodeLines(facts, isTerminal),
    `page     ${cyan(`${first}/`)}  ${dim("explorer, contracts, theatre: open it in a browser")}`,
    `accounts (address, private key): ${yellow(KEYS_WARNING)}`,
    ...accounts,
    ...sdkLine(facts),
    `data     ${facts.data}${facts.ephemeral ? " (removed at the end)" : ""}`,
    `try      ${exampleCurl(first)}`,
    facts.keys === undefined ? "stop     Ctrl-C" : `keys     ${facts.keys}`,
    "",
  ].join("\n");
}

/** Where SDKs connect, and with what. */
function sdkLine({ channel, sdk, rsa }: ScreenFacts): readonly string[] {
  const [first = "", ...others] = channel;
  if (sdk === undefined) return [];
  const last = others.at(-1);
  const ports = last === undefined ? first : `${first} to ${last.slice(last.lastIndexOf(":"))}`;
  return [`sdk      ${ports}${rsa ? " (RSA)" : ""}, files in ${sdk}`];
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The line of `--json`. */
export function readyLine(facts: ScreenFacts): string {
  return `${JSON.stringify({
    ready: true,
    rpc: facts.rpcUrls,
    page: `${facts.rpcUrls[0] ?? ""}/`,
    chainId: facts.chainId,
    groups: [facts.groupId],
    nodeIds: facts.nodeIds,
    accounts: facts.accounts,
    ...(facts.sm ? { sm: true } : {}),
    ...(facts.sdk === undefined ? {} : { channel: facts.channel, sdk: facts.sdk }),
    data: facts.data,
  })}\n`;
}

/** One quiet line about a block. */
export function blockLine(block: WrittenBlock, isTerminal: boolean): string {
  const { dim } = colours(isTerminal);
  const count = countOf(block.transactions, "transaction");
  const failed = block.failed > 0 ? `, ${block.failed} failed` : "";
  const origin = `${block.hash.slice(0, 18)}...  sealer ${block.sealer}`;
  return `${dim(`block ${block.number}`)}  ${count}${failed}  ${dim(origin)}\n`;
}
