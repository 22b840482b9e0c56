/** One whole node whose ports a test can hold back or break; its store lives in memory. */
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import { NEWEST_VERSION, type Version } from "../../../core/model/version.ts";
import { RunningNode } from "../../../core/node/create-node.ts";
import type { SubmitOutcome } from "../../../core/api/node-api.ts";
import type { NodePorts } from "../../../core/node/options/node-ports.ts";
import type { Executor } from "../../../core/ports/executor.ts";
import type { Files } from "../../../core/ports/files.ts";
import type { Store } from "../../../core/ports/store.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { jsonGroupFormat } from "../../../runtimes/shared/group-text.ts";
import { createInlineCompute } from "../../../runtimes/shared/inline-compute.ts";
import { createMemoryFiles } from "../../../runtimes/shared/memory-files.ts";
import { createMemoryHub } from "../../../runtimes/shared/memory-network.ts";
import { createNodeClock } from "../../../runtimes/node/machine/clock.ts";

const BUILD = { version: "2.11.1", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" };
const KEY = new Uint8Array(32).fill(0x21);

/** What was opened and closed of a port. */
export interface Uses {
  opened: number;
  closed: number;
}

/** A node and what it did with its ports. */
export interface NodeLife {
  readonly node: RunningNode;
  readonly stores: Uses;
  readonly executors: Uses;
  /** Lines of level error, with their causes. */
  readonly errors: string[];
  /** Ends the newest executor as a thread ends that runs out of memory. */
  killExecutor(cause: unknown): void;
  submit(): Promise<SubmitOutcome>;
  /** Resolves once a block is written. */
  nextBlock(): Promise<Hash>;
}

/** What a test puts between a node and its ports. */
export interface NodeLifeOptions {
  readonly suite: CryptoSuite;
  /** Absent: the newest. */
  readonly version?: Version;
  readonly genesis?: Partial<GenesisConfig>;
  readonly beforeStore?: () => Promise<void>;
  readonly beforeExecutor?: () => Promise<void>;
  readonly wrapStore?: (store: Store) => Store;
  readonly wrapExecutor?: (executor: Executor) => Executor;
  readonly wrapFiles?: (files: Files) => Files;
}

const later = (run: () => void) => void setImmediate(run);

function genesisOf(suite: CryptoSuite): GenesisConfig {
  return {
    groupId: 1,
    timestamp: 1_700_000_000_000n,
    consensusType: "pbft",
    sealers: [nodeIdOf(suite.publicKey(KEY))],
    maxTransactions: 1_000,
    gasLimit: 300_000_000n,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
  };
}

/** Makes a chain of one node; nothing is opened yet. */
export function nodeLife(options: NodeLifeOptions): NodeLife {
  const { suite, version = NEWEST_VERSION, beforeStore, beforeExecutor } = options;
  const { wrapStore = (it) => it, wrapExecutor = (it) => it, wrapFiles = (it) => it } = options;
  const genesis = { ...genesisOf(suite), ...options.genesis };
  const nodeId = nodeIdOf(suite.publicKey(KEY));
  const stores: Uses = { opened: 0, closed: 0 };
  const executors: Uses = { opened: 0, closed: 0 };
  const errors: string[] = [];
  const memory = openMemoryStore();
  const store: Store = wrapStore({
    get: (key) => memory.get(key),
    load: (key) => memory.load(key),
    range: (from, to, limit) => memory.range(from, to, limit),
    commit: (writes, how) => memory.commit(writes, how),
    close: async () => void stores.closed++,
  });
  let die: (cause: unknown) => void = () => {};
  const peer = { endpoint: "127.0.0.1:1", agency: "life", node: "node0", topics: [] };
  const ports: NodePorts = {
    clock: createNodeClock(),
    entropy: { bytes: (count) => new Uint8Array(count).fill(7) },
    log: {
      write: (level, message, fields) => {
        if (level === "error") errors.push(`${message}: ${String(fields?.["cause"])}`);
      },
    },
    network: createMemoryHub({ schedule: later }).join(nodeId, peer),
    compute: createInlineCompute(suite, { schedule: later }),
    files: wrapFiles(createMemoryFiles()),
    openStore: async () => {
      await beforeStore?.();
      stores.opened++;
      return store;
    },
    openExecutor: async (_, onDeath) => {
      await beforeExecutor?.();
      executors.opened++;
      die = onDeath;
      const processor = createBlockProcessor({ store, suite, version, genesis });
      return wrapExecutor({
        execute: (request) => processor.execute(request),
        cancel: () => processor.cancel(),
        write: (hash, seals) => processor.write(hash, seals),
        call: (request) => processor.call(request),
        close: async () => {
          await processor.close();
          executors.closed++;
        },
      });
    },
  };
  const groups = {
    folders: { config: "conf/", data: "data/" },
    format: jsonGroupFormat({ minBlockGenerationTimeMs: 0 }),
    fixed: [genesis],
  };
  const identity = { build: BUILD, chainId: 1, supportedVersion: version, privateKey: KEY };
  const node = new RunningNode({ ...identity, suite, groups }, ports);
  return {
    node,
    stores,
    executors,
    errors,
    killExecutor: (cause) => die(cause),
    submit: () => submitTo(node, suite),
    nextBlock: () => new Promise((resolve) => node.onBlock(({ hash }) => resolve(hash))),
  };
}

let nonce = 1n;

function submitTo(node: RunningNode, suite: CryptoSuite): Promise<SubmitOutcome> {
  const group = node.api.group(1);
  if (!group) throw new RangeError("the group does not run");
  const fields = {
    nonce: nonce++,
    gasPrice: 1n,
    gas: 300_000_000n,
    blockLimit: BigInt(group.ledger.head().number + 500),
    to: null,
    value: 0n,
    input: Uint8Array.of(0x60, 0, 0x60, 0, 0xf3),
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  return group.submit(signTransaction(fields, new Uint8Array(32).fill(0x42), suite).raw);
}
