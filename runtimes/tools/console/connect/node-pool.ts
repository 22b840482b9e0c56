/** The nodes that a console talks to: which are there, and who is asked next. */
import { NodeFault, TransportFault, UsageFault } from "../../../../core/client/client-fault.ts";
import type { Signal } from "../../../../core/client/platform.ts";
import type {
  RpcCall,
  Submission,
  Subscription,
  SubscriptionListener,
  Transport,
} from "../../../../core/client/transport.ts";
import type { Hex } from "../../../../core/client/rpc-objects.ts";
import type { ChannelTransport } from "../../../node/client/channel-transport.ts";
import { ConsoleFault, EXIT } from "../command.ts";
import { oneLine } from "../foreign-text.ts";

/** One node that can be asked. */
export interface NodeLink {
  /** As it was configured: `127.0.0.1:20200`. */
  readonly endpoint: string;
  readonly transport: Transport;
  /** The channel port, where the node is reached through it. */
  readonly channel: ChannelTransport | undefined;
}

/** What a node reports of itself. Source: interface 2.6 */
export type VersionAnswer = Readonly<Record<string, unknown>>;

/** How nodes are reached. */
export interface NodeConnector {
  /** Configured nodes; nothing is connected yet. */
  readonly endpoints: readonly string[];
  /** A way to a node. @throws ConsoleFault when the text names no place */
  linkTo(endpoint: string): Promise<NodeLink>;
  /** The sentence about a node that was not reached. */
  explain(endpoint: string, cause: unknown): Promise<string>;
}

/** What else a pool is told. */
export interface PoolTerms {
  /** Only nodes of this chain are used; those of the first that answers when absent. */
  readonly chainId: bigint | undefined;
  /** A line for people about nodes that are left out. */
  warn(line: string): void;
}

interface Member extends NodeLink {
  readonly version: VersionAnswer;
}

/** Of a group that the node does not run, or is no member of. Source: interface 7.2 */
const OTHER_GROUP = new Set([-40_001, -40_009]);

function chainIdOf(version: VersionAnswer): string {
  return oneLine(String(version["Chain Id"] ?? ""));
}

/**
 * All nodes of a configuration. The first that answers is asked; when it is lost, or is no member
 * of the group, the next one.
 */
export class NodePool {
  readonly #connector: NodeConnector;
  readonly #terms: PoolTerms;
  readonly #members: Member[] = [];
  /** Opened for one command, by `ip:port`. */
  readonly #others = new Map<string, Promise<Member>>();
  #opening: Promise<void> | undefined;
  #attempts: Promise<unknown> = Promise.resolve();

  constructor(connector: NodeConnector, terms: PoolTerms) {
    this.#connector = connector;
    this.#terms = terms;
  }

  /** Connects to all nodes; done with the first. @throws ConsoleFault with exit code 3 */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((cause: unknown) => {
      // The next command tries again.
      this.#opening = undefined;
      throw cause;
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    const attempts = this.#connector.endpoints.map((endpoint) => this.#join(endpoint));
    this.#attempts = Promise.allSettled(attempts);
    try {
      await Promise.any(attempts);
    } catch (cause) {
      const all = cause instanceof AggregateError ? (cause.errors as unknown[]) : [cause];
      const lines = all.map((one) => (one instanceof Error ? one.message : String(one)));
      throw new ConsoleFault(lines.join("\n"), { exitCode: EXIT.noConnection, cause: all[0] });
    }
  }

  async #join(endpoint: string): Promise<void> {
    const member = await this.#reach(endpoint);
    const expected = this.#terms.chainId?.toString() ?? chainIdOf(this.#members[0]?.version ?? {});
    const found = chainIdOf(member.version);
    if (expected !== "" && found !== expected) {
      await member.transport.close?.();
      const said = `${endpoint} is a node of chain ${found}, not of chain ${expected}`;
      if (this.#members.length > 0) this.#terms.warn(`${said}: it is left out.`);
      throw new ConsoleFault(`${said}. Name nodes of one chain, or correct network.chainId.`);
    }
    this.#members.push(member);
  }

  async #reach(endpoint: string): Promise<Member> {
    const link = await this.#connector.linkTo(endpoint);
    try {
      const call = { method: "getClientVersion", params: [] };
      const version = (await link.transport.request(call)) as VersionAnswer;
      return { ...link, version };
    } catch (cause) {
      await link.transport.close?.();
      const sentence = await this.#connector.explain(endpoint, cause);
      throw new ConsoleFault(sentence, { exitCode: EXIT.noConnection, cause });
    }
  }

  get version(): VersionAnswer {
    return this.#members[0]?.version ?? {};
  }

  /** Nodes that answered, sorted; waits until each has, or has failed to. */
  async endpoints(): Promise<readonly string[]> {
    await this.open();
    await this.#attempts;
    return this.#members.map(({ endpoint }) => endpoint).sort();
  }

  /** One node: of the pool, or another one of the same chain. @throws ConsoleFault */
  async at(endpoint: string): Promise<NodeLink> {
    const known = this.#members.find((member) => member.endpoint === endpoint);
    if (known) return known;
    const opened = this.#others.get(endpoint) ?? this.#reach(endpoint);
    this.#others.set(endpoint, opened);
    opened.catch(() => this.#others.delete(endpoint));
    return await opened;
  }

  get current(): NodeLink {
    const [first] = this.#members;
    if (first) return first;
    throw new ConsoleFault("no node is connected.", { exitCode: EXIT.noConnection });
  }

  /**
   * One way to all nodes. A question goes to the next node when one is lost or does not have the
   * group; who is given a transaction twice executes it once.
   */
  transport(): Transport {
    const request = (call: RpcCall, signal?: Signal): Promise<unknown> =>
      this.#try((link) => link.transport.request(call, signal));
    if (!this.#members.every(({ channel }) => channel !== undefined)) return { request };
    return {
      request,
      submit: (groupId: number, raw: Hex, signal?: Signal): Promise<Submission> =>
        this.#try(({ channel }) => requireChannel(channel).submit(groupId, raw, signal)),
      subscribe: (
        params: readonly unknown[],
        listener: SubscriptionListener,
      ): Promise<Subscription> =>
        this.#try(({ channel }) => requireChannel(channel).subscribe(params, listener)),
    };
  }

  async #try<T>(work: (link: NodeLink) => Promise<T>): Promise<T> {
    await this.open();
    let fault: unknown;
    for (const member of [...this.#members]) {
      try {
        return await work(member);
      } catch (cause) {
        const isOther = cause instanceof NodeFault && OTHER_GROUP.has(cause.code);
        if (!isOther && !(cause instanceof TransportFault)) throw cause;
        // What a member of the group says is told rather than what a lost node does.
        if (fault === undefined || isOther) fault = cause;
        if (!isOther) this.#putLast(member);
      }
    }
    throw fault;
  }

  #putLast(member: Member): void {
    const at = this.#members.indexOf(member);
    if (at >= 0) this.#members.push(...this.#members.splice(at, 1));
  }

  async close(): Promise<void> {
    await this.#attempts;
    const others = await Promise.allSettled(this.#others.values());
    const opened = others.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    await Promise.all([...this.#members, ...opened].map(({ transport }) => transport.close?.()));
  }
}

function requireChannel(channel: ChannelTransport | undefined): ChannelTransport {
  if (channel) return channel;
  throw new UsageFault("this needs the channel port: connect through config.toml, not --url");
}
