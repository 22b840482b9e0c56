/**
 * The chain of a run as the manager has it: opened once, its contracts installed, closed at the
 * end. Source: benchmark 2, 3, 9
 */
import { toHex } from "../../../../core/bytes/hex.ts";
import { realClock } from "../../../shared/benchmark/bench-clock.ts";
import type { RunEnvironment } from "../../../shared/benchmark/round-result.ts";
import { TransactionMaker } from "../../../shared/benchmark/signing.ts";
import { webEntropy } from "../../../shared/platform/web-platform.ts";
import { requireAccount, signersOf } from "../adapter/accounts.ts";
import { type Chain, openChain } from "../adapter/chain.ts";
import { installedBefore, installInGroups } from "../adapter/install.ts";
import type { InstalledContract } from "../adapter/request-encoder.ts";
import type { NetworkPlan } from "../files/network-file.ts";
import type { WorkerArguments } from "../worker/messages.ts";
import { cpus, totalmem } from "node:os";
import { BUILD_INFO } from "../../../shared/platform/build-info.ts";

const KEY_BYTES = 32;

/** A chain that is opened when something needs it. */
export class RunChain {
  readonly #network: NetworkPlan;
  readonly #workspace: string;
  readonly #say: (line: string) => void;
  readonly #clock = realClock((run) => void setImmediate(run));
  /** A key for workers, where the file has none. */
  readonly #drawnKey: string | undefined;
  #chain: Chain | undefined;
  #contracts: readonly InstalledContract[] | undefined;
  #environment: RunEnvironment | undefined;

  constructor(network: NetworkPlan, workspace: string, say: (line: string) => void) {
    this.#network = network;
    this.#workspace = workspace;
    this.#say = say;
    const isDrawn = network.privateKey === undefined;
    this.#drawnKey = isDrawn ? toHex(webEntropy.bytes(KEY_BYTES)) : undefined;
  }

  /** Opens it; undefined where it is inside the workers, not there yet. @throws BenchmarkFault */
  async open(): Promise<Chain | undefined> {
    if (this.#network.mode === "inproc") return undefined;
    if (this.#chain) return this.#chain;
    const chain = await openChain(this.#network, this.#clock);
    this.#chain = chain;
    requireAccount(this.#network.account, signersOf(this.#key(), 1, chain.suite)[0]);
    this.#environment = await environmentOf(chain);
    return chain;
  }

  /** Installs the contracts. @throws BenchmarkFault */
  async install(): Promise<void> {
    const chain = await this.open();
    if (chain === undefined) return;
    const maker = new TransactionMaker(chain, signersOf(this.#key(), 1, chain.suite));
    const place = { workspace: this.#workspace, maker, progress: this.#say };
    this.#contracts = await installInGroups(this.#network, chain, place, this.#clock);
  }

  /** What workers need; contracts of an earlier run where this one installs none. */
  async workerArguments(): Promise<WorkerArguments> {
    this.#contracts ??= await installedBefore(this.#network, this.#workspace);
    return { contracts: this.#contracts, privateKey: this.#drawnKey };
  }

  async environment(): Promise<RunEnvironment> {
    return this.#environment ?? (await environmentOf(undefined));
  }

  async close(): Promise<void> {
    await this.#chain?.close();
  }

  #key(): string {
    return this.#network.privateKey ?? this.#drawnKey ?? "";
  }
}

/** System settings of a chain that belong to the figures. */
const SYSTEM_KEYS = ["tx_count_limit", "tx_gas_limit"];

async function chainFacts(chain: Chain): Promise<Readonly<Record<string, string>>> {
  const { groupId } = chain;
  const facts: Record<string, string> = { groupId: `${groupId}`, suite: chain.suite.name };
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    await chain.request({ method, params: [groupId, ...params] }).catch(() => undefined);
  const sealers = await ask("getSealerList");
  if (Array.isArray(sealers)) facts["sealers"] = `${sealers.length}`;
  const observers = await ask("getObserverList");
  if (Array.isArray(observers)) facts["observers"] = `${observers.length}`;
  for (const key of SYSTEM_KEYS) {
    const value = await ask("getSystemConfigByKey", key);
    if (typeof value === "string") facts[key] = value;
  }
  return facts;
}

/** Machine, tool and chain; the chain's part is empty where it cannot be asked. */
export async function environmentOf(chain: Chain | undefined): Promise<RunEnvironment> {
  const all = cpus();
  const { version, gitCommit } = BUILD_INFO;
  return {
    runtime: "node",
    runtimeVersion: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpuModel: all[0]?.model ?? null,
    cpuCount: all.length === 0 ? null : all.length,
    memoryBytes: totalmem(),
    toolVersion: version,
    toolCommit: gitCommit === "unknown" ? null : gitCommit,
    node: chain?.version ?? {},
    chain: chain ? await chainFacts(chain) : {},
  };
}
