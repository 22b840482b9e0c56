/** A chain for people's own test suites. The package's export. */
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { DevAccount } from "../../shared/dev/dev-accounts.ts";
import { DEV_BLOCK_TIME_MS, DEV_CHAIN_ID, DEV_GROUP_ID } from "../../shared/dev/dev-genesis.ts";
import { NOTHING_LISTED } from "../../shared/http-caller.ts";
import { createLog } from "../log/log.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { LONGEST_BLOCK_TIME_MS, MOST_NODES } from "./dev-limits.ts";
import { startDevChain } from "./start-dev-chain.ts";

/** Options of {@link createDevChain}. */
export interface DevChainOptions {
  /** Number of nodes, 1 to 16; 4 when absent. */
  readonly nodes?: number;
  /** Data folder; a temporary one when absent. */
  readonly dataDir?: string;
  /** Remove the data at the end; true unless `dataDir` is given. */
  readonly ephemeral?: boolean;
  /** Least time between blocks in milliseconds, 0 to 999; 100 when absent. */
  readonly blockTimeMs?: number;
  /** The national algorithms SM2 and SM3 in place of secp256k1 and Keccak; false when absent. */
  readonly sm?: boolean;
  /** Opens a port for SDKs at each node; false when absent. */
  readonly channel?: boolean | { readonly rsa: boolean };
}

/** One node of a dev chain. */
export interface DevNode {
  readonly nodeId: string;
  readonly rpcUrl: string;
  /** Where SDKs connect, `host:port`; undefined unless it was asked for. */
  readonly channel: string | undefined;
  /** Sends a JSON-RPC request; throws an Error with `code` on an error answer. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** A running dev chain. */
export interface DevChain {
  readonly chainId: number;
  readonly groupId: number;
  readonly accounts: readonly DevAccount[];
  /** RPC URL of node 0. */
  readonly rpcUrl: string;
  readonly nodes: readonly DevNode[];
  /** Folder with ca.crt, sdk.crt and sdk.key; undefined without ports for SDKs. */
  readonly sdk: string | undefined;
  /** As {@link DevNode.request} on node 0. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

/** An error answer of a node, thrown by `request`. */
export class RpcAnswerError extends Error {
  override readonly name = "RpcAnswerError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function requester(url: string): DevNode["request"] {
  let id = 0;
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    const response = await fetch(url, { method: "POST", body });
    const answer = (await response.json()) as {
      result?: unknown;
      error?: { code: number; message: string };
    };
    if (answer.error) throw new RpcAnswerError(answer.error.code, answer.error.message);
    return answer.result;
  };
}

function requireBetween(name: string, value: number, [low, high]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw new RangeError(`${name} must be a whole number from ${low} to ${high}, not ${value}`);
}

/**
 * A chain for people's own test suites, on free loopback ports.
 * @throws RangeError for a bad number; StoreFault, ListenFault when folder or ports cannot be used
 */
export async function createDevChain(options: DevChainOptions = {}): Promise<DevChain> {
  requireBetween("nodes", options.nodes ?? 4, [1, MOST_NODES]);
  requireBetween("blockTimeMs", options.blockTimeMs ?? 0, [0, LONGEST_BLOCK_TIME_MS]);
  const ephemeral = options.ephemeral ?? options.dataDir === undefined;
  const channel = options.channel === true ? { rsa: false } : options.channel || undefined;
  const chain = await startDevChain({
    nodes: options.nodes ?? 4,
    data: options.dataDir,
    ephemeral,
    blockTimeMs: options.blockTimeMs ?? DEV_BLOCK_TIME_MS,
    sm: options.sm ?? false,
    host: "127.0.0.1",
    port: 0,
    channel: channel && { port: 0, ...channel },
    lists: NOTHING_LISTED,
    maxBodyBytes: 10 * 1024 * 1024,
    shareRecovery: true,
    log: createLog({ level: "off", target: process.stderr }),
  });
  const nodes = chain.servers.map(({ url: rpcUrl }, i): DevNode => {
    const port = chain.channels[i]?.server;
    const nodeId = chain.nodes[i]?.api.nodeId ?? "";
    return { nodeId, rpcUrl, channel: port && endpointText(port), request: requester(rpcUrl) };
  });
  const [first] = nodes;
  if (!first) throw new StoreFault("foreign", "a chain needs at least one node");
  return {
    chainId: DEV_CHAIN_ID,
    groupId: DEV_GROUP_ID,
    accounts: chain.accounts,
    rpcUrl: first.rpcUrl,
    sdk: chain.sdk,
    nodes,
    request: first.request,
    close: () => chain.close(),
  };
}
