/** `chain-node dev`: starts the chain, prints what people need, stops in order on a signal. */
import type { LogLevel } from "../../../core/ports/log.ts";
import { resolve } from "node:path";
import { resetDataFolder } from "../store/data-folder.ts";
import { DEV_CHAIN_ID, DEV_GROUP_ID } from "../../shared/dev/dev-genesis.ts";
import type { PageLists } from "../../shared/http-caller.ts";
import { type StartedChain, startDevChain } from "../dev/start-dev-chain.ts";
import { type HotKey, isBuildServer, keysLine, watchTerminal } from "../dev/dev-keys.ts";
import { blockLine, firstScreen, readyLine, type ScreenFacts } from "../dev/dev-screen.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { reachable, urlOf } from "../machine/listen-url.ts";
import { outliveReaders, untilAsked } from "../process/ending.ts";
import { createLog } from "../log/log.ts";
import { isColourful } from "../log/terminal.ts";
import { openBrowser, thisDesktop } from "../dev/open-browser.ts";

interface DevOptions {
  readonly nodes: number;
  readonly port: number;
  /** Absent: moved as far as `port` is. */
  readonly channelPort: number | undefined;
  readonly rsaChannel: boolean;
  readonly host: string;
  readonly data: string;
  readonly ephemeral: boolean;
  readonly reset: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly logLevel: LogLevel;
  readonly cors: string | undefined;
  readonly allowHost?: readonly string[];
  readonly maxBody: number;
  readonly blockTime: number;
  readonly sm: boolean;
}

/** Addresses that only this machine reaches. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

async function reset(folder: string): Promise<void> {
  const removed = await resetDataFolder(folder);
  for (const path of removed) process.stderr.write(`removed ${path}\n`);
  if (removed.length === 0) process.stderr.write(`nothing to remove at ${resolve(folder)}\n`);
}

/** Says that others can reach the chain, which has neither accounts of their own nor a lock. */
function warnAboutHost(host: string): void {
  if (LOOPBACK.test(host)) return;
  process.stderr.write(
    `warning: with --host ${host} the chain is reachable from outside this machine: anybody ` +
      "on the network can send transactions, and the account keys are public\n",
  );
}

/** Who listens at a name knows it as the node's. */
function listsOf({ cors, allowHost = [], host }: DevOptions): PageLists {
  return { allowedHosts: [...allowHost, host], allowedOrigins: cors === undefined ? [] : [cors] };
}

/** Says that any page can use the chain. */
function warnAboutPages({ cors }: DevOptions): void {
  if (cors !== "*") return;
  process.stderr.write(
    "warning: with --cors * every web page that a browser of this machine opens can send " +
      "transactions and stop groups\n",
  );
}

/** From the usual JSON-RPC port to the usual port for SDKs. */
const CHANNEL_DISTANCE = 20_200 - 8_545;
/** Above it the ports for SDKs are below: systems hand out the higher ones to anybody. */
const HIGHEST_SHIFTED_PORT = 20_000;

/** A second chain that was given another `--port` needs no second option. */
function channelPort({ port, channelPort: asked }: DevOptions): number {
  if (asked !== undefined) return asked;
  if (port <= HIGHEST_SHIFTED_PORT) return port + CHANNEL_DISTANCE;
  return port > 2 * HIGHEST_SHIFTED_PORT ? port - 2 * CHANNEL_DISTANCE : port - CHANNEL_DISTANCE;
}

function screenFacts(chain: StartedChain, options: DevOptions): ScreenFacts {
  return {
    rpcUrls: chain.servers.map(({ host: ip, port }) => urlOf({ ip, port })),
    nodeIds: chain.nodes.map(({ api }) => api.nodeId),
    chainId: DEV_CHAIN_ID,
    groupId: DEV_GROUP_ID,
    accounts: chain.accounts,
    data: chain.data,
    ephemeral: options.ephemeral,
    sm: options.sm,
    channel: chain.channels.map(({ server: { host: ip, port } }) =>
      endpointText({ host: reachable({ ip, port }).ip, port }),
    ),
    sdk: chain.sdk,
    rsa: options.rsaChannel,
    keys: readsKeys(options) ? keysLine(hotKeys("")) : undefined,
  };
}

/** Keys are read where a person sits: not in a pipe, not on a build server. */
function readsKeys({ json }: DevOptions): boolean {
  const { stdin, stdout, env } = process;
  return !json && stdin.isTTY === true && stdout.isTTY === true && !isBuildServer(env);
}

/** Opens an address, or says why not and what to do. */
async function show(url: string): Promise<void> {
  const trouble = await openBrowser(url, thisDesktop());
  const text = trouble === undefined ? `opened ${url}` : `${trouble}: open ${url} in a browser`;
  process.stdout.write(`${text}\n`);
}

/** @param page address of the page at node 0 */
function hotKeys(page: string): readonly HotKey[] {
  const explorer = `${page}#/explorer`;
  const rows = [
    ["o", "open the page", "open the page in the browser", page],
    ["e", "explorer", "open the explorer: blocks, transactions, accounts", explorer],
  ] as const;
  return rows.map(([key, short, long, url]) => ({ key, short, long, press: () => void show(url) }));
}

/** Nodes whose group is not running: the first screen must not look as if all were well. */
async function warnAboutStoppedGroups(chain: StartedChain): Promise<void> {
  for (const [index, { api }] of chain.nodes.entries()) {
    const { status } = await api.groupStatus(DEV_GROUP_ID);
    if (status === "RUNNING") continue;
    const steps = status === "DELETED" ? "recoverGroup, then startGroup" : "startGroup";
    process.stderr.write(
      `node ${index}: group ${DEV_GROUP_ID} is ${status} since an earlier run; send it ${steps}\n`,
    );
  }
}

/** Runs a dev chain until SIGINT, SIGTERM or SIGHUP; resolves with the exit code. */
export async function runDev(options: DevOptions): Promise<number> {
  const { end, fail } = untilAsked("session");
  outliveReaders();
  warnAboutHost(options.host);
  warnAboutPages(options);
  if (options.reset) await reset(options.data);
  const isTerminal = isColourful();
  let ready = false;
  const chain = await startDevChain({
    nodes: options.nodes,
    data: options.ephemeral ? undefined : options.data,
    ephemeral: options.ephemeral,
    blockTimeMs: options.blockTime,
    sm: options.sm,
    host: options.host,
    port: options.port,
    channel: { port: channelPort(options), rsa: options.rsaChannel },
    lists: listsOf(options),
    maxBodyBytes: options.maxBody,
    shareRecovery: process.env["CHAIN_NODE_NO_SHARED_RECOVERY"] !== "1",
    log: createLog({ level: options.logLevel, target: process.stderr }),
    onFailure: fail,
    onBlock: (block) => {
      if (ready && !options.quiet && !options.json)
        process.stdout.write(blockLine(block, isTerminal));
    },
  });
  const facts = screenFacts(chain, options);
  process.stdout.write(options.json ? readyLine(facts) : firstScreen(facts, isTerminal));
  await warnAboutStoppedGroups(chain);
  ready = true;
  const page = `${facts.rpcUrls[0] ?? ""}/`;
  const endKeys = facts.keys === undefined ? () => {} : watchTerminal(hotKeys(page));
  const code = await end;
  endKeys();
  await chain.close();
  if (!options.json) {
    const kept = options.ephemeral ? "nothing is kept" : `the chain is kept in ${chain.data}`;
    process.stdout.write(`\nstopped; ${kept}\n`);
  }
  return code;
}
