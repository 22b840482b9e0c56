/** What lives while a group runs: store, executor and runtime, begun and ended in order. */
import { DEFAULT_ELECT_TIME_MS, type GenesisConfig } from "../../model/config.ts";
import type { NodeId } from "../../bytes/ids.ts";
import { GroupFault } from "../../fault/group-fault.ts";
import { prepareGenesis } from "../../ledger/genesis-block.ts";
import { openLedger } from "../../ledger/ledger.ts";
import type { Ledger } from "../../ledger/ledger-view.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Store } from "../../ports/store.ts";
import type { GroupOptions, RaftTimes } from "../options/group-options.ts";
import type { NodePorts } from "../options/node-ports.ts";
import type { GroupRuntime } from "./group-runtime.ts";
import type { GroupSurroundings } from "./group-surroundings.ts";
import { startGroup } from "./start-group.ts";

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

  peerUp(peer: NodeId): void {
    this.#runtime?.peerUp(peer);
  }

  peerDown(peer: NodeId): void {
    this.#runtime?.peerDown(peer);
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
   *
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
