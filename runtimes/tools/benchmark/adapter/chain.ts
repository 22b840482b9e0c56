/** The chain of a network file as manager and workers reach it. Source: benchmark 3 */
import { readFile } from "node:fs/promises";
import { WebSocket } from "ws";
import { TransportFault } from "../../../../core/client/client-fault.ts";
import { createHttpTransport } from "../../../../core/client/http-transport.ts";
import type { RpcCall } from "../../../../core/client/transport.ts";
import type { CryptoSuite } from "../../../../core/crypto/suite.ts";
import { createChainSuite } from "../../../node/machine/chain-suite.ts";
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import { type WebSocketLike, webSocketTransport } from "../../../shared/client/web-transports.ts";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import type { Authentication, NetworkNode, NetworkPlan } from "../files/network-file.ts";
import { fileReason } from "../files/placed-file.ts";
import { ChannelLane } from "./channel-lane.ts";
import { createPosts } from "./http-post.ts";
import { type Lane, reasonAt } from "./lane.ts";
import { ReceiptWatch } from "../../../shared/benchmark/receipt-watch.ts";
import { RpcLane } from "./rpc-lane.ts";

/** The package's class also hears as browsers' does. */
const NodeSocket = WebSocket as unknown as new (url: string) => WebSocketLike;

/** The part of a network file that says where the chain is. */
export type ChainAddress = Pick<
  NetworkPlan,
  "mode" | "nodes" | "authentication" | "groupId" | "groupIds" | "timeoutMs"
>;

/** What `getClientVersion` tells. */
export type ClientVersion = Readonly<Record<string, string>>;

/** An open way to a chain. */
export interface Chain {
  readonly lanes: readonly Lane[];
  readonly groupId: number;
  /** All groups of the network file, this one among them. */
  readonly groupIds: readonly number[];
  readonly suite: CryptoSuite;
  readonly chainId: bigint;
  readonly version: ClientVersion;
  /** A node that is reached, at random; any where none is. Source: benchmark 3 */
  pick(): Lane;
  /** Asks a node that is reached. @throws NodeFault, TransportFault */
  request(call: RpcCall): Promise<unknown>;
  close(): Promise<void>;
}

/** The lanes of a mode, and what they have in common. */
interface OpenLanes {
  readonly lanes: readonly Lane[];
  begin(): Promise<void>;
  close(): Promise<void>;
}

async function readPem(path: string, what: keyof Authentication): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const text = `network.authentication.${what} ${path} cannot be read: ${fileReason(cause)}`;
    throw new BenchmarkFault("usage", text, { cause });
  }
}

async function channelLanes(plan: ChainAddress, files: Authentication): Promise<OpenLanes> {
  const { groupId, timeoutMs } = plan;
  const ca = await readPem(files.ca, "ca");
  const cert = await readPem(files.cert, "cert");
  const key = await readPem(files.key, "key");
  const lanes = plan.nodes.map(({ ip, channelPort = 0 }) => {
    return new ChannelLane({ host: ip, port: channelPort, ca, cert, key, timeoutMs }, groupId);
  });
  return {
    lanes,
    begin: async () => undefined,
    close: async () => void (await Promise.all(lanes.map((lane) => lane.close()))),
  };
}

function rpcLanes(plan: ChainAddress, clock: BenchClock): OpenLanes {
  const { groupId, timeoutMs, mode } = plan;
  const posts = createPosts();
  const transportOf = ({ ip, rpcPort }: NetworkNode) =>
    mode === "websocket"
      ? webSocketTransport(`ws://${ip}:${rpcPort}`, { timeoutMs, WebSocket: NodeSocket })
      : createHttpTransport(`http://${ip}:${rpcPort}`, posts.send, { timeoutMs });
  const watch = new ReceiptWatch({
    pick: () => pickOf(lanes),
    groupId,
    clock,
  });
  const lanes: readonly Lane[] = plan.nodes.map((node) => {
    const name = `${node.ip}:${node.rpcPort}`;
    return new RpcLane({ name, transport: transportOf(node), groupId, watch });
  });
  return {
    lanes,
    begin: () => watch.begin(),
    async close() {
      watch.close();
      await Promise.all(lanes.map((lane) => lane.close()));
      posts.close();
    },
  };
}

async function inprocLanes({ groupId }: ChainAddress, clock: BenchClock): Promise<OpenLanes> {
  const { inprocTransport } = await import("./inproc-node.ts");
  const transport = await inprocTransport();
  const watch: ReceiptWatch = new ReceiptWatch({
    pick: () => lane,
    groupId,
    clock,
  });
  const lane: RpcLane = new RpcLane({ name: "inproc", transport, groupId, watch });
  return {
    lanes: [lane],
    begin: () => watch.begin(),
    async close() {
      watch.close();
      await lane.close();
    },
  };
}

async function openLanes(plan: ChainAddress, clock: BenchClock): Promise<OpenLanes> {
  if (plan.mode === "inproc") return await inprocLanes(plan, clock);
  if (plan.mode === "channel" && plan.authentication !== undefined)
    return await channelLanes(plan, plan.authentication);
  return rpcLanes(plan, clock);
}

function anyOf(lanes: readonly Lane[]): Lane {
  const lane = lanes[Math.floor(Math.random() * lanes.length)];
  if (lane === undefined) throw new TransportFault("the network file has no nodes");
  return lane;
}

/** One that is reached, at random. */
function pickOf(lanes: readonly Lane[]): Lane {
  const lane = anyOf(lanes);
  if (lane.lost === undefined) return lane;
  const reached = lanes.filter(({ lost }) => lost === undefined);
  return reached.length > 0 ? anyOf(reached) : lane;
}

/**
 * The first node that answers.
 * @throws BenchmarkFault `engine` with what each says when none does
 */
async function askVersion(lanes: readonly Lane[]): Promise<ClientVersion> {
  const reasons: string[] = [];
  for (const lane of lanes) {
    try {
      return (await lane.request({ method: "getClientVersion", params: [] })) as ClientVersion;
    } catch (cause) {
      reasons.push(`${lane.name}: ${reasonAt(lane.name, cause)}`);
    }
  }
  const what = `no node of the network file answers: ${reasons.join("; ")}`;
  throw new BenchmarkFault("engine", `${what}. Start the nodes, or correct network.nodes`);
}

/**
 * Opens the chain of a network file.
 * @throws BenchmarkFault `engine` when no node answers; `usage` for files that cannot be read
 */
export async function openChain(plan: ChainAddress, clock: BenchClock): Promise<Chain> {
  const { lanes, begin, close } = await openLanes(plan, clock);
  try {
    const version = await askVersion(lanes);
    const isNational = /\bgm$/i.test(version["FISCO-BCOS Version"] ?? "");
    const suite = await createChainSuite(isNational ? "national" : "standard");
    await begin();
    const pick = (): Lane => pickOf(lanes);
    return {
      lanes,
      groupId: plan.groupId,
      groupIds: plan.groupIds,
      suite,
      chainId: BigInt(version["Chain Id"] ?? "1"),
      version,
      pick,
      request: (call) => pick().request(call),
      close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}
