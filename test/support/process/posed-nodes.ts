/**
 * Nodes of a written chain that this process poses: at their RPC ports they answer what a test
 * says. For tools that only look at nodes; nothing is agreed on.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { majority, quorum } from "../../../core/consensus/quorum.ts";
import type { FoundNode } from "../../../runtimes/folder/chain-reader.ts";
import type { GroupHealth } from "../../../runtimes/shared/health.ts";

/** No process has it: what is told to end it ends nobody. */
const NO_PID = 4_194_305;

/** A group by the chain. */
export interface PosedGroup {
  readonly id: number;
  readonly consensus?: "pbft" | "raft";
  /** Names of nodes, or node IDs of others. */
  readonly sealers: readonly string[];
  readonly observers?: readonly string[];
}

/** What the nodes of a chain are. */
export interface PosedChain {
  groups: readonly PosedGroup[];
  /** Names or node IDs of those that are not there. */
  down: readonly string[];
  /** Health of one node in a group that is not as usual. */
  odd: Readonly<Record<string, Partial<GroupHealth> | undefined>>;
  /** Answers to methods; those that are missing are answered from the groups. */
  answers: Readonly<Record<string, (params: readonly unknown[], node: string) => unknown>>;
  /** What was asked, `node method`; `node readyz` for its health. */
  readonly asked: string[];
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Poses nodes; all of them run, have their groups and are sealers there. */
export async function poseNodes(
  nodes: readonly FoundNode[],
  groups: readonly PosedGroup[],
): Promise<PosedChain> {
  const idOf = (name: string) => nodes.find((node) => node.name === name)?.nodeId ?? name;
  const servers: Server[] = [];
  let views = 0;
  const chain: PosedChain = {
    groups,
    down: [],
    odd: {},
    answers: {},
    asked: [],
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
  const healthIn = (name: string, group: PosedGroup): GroupHealth => {
    const { id, consensus = "pbft", sealers } = group;
    const missing = sealers.filter((each) => chain.down.includes(each));
    return {
      group: id,
      status: "RUNNING",
      running: true,
      consensus,
      role: sealers.includes(name) ? "sealer" : "observer",
      height: 5,
      behind: 0,
      sealers: sealers.length,
      connectedSealers: sealers.length - missing.length,
      quorum: (consensus === "raft" ? majority : quorum)(sealers.length),
      missingSealers: missing.map(idOf),
      view: views++,
      ...chain.odd[name],
    } as GroupHealth;
  };
  const readiness = ({ name, nodeId, groups: own }: FoundNode) => ({
    ready: true,
    writable: true,
    reasons: [],
    warnings: [],
    nodeId,
    version: "1.0.0",
    supportedVersion: "2.9.0",
    chainId: 1,
    peers: [],
    endpoints: [],
    pid: NO_PID,
    uptimeSeconds: 1,
    memoryBytes: 1,
    certificateDaysLeft: 100,
    groups: chain.groups
      .filter(({ id }) => own.some((each) => each.id === id))
      .map((group) => healthIn(name, group)),
  });
  const answer = async ({ name }: FoundNode, request: IncomingMessage): Promise<unknown> => {
    const { id, method, params } = JSON.parse(await bodyOf(request)) as {
      readonly id: number;
      readonly method: string;
      readonly params: readonly unknown[];
    };
    chain.asked.push(`${name} ${method}`);
    const group = chain.groups.find((each) => each.id === params[0]);
    const usual: Readonly<Record<string, unknown>> = {
      getSealerList: group?.sealers.map(idOf),
      getObserverList: (group?.observers ?? []).map(idOf),
      getBlockNumber: "0x5",
      getGroupList: chain.groups.map((each) => each.id),
      getNodeIDList: nodes.filter((node) => !chain.down.includes(node.name)).map(idIn),
      addPeers: { code: "0x0", message: "add peers :update config file successfully" },
    };
    const result = (await chain.answers[method]?.(params, name)) ?? usual[method] ?? null;
    return { jsonrpc: "2.0", id, result };
  };
  for (const node of nodes) {
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      if (chain.down.includes(node.name)) return request.socket.destroy();
      if (request.method === "GET") chain.asked.push(`${node.name} readyz`);
      const told = request.method === "GET" ? readiness(node) : await answer(node, request);
      return response.end(JSON.stringify(told));
    };
    const server = createServer((request, response) => void handle(request, response));
    server.listen(node.ports.rpc, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
  }
  return chain;
}

function idIn({ nodeId }: FoundNode): string {
  return nodeId;
}
