/**
 * A chain node at the edge. Requests go to one durable object, which hosts the node in memory: only
 * there do timers and promises outlive the request that made them.
 */
import { type MemoryNode, startMemoryNode } from "../shared/memory-node.ts";
import { WEB_BUILD_INFO } from "../shared/web-build-info.ts";
import { suiteNameOf } from "../shared/web-suite.ts";

/** What the platform offers of durable objects. */
interface ObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** Bindings of the worker. */
interface Environment {
  /** Durable object class {@link ChainNode}. */
  readonly CHAIN: ObjectNamespace;
  /** `national` for a chain of SM2 and SM3; absent for the standard suite. */
  readonly SUITE?: string;
}

/** The one object of this name is the chain. */
const CHAIN_NAME = "chain";

/** The durable object: a node that starts with the first request. */
export class ChainNode {
  readonly #environment: Environment;
  #started: Promise<MemoryNode> | undefined;

  constructor(_state: unknown, environment: Environment) {
    this.#environment = environment;
  }

  /** Answers JSON-RPC as every other runtime does. */
  async fetch(request: Request): Promise<Response> {
    // Keys and timers exist only inside a request, so nothing is started before the first one.
    this.#started ??= startMemoryNode(WEB_BUILD_INFO, suiteNameOf(this.#environment.SUITE));
    const { http } = await this.#started;
    return await http.app.fetch(request);
  }
}

export default {
  fetch(request: Request, environment: Environment): Promise<Response> {
    const { CHAIN } = environment;
    return CHAIN.get(CHAIN.idFromName(CHAIN_NAME)).fetch(request);
  },
};
