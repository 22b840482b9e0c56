/**
 * Machines with many groups: files and stores in memory that outlive a node, lose power at a chosen
 * write, or refuse one; asked over the HTTP endpoint.
 */
import assert from "node:assert/strict";
import { byteString } from "../../../core/bytes/byte-string.ts";
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { type NodeOptions, RunningNode } from "../../../core/node/create-node.ts";
import type { LedgerApi } from "../../../core/ports/ledger.ts";
import type { NodePorts } from "../../../core/node/options/node-ports.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Files } from "../../../core/ports/files.ts";
import type { Network, NetworkEvents } from "../../../core/ports/network.ts";
import type { Store } from "../../../core/ports/store.ts";
import { type MemoryStore, openMemoryStore } from "../../../core/storage/memory-store.ts";
import { createNodeClock } from "../../../runtimes/node/machine/clock.ts";
import { jsonGroupFormat } from "../../../runtimes/shared/group-text.ts";
import { createHttpApp, DEFAULT_MAX_BODY_BYTES } from "../../../runtimes/shared/http-app.ts";
import { ALL_MANAGE } from "../../../runtimes/shared/http-caller.ts";
import { createInlineCompute } from "../../../runtimes/shared/inline-compute.ts";
import { createMemoryFiles } from "../../../runtimes/shared/memory-files.ts";
import { createMemoryHub, type MemoryHub } from "../../../runtimes/shared/memory-network.ts";
import type { Reply } from "../rpc-node.ts";

const BUILD = { version: "2.12.0", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" };
/** Creates a contract without code. */
const EMPTY_CONTRACT: Uint8Array = Uint8Array.of(0x60, 0, 0x60, 0, 0xf3);
const SENDER_KEY = new Uint8Array(32).fill(0x42);
const FOLDERS = { config: "conf/", data: "data/" };
/** How long a test waits for a block. */
const BLOCK_WAIT_MS = 240_000;
/** Configuration as JSON, with no least time between blocks. */
export const FORMAT = jsonGroupFormat({ minBlockGenerationTimeMs: 0 });

/** Where the power goes: before a write is done, or right after it, before anybody learns of it. */
export type CutSide = "before" | "after";

/** What happens at a write. */
export interface WritePlan {
  /** Writes until it happens; 1 is the next. */
  left: number;
  /** `full`: it and all later ones are refused. */
  readonly what: CutSide | "refused" | "full";
}

/** What a machine is made with. */
export interface MachineOptions {
  readonly suite: CryptoSuite;
  readonly hub?: MemoryHub;
  readonly index?: number;
  /** Groups that the chain is made with. */
  readonly fixed?: readonly GenesisConfig[];
  readonly node?: Partial<NodeOptions>;
  readonly ports?: Partial<NodePorts>;
  /** Where the data of a group are; in {@link GroupMachine.stores} when absent. */
  readonly openKept?: (groupId: number) => Promise<Store>;
  /** Changes what the machine hears and says. */
  readonly changeNetwork?: (network: Network) => Network;
}

/** A hub that delivers in a later turn. */
export function immediateHub(): MemoryHub {
  return createMemoryHub({ schedule: (run) => void setImmediate(run) });
}

/** Key and ID of the machine with that index. */
export function identityOf(suite: CryptoSuite, index: number) {
  const privateKey = new Uint8Array(32).fill(0x11 + index);
  return { privateKey, nodeId: nodeIdOf(suite.publicKey(privateKey)) };
}

/** A genesis as generateGroup writes it. */
export function genesisOf(groupId: number, sealers: readonly NodeId[]): GenesisConfig {
  return {
    groupId,
    timestamp: 1_700_000_000_000n,
    consensusType: "pbft",
    sealers: [...sealers].sort(),
    maxTransactions: 1_000,
    gasLimit: 300_000_000n,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
  };
}

/** A line of a log. */
export interface MachineLine {
  readonly level: string;
  readonly message: string;
  readonly group: unknown;
}

interface Life {
  alive: boolean;
  readonly node: RunningNode;
  readonly request: (method: string, params: readonly unknown[]) => Promise<Reply>;
}

/** One machine. */
export class GroupMachine {
  readonly nodeId: NodeId;
  readonly files = createMemoryFiles();
  readonly stores = new Map<number, MemoryStore>();
  readonly log: MachineLine[] = [];
  readonly failures: { readonly cause: unknown; readonly groupId: number | undefined }[] = [];
  /** Called before each write of a file; a test may hold it. */
  beforeWrite: (path: string, text: string) => Promise<void> | void = () => undefined;
  plan: WritePlan | undefined;
  /** Ends the executor of a group as a thread ends that runs out of memory. */
  readonly killExecutor = new Map<number, (cause: unknown) => void>();
  readonly openStores = new Set<number>();
  readonly #kept = new Map<number, Store>();
  readonly #options: MachineOptions;
  readonly #network: Network;
  readonly #privateKey: Uint8Array;
  #life: Life | undefined;
  #nonce = 1n;

  constructor(options: MachineOptions) {
    const { suite, index = 0, hub = immediateHub() } = options;
    const { privateKey, nodeId } = identityOf(suite, index);
    this.#options = options;
    this.#privateKey = privateKey;
    this.nodeId = nodeId;
    const peer = { endpoint: `10.0.0.${index}:1`, agency: "a", node: `node${index}`, topics: [] };
    const joined = hub.join(nodeId, peer);
    this.#network = options.changeNetwork?.(joined) ?? joined;
  }

  get node(): RunningNode {
    assert.ok(this.#life, "the machine runs");
    return this.#life.node;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  /** Makes the node, so that files can be put in place, and starts it. */
  async start(): Promise<void> {
    assert.equal(this.#life, undefined);
    const life = this.#power();
    this.#life = life;
    const started = life.node.start();
    // A start during which the power goes is over, too.
    await Promise.race([started, this.#powerLoss(life)]);
  }

  async stop(): Promise<void> {
    await this.#life?.node.stop();
    this.#life = undefined;
    for (const store of this.#kept.values()) await store.close();
    this.#kept.clear();
  }

  /** The power goes. */
  crash(): void {
    const life = this.#life;
    this.#life = undefined;
    this.plan = undefined;
    if (life) life.alive = false;
    this.openStores.clear();
    void this.#network.stop();
  }

  /** Resolves with the answer, or with undefined when the power goes meanwhile. */
  async request(method: string, params: readonly unknown[]): Promise<Reply | undefined> {
    const life = this.#life;
    assert.ok(life, "the machine runs");
    return Promise.race([life.request(method, params), this.#powerLoss(life)]);
  }

  /** Code and message of a group operation. */
  async manage(operation: string, groupId: number, params?: object): Promise<[string, string]> {
    const reply = await this.request(operation, params ? [groupId, params] : [groupId]);
    assert.ok(reply, `${operation} is answered`);
    const { code, message } = reply.result as { code: string; message: string };
    return [code, message];
  }

  async status(groupId: number): Promise<string> {
    const reply = await this.request("queryGroupStatus", [groupId]);
    assert.ok(reply, "the query is answered");
    return (reply.result as { status: string }).status;
  }

  /** Brings a group into being, up to a status. */
  async generate(groupId: number, sealers: readonly NodeId[] = [this.nodeId]): Promise<void> {
    const params = { timestamp: "1700000000000", sealers };
    const [code] = await this.manage("generateGroup", groupId, params);
    assert.equal(code, "0x0");
  }

  height(groupId: number): number {
    const group = this.node.api.group(groupId);
    assert.ok(group, `group ${groupId} runs`);
    return group.ledger.head().number;
  }

  /** Has a transaction committed. @returns milliseconds that it took */
  async commitOne(groupId: number, code = EMPTY_CONTRACT): Promise<number> {
    const begin = performance.now();
    const { hash, ledger } = await this.submitOne(groupId, code);
    while (!(await ledger.receipt(hash))) {
      assert.ok(performance.now() - begin < BLOCK_WAIT_MS, `a block of group ${groupId}`);
      await new Promise((resume) => setTimeout(resume, 1));
    }
    return performance.now() - begin;
  }

  /** Has a transaction admitted. */
  async submitOne(
    groupId: number,
    code = EMPTY_CONTRACT,
  ): Promise<{ hash: Hash; ledger: LedgerApi }> {
    const group = this.node.api.group(groupId);
    assert.ok(group, `group ${groupId} runs`);
    const { ledger } = group;
    const fields = {
      nonce: this.#nonce++,
      gasPrice: 1n,
      gas: 300_000_000n,
      blockLimit: BigInt(ledger.head().number + 500),
      to: null,
      value: 0n,
      input: code,
      chainId: 1n,
      groupId: BigInt(groupId),
      extraData: new Uint8Array(0),
    };
    const { raw, hash } = signTransaction(fields, SENDER_KEY, this.#options.suite);
    assert.equal((await group.submit(raw)).ok, true);
    return { hash, ledger };
  }

  #powerLoss(life: Life): Promise<undefined> {
    return new Promise((resolve) => {
      const look = () => {
        if (!life.alive) return resolve(undefined);
        // Timers of a browser hold nothing up.
        if (this.#life === life) setTimeout(look, 1).unref?.();
      };
      look();
    });
  }

  #power(): Life {
    const { suite, fixed = [] } = this.#options;
    const isAlive = () => life.alive;
    const files = this.#gatedFiles(isAlive);
    const node = new RunningNode(
      {
        build: BUILD,
        chainId: 1,
        supportedVersion: NEWEST_VERSION,
        suite,
        privateKey: this.#privateKey,
        groups: { folders: FOLDERS, format: FORMAT, fixed },
        ...this.#options.node,
      },
      {
        clock: gatedClock(isAlive),
        entropy: { bytes: (count) => new Uint8Array(count).fill(7) },
        log: {
          write: (level, message, fields) =>
            void (isAlive() && this.log.push({ level, message, group: fields?.["group"] })),
        },
        network: this.#gatedNetwork(isAlive),
        compute: createInlineCompute(suite, { schedule: (run) => void setImmediate(run) }),
        files,
        openStore: async (groupId) => {
          const { openKept } = this.#options;
          if (openKept && !this.#kept.has(groupId))
            this.#kept.set(groupId, await openKept(groupId));
          return this.#gatedStore(groupId, isAlive);
        },
        openExecutor: async (genesis, onDeath) => {
          this.killExecutor.set(genesis.groupId, onDeath);
          const store = this.#gatedStore(genesis.groupId, isAlive);
          return createBlockProcessor({ suite, version: NEWEST_VERSION, genesis, store });
        },
        ...this.#options.ports,
      },
    );
    node.onFailure((cause, groupId) => this.failures.push({ cause, groupId }));
    const { app } = createHttpApp({
      node: node.api,
      maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
      lists: ALL_MANAGE,
    });
    const request: Life["request"] = async (method, params) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const response = await app.request("http://127.0.0.1:8545/", { method: "POST", body });
      return (await response.json()) as Reply;
    };
    const life: Life = { alive: true, node, request };
    return life;
  }

  /** Does a write, unless the plan has it that the power goes. */
  async #write(isAlive: () => boolean, apply: () => Promise<void>): Promise<void> {
    const never = () => new Promise<never>(() => undefined);
    if (!isAlive()) return never();
    const { plan } = this;
    if (plan) plan.left--;
    if (!plan || plan.left > 0) return apply();
    if (plan.what === "full") throw new StoreFault("io", "no space is left");
    this.plan = undefined;
    if (plan.what === "refused") throw new StoreFault("io", "no space is left");
    if (plan.what === "after") await apply();
    this.crash();
    return never();
  }

  #gatedFiles(isAlive: () => boolean): Files {
    const { files } = this;
    return {
      read: (path) => files.read(path),
      list: (folder) => files.list(folder),
      write: async (path, bytes) => {
        await this.beforeWrite(path, byteString(bytes));
        await this.#write(isAlive, () => files.write(path, bytes));
      },
      remove: (path) => this.#write(isAlive, () => files.remove(path)),
    };
  }

  #gatedStore(groupId: number, isAlive: () => boolean): Store {
    const known = this.#kept.get(groupId) ?? this.#memoryStore(groupId);
    this.openStores.add(groupId);
    return {
      get: (key) => known.get(key),
      load: (key) => known.load(key),
      range: (from, to, limit) => known.range(from, to, limit),
      commit: (writes, how) => this.#write(isAlive, () => known.commit(writes, how)),
      close: async () => void this.openStores.delete(groupId),
    };
  }

  #memoryStore(groupId: number): MemoryStore {
    const known = this.stores.get(groupId) ?? openMemoryStore();
    this.stores.set(groupId, known);
    return known;
  }

  #gatedNetwork(isAlive: () => boolean): Network {
    const network = this.#network;
    const guarded = (events: NetworkEvents): NetworkEvents => ({
      message: (message) => isAlive() && events.message(message),
      peerUp: (peer) => isAlive() && events.peerUp(peer),
      peerDown: (peer) => isAlive() && events.peerDown(peer),
    });
    return {
      self: network.self,
      peers: () => network.peers(),
      start: (events) => network.start(guarded(events)),
      send: (to, message) => void (isAlive() && network.send(to, message)),
      stop: async () => void (isAlive() && (await network.stop())),
    };
  }
}

function gatedClock(isAlive: () => boolean): Clock {
  const clock = createNodeClock();
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    after: (delay, callback) => clock.after(delay, () => isAlive() && callback()),
  };
}
