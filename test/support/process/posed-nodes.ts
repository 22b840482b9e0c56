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

/** The nodes of a chain, as long as this process poses them. */
class Posed implements PosedChain {
  groups: readonly PosedGroup[];
  down: PosedChain["down"] = [];
  odd: PosedChain["odd"] = {};
  answers: PosedChain["answers"] = {};
  readonly asked: string[] = [];
  readonly #nodes: readonly FoundNode[];
  readonly #servers: Server[] = [];
  #views = 0;

  constructor(nodes: readonly FoundNode[], groups: readonly PosedGroup[]) {
    this.#nodes = nodes;
    this.groups = groups;
  }

  async listen(): Promise<void> {
    for (const node of this.#nodes) {
      const server = createServer((request, response) => void this.#serve(node, request, response));
      server.listen(node.ports.rpc, "127.0.0.1");
      await once(server, "listening");
      this.#servers.push(server);
    }
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
  }

  async #serve(node: FoundNode, request: IncomingMessage, response: ServerResponse) {
    if (this.down.includes(node.name)) return request.socket.destroy();
    const isLook = request.method === "GET";
    if (isLook) this.asked.push(`${node.name} readyz`);
    const told = isLook ? this.#readiness(node) : await this.#answer(node, request);
    return response.end(JSON.stringify(told));
  }

  #idOf(name: string): string {
    return this.#nodes.find((node) => node.name === name)?.nodeId ?? name;
  }

  #healthIn(name: string, group: PosedGroup): GroupHealth {
    const { id, consensus = "pbft", sealers } = group;
    const missing = sealers.filter((each) => this.down.includes(each));
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
      missingSealers: missing.map((each) => this.#idOf(each)),
      view: this.#views++,
      ...this.odd[name],
    } as GroupHealth;
  }

  #readiness({ name, nodeId, groups }: FoundNode) {
    return {
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
      groups: this.groups
        .filter(({ id }) => groups.some((each) => each.id === id))
        .map((group) => this.#healthIn(name, group)),
    };
  }

  async #answer({ name }: FoundNode, request: IncomingMessage): Promise<unknown> {
    const { id, method, params } = JSON.parse(await bodyOf(request)) as {
      readonly id: number;
      readonly method: string;
      readonly params: readonly unknown[];
    };
    this.asked.push(`${name} ${method}`);
    const result = (await this.answers[method]?.(params, name)) ?? this.#usual(params[0])[method];
    return { jsonrpc: "2.0", id, result: result ?? null };
  }

  #usual(id: unknown): Readonly<Record<string, unknown>> {
    const group = this.groups.find((each) => each.id === id);
    const idsOf = (names: readonly string[] = []) => names.map((name) => this.#idOf(name));
    const there = this.#nodes.filter(({ name }) => !this.down.includes(name));
    return {
      getSealerList: idsOf(group?.sealers),
      getObserverList: idsOf(group?.observers),
      getBlockNumber: "0x5",
      getGroupList: this.groups.map((each) => each.id),
      getNodeIDList: there.map(({ nodeId }) => nodeId),
      addPeers: { code: "0x0", message: "add peers :update config file successfully" },
    };
  }
}

/** Poses nodes; all of them run, have their groups and are sealers there. */
export async function poseNodes(
  nodes: readonly FoundNode[],
  groups: readonly PosedGroup[],
): Promise<PosedChain> {
  const posed = new Posed(nodes, groups);
  await posed.listen();
  return posed;
}
