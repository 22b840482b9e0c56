/** A gateway before nodes made of data, some of which lie. Time is moved only when all wait. */
import type { GroupApi } from "../../../core/api/node-api.ts";
import type { SendPost } from "../../../core/client/http-transport.ts";
import { Gateway } from "../../../core/gateway/gateway.ts";
import type { GatewaySettings } from "../../../core/gateway/gateway-settings.ts";
import { PROOF_HEADER } from "../../../core/gateway/proof-label.ts";
import { ALL_LEAVE, dispatch } from "../../../core/rpc/dispatch.ts";
import type { TrailChain } from "../client/trail-chain.ts";
import { idsOf } from "../client/trail-chain.ts";
import { type CollectedLog, collectLog } from "../collected-log.ts";
import { dataGroup, dataNode, nodeIdOf } from "../data-node.ts";
import { type MemoryLedger, memoryLedger } from "../ledger/memory-ledger.ts";
import type { Reply } from "../rpc-node.ts";
import { createHandClock, type HandClock } from "../world/hand-clock.ts";

/** One request as an upstream gets it. */
export interface SeenCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Changes the result of a call; undefined leaves it as it is. */
export type Lie = (call: SeenCall, result: unknown) => unknown;

/** An error of a node. */
export interface PosedFault {
  readonly method: string;
  readonly code: number;
  readonly message: string;
}

/** A node behind a URL. */
export interface PosedNode {
  readonly url: string;
  readonly ledger: MemoryLedger;
  /** Every call that it got. */
  readonly seen: SeenCall[];
  lie: Lie | undefined;
  /** The text of its errors when it is not the usual one. */
  errorText: string | undefined;
  /** An error in place of the answers to a method. */
  fault: PosedFault | undefined;
  /** It takes requests and never answers. */
  hangs: boolean;
  /** It takes so long to answer. */
  slowMs: number;
  /** It refuses connections. */
  isDown: boolean;
}

/** What may be chosen. */
export interface GatewayPlan {
  readonly chain: TrailChain;
  /** Another chain behind some of the upstreams. */
  readonly chains?: Readonly<Record<number, TrailChain>>;
  readonly count?: number;
  /** Upstreams behind which is the node of another, by their positions. */
  readonly sameNode?: Readonly<Record<number, number>>;
  readonly settings?: Partial<GatewaySettings>;
  readonly group?: Partial<GroupApi>;
}

const BUILD = { version: "1", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" };

/** What the gateway gave for one body. */
export interface Given {
  readonly reply: Reply;
  readonly proof: string;
}

/** A gateway and its upstreams. */
export interface GatewayPlace {
  readonly gateway: Gateway;
  readonly nodes: readonly PosedNode[];
  readonly log: CollectedLog;
  readonly clock: HandClock;
  /** Asks through the dispatcher. */
  ask(method: string, params: readonly unknown[]): Promise<Given>;
  /** Sends a body. */
  send(body: string): Promise<{ text: string; proof: string }>;
  /** What the first node answers itself. */
  truth(method: string, params: readonly unknown[], at?: number): Promise<Reply>;
  /** Names of those that were refused, with the reasons. */
  refused(): readonly string[];
}

function bodyOf(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

/** A call of a contract gives its input and the height. */
function callOf(ledger: MemoryLedger): GroupApi["call"] {
  return async ({ data }) => ({ number: ledger.head().number, status: 0, output: data });
}

/** A node of data over a chain. */
export function nodeOf(chain: TrailChain, index: number, group: Partial<GroupApi> = {}) {
  const sealers = [...idsOf(chain.names, chain.suite)].sort();
  const ledger = memoryLedger({ suite: chain.suite, blocks: chain.models, sealers });
  const nodeId = sealers[index] ?? nodeIdOf("f0");
  const others = sealers.filter((id) => id !== nodeId);
  const peers = () =>
    others.map((id) => ({ nodeId: id, endpoint: "", agency: "", node: "", topics: [] }));
  const api = dataNode([dataGroup(ledger, { call: callOf(ledger), ...group })], {
    nodeId,
    suite: chain.suite,
    peers,
  });
  return { ledger, api };
}

function lied(lie: Lie, call: SeenCall, answer: Reply): Reply {
  const other = lie(call, answer.result);
  return other === undefined ? answer : { id: answer.id, result: other };
}

function worded(answer: Reply, message: string | undefined): Reply {
  if (message === undefined || answer.error === undefined) return answer;
  return { ...answer, error: { ...answer.error, message } };
}

function failed(answer: Reply, call: SeenCall | undefined, fault: PosedFault | undefined): Reply {
  if (fault === undefined || fault.method !== call?.method) return answer;
  const { code, message } = fault;
  return { id: answer.id, error: { code, message } };
}

function posedNode(url: string, ledger: MemoryLedger): PosedNode {
  const honest = { lie: undefined, errorText: undefined, fault: undefined };
  return { url, ledger, seen: [], ...honest, hangs: false, slowMs: 0, isDown: false };
}

/** Builds the place. */
export function gatewayPlace({
  chain,
  chains = {},
  count = 4,
  sameNode = {},
  ...plan
}: GatewayPlan): GatewayPlace {
  const clock = createHandClock(1_000_000);
  const log = collectLog();
  const made = Array.from({ length: count }, (_, i) =>
    nodeOf(chains[i] ?? chain, i, plan.group ?? {}),
  );
  const nodes = made.map(({ ledger }, i) => posedNode(`http://node${i}:8545`, ledger));
  const send: SendPost = async ({ url, body }) => {
    const index = nodes.findIndex((it) => it.url === url);
    const [node, api] = [nodes[index], made[sameNode[index] ?? index]?.api];
    if (node === undefined || api === undefined || node.isDown) throw new Error("refused");
    const calls = [JSON.parse(body) as SeenCall | readonly SeenCall[]].flat() as SeenCall[];
    node.seen.push(...calls);
    const { slowMs } = node;
    if (slowMs > 0) await new Promise<void>((resolve) => void clock.after(slowMs, resolve));
    if (node.hangs) return await new Promise<never>(() => undefined);
    const told = JSON.parse(await dispatch(api, body, ALL_LEAVE)) as Reply | readonly Reply[];
    const { lie } = node;
    const answers = [told]
      .flat()
      .map((it, i) => failed(worded(it as Reply, node.errorText), calls[i], node.fault));
    const all = answers.map((it, i) =>
      lie === undefined ? it : lied(lie, calls[i] ?? { method: "", params: [] }, it),
    );
    return { status: 200, body: JSON.stringify(Array.isArray(told) ? all : all[0]) };
  };
  const trusted = { number: 0, hash: chain.header(0).hash };
  const upstreams = nodes.map(({ url }) => url);
  const settings = { upstreams, groupId: 1, trusted, suite: chain.suite, build: BUILD };
  const gateway = new Gateway({ ...settings, ...plan.settings }, { send, clock, log });
  const sendBody = async (body: string) => {
    const relay = gateway.relay();
    const how = { ...ALL_LEAVE, relay, maxBatch: 50 };
    const text = await whileMoving(clock, dispatch(gateway.node, body, how));
    return { text, proof: relay.headers()[PROOF_HEADER] ?? "" };
  };
  return {
    gateway,
    nodes,
    log,
    clock,
    send: sendBody,
    async ask(method, params) {
      const { text, proof } = await sendBody(bodyOf(method, params));
      return { reply: JSON.parse(text) as Reply, proof };
    },
    async truth(method, params, at = 0) {
      const api = made[at]?.api;
      if (api === undefined) throw new RangeError(`no node ${at}`);
      return JSON.parse(await dispatch(api, bodyOf(method, params), ALL_LEAVE)) as Reply;
    },
    refused: () =>
      log.lines
        .filter(({ message }) => message.startsWith("upstream refused"))
        .map(({ fields }) => `${fields["upstream"]} ${fields["reason"]}`),
  };
}

/** Turns of the event loop without news after which only time can help. */
const QUIET_TURNS = 4;

/** The result; time is moved when nothing else is left to happen. */
export async function whileMoving<Result>(
  clock: HandClock,
  work: Promise<Result>,
): Promise<Result> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    for (let turn = 0; turn < QUIET_TURNS && !isDone; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (!isDone) clock.move(10);
  }
  return await work;
}
