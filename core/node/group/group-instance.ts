/**
 * What lives while a group runs: store, executor and runtime, begun and ended in order; and how a
 * group is brought up from its store: nonces, head, what a crash left behind.
 * Source: groups 2; txpool 5; storage 13
 */
import { DEFAULT_ELECT_TIME_MS, type GenesisConfig } from "../../model/config.ts";
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import { GroupFault } from "../../fault/group-fault.ts";
import { StoreFault } from "../../fault/store-fault.ts";
import { prepareGenesis } from "../../ledger/genesis-block.ts";
import { openLedger } from "../../ledger/ledger.ts";
import type { Ledger } from "../../ledger/ledger-view.ts";
import { requireNewest } from "../../ledger/newest-blocks.ts";
import { headerHash, unexecuted } from "../../model/header.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Store } from "../../ports/store.ts";
import { addBlockNonces, createNonceWindow, windowStart } from "../../txpool/nonce-window.ts";
import { createPool } from "../../txpool/state.ts";
import type { GroupOptions, GroupPorts, RaftTimes } from "../options/group-options.ts";
import type { NodePorts } from "../options/node-ports.ts";
import { readAbstention } from "../voting/abstention-store.ts";
import { VoteStore } from "../voting/vote-store.ts";
import type { GroupCatalog } from "./group-files.ts";
import { GroupRuntime } from "./group-runtime.ts";

/** What all groups of a node share. */
export interface GroupSurroundings
  extends Omit<GroupOptions, "groupId" | "raft" | "eventLimits" | "tuning" | "onFailure"> {
  readonly catalog: GroupCatalog;
  readonly ports: NodePorts;
  connected(): Iterable<NodeId>;
  /** A group that ran cannot go on. */
  onFailure(groupId: GroupId, cause: unknown): void;
}

/** What is opened. */
export interface InstanceOptions {
  readonly shared: GroupSurroundings;
  readonly genesis: GenesisConfig;
  /** The group: whatever runs here is a child of it. */
  readonly parent: GroupOptions["parent"];
  readonly openStore: () => Promise<Store>;
  readonly openExecutor: NodePorts["openExecutor"];
  /** Examines the store once it has its genesis block, before anything is reported over it. */
  readonly admit: (ledger: Ledger, store: Store) => Promise<void>;
  readonly isAbstaining?: GroupOptions["isAbstaining"];
  /** Whether the start is to be given up. */
  readonly isEnding: () => boolean;
  /** What was opened cannot go on. */
  readonly onFailure: (cause: unknown) => void;
}

/** One ledger of a group, in use. */
export class GroupInstance {
  readonly #options: InstanceOptions;
  #runtime: GroupRuntime | undefined;
  #executor: Executor | undefined;
  #store: Store | undefined;
  #ledger: Ledger | undefined;

  constructor(options: InstanceOptions) {
    this.#options = options;
  }

  /** The group, once it has begun and until it is closed. */
  get runtime(): GroupRuntime | undefined {
    return this.#runtime;
  }

  /** The ledger, once there is one and until it is closed. */
  get ledger(): Ledger | undefined {
    return this.#store && this.#ledger;
  }

  /** The newest block as far as it was read; 0 before. */
  head(): number {
    return this.#ledger?.head().number ?? 0;
  }

  /** @throws what the ports throw; `close` ends what was begun */
  async open(): Promise<void> {
    const { shared, genesis, parent, openExecutor, isAbstaining, isEnding, onFailure } =
      this.#options;
    const { catalog, ports, connected, onFailure: _, ...node } = shared;
    const { suite, version } = node;
    const tuning = await catalog.tuning(genesis);
    const store = await this.#options.openStore();
    this.#store = store;
    store.onDamage?.(onFailure);
    if (isEnding()) throw new GroupFault("the node is stopping");
    await prepareGenesis(store, { suite, version, genesis });
    const ledger = openLedger({ store, suite, version, genesis, hashLong: ports.hashLong });
    this.#ledger = ledger;
    await this.#options.admit(ledger, store);
    const death: { cause?: unknown; happened: boolean } = { happened: false };
    const onDeath = (cause: unknown): void => {
      death.cause = cause;
      death.happened = true;
      // While the group starts, its start fails instead.
      if (this.#runtime) onFailure(cause);
    };
    const executor = await openExecutor(genesis, onDeath, tuning);
    this.#executor = executor;
    const runtime = await startGroup(
      {
        ...node,
        ...(isAbstaining && { isAbstaining }),
        groupId: genesis.groupId,
        raft: raftTimes(genesis),
        eventLimits: genesis.eventFilter,
        tuning,
        parent,
        onFailure,
      },
      { ...ports, store, executor, ledger },
    );
    for (const peer of connected()) runtime.peerUp(peer);
    // No node was there to learn of it before.
    this.#runtime = runtime;
    if (death.happened) throw death.cause;
    runtime.begin();
  }

  /** Ends all but the store, which can still be read. */
  async halt(): Promise<void> {
    const [runtime, executor] = [this.#runtime, this.#executor];
    this.#runtime = undefined;
    this.#executor = undefined;
    try {
      await runtime?.stop();
    } finally {
      await executor?.close();
    }
  }

  /**
   * Ends everything that was begun, whatever fails of it; the store last. Source: groups 2
   * @param leave examines the store of a group that ran, before it is closed
   */
  async close(leave: (store: Store) => Promise<void> = async () => undefined): Promise<void> {
    const [runtime, store] = [this.#runtime, this.#store];
    this.#store = undefined;
    try {
      await this.halt();
    } finally {
      if (runtime && store) await leave(store);
      await store?.close();
    }
  }
}

/** Election times as the genesis file has them; undefined for PBFT. Source: raft 3; groups 6 */
function raftTimes(genesis: GenesisConfig): RaftTimes | undefined {
  if (genesis.consensusType !== "raft") return undefined;
  const { min, max } = DEFAULT_ELECT_TIME_MS;
  const { minElectTimeMs: minElectMs = min, maxElectTimeMs: maxElectMs = max } = genesis;
  return { minElectMs, maxElectMs };
}

/** Reads what a group needs and starts it; `begin` is called once messages can flow. */
async function startGroup(options: GroupOptions, ports: GroupPorts): Promise<GroupRuntime> {
  const { ledger, entropy, store } = ports;
  const { tuning } = options;
  const head = ledger.head();
  const [a = 0, b = 0, c = 0, d = 0] = entropy.bytes(4);
  const window = createNonceWindow(((a << 24) | (b << 16) | (c << 8) | d) >>> 0);
  for (const block of await ledger.nonces(windowStart(head.number), head.number))
    addBlockNonces(window, block.number, block.nonces);
  const limits = {
    count: tuning.txPoolLimit,
    memoryBytes: tuning.txPoolMemoryBytes,
    expiryMs: tuning.txExpirationMs,
  };
  const stored = await ledger.header(head.hash);
  if (!stored) throw new StoreFault("corrupt", `the header of block ${head.number} is gone`);
  await requireNewest(ledger, options);
  await forgetStale(store, ledger, options.suite);
  const { failed } = await ledger.totals();
  const parent = { ...head, timestamp: stored.header.timestamp };
  const named = { ...ports, log: logOf(options.groupId, ports.log) };
  const pool = createPool(limits, window);
  const abstention = readAbstention(store);
  return new GroupRuntime(options, named, { pool, parent, failed, abstention });
}

/** Lines of a group say which one it is: a node may have many. */
function logOf(group: number, log: GroupPorts["log"]): GroupPorts["log"] {
  return { write: (level, message, fields) => log.write(level, message, { group, ...fields }) };
}

/** Proposals that a crash left behind: forgotten, unless their body is that of a written block. */
async function forgetStale(
  store: Store,
  ledger: Ledger,
  suite: GroupOptions["suite"],
): Promise<void> {
  const votes = new VoteStore(store);
  for (const { proposal, number } of await votes.stale(ledger.head().number)) {
    const hash = await ledger.hashOf(number);
    const stored = hash && (await ledger.header(hash));
    const written = stored && headerHash(unexecuted(stored.header), suite);
    await votes.forget([proposal], written);
  }
}
