/**
 * A chain node at the edge. Requests go to one durable object, which hosts the node in memory: only
 * there do timers and promises outlive the request that made them.
 */
import { type MemoryNode, startMemoryNode } from "../shared/memory-node.ts";
import { BUILD_INFO } from "../shared/platform/build-info.ts";
import { suiteNameOf } from "../shared/platform/web-suite.ts";

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
  /** Names by which browsers reach the worker, separated by commas. Source: decision 24 */
  readonly ALLOWED_HOSTS?: string;
  /** Web pages that may change something, separated by commas. Source: decision 24 */
  readonly ALLOWED_ORIGINS?: string;
}

/** The one object of this name is the chain. */
const CHAIN_NAME = "chain";

function listOf(text = ""): readonly string[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

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
    const { SUITE, ALLOWED_HOSTS, ALLOWED_ORIGINS } = this.#environment;
    this.#started ??= startMemoryNode(BUILD_INFO, suiteNameOf(SUITE), {
      allowedHosts: listOf(ALLOWED_HOSTS),
      allowedOrigins: listOf(ALLOWED_ORIGINS),
    });
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
