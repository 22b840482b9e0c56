/**
 * The groups of a node: found at start, brought up side by side, managed one operation at a time.
 * Source: groups 2, 3, 4, 10
 */
import { describe } from "../actors/supervise.ts";
import type { BootState } from "../actors/group.machine.ts";
import type { GroupId, NodeId } from "../bytes/ids.ts";
import { invariant } from "../fault/invariant.ts";
import type { GenesisConfig } from "../model/config.ts";
import type { Incoming } from "../ports/network.ts";
import type { BadGroup, FoundGroup } from "./group-files.ts";
import { GroupHost, type GroupSurroundings } from "./group-host.ts";
import {
  bootPlan,
  decideGroupOperation,
  failedOperation,
  type GroupFiles,
  type GroupVerdict,
  queryResult,
  statusOf,
} from "./group-lifecycle.ts";
import type { GroupRuntime } from "./group-runtime.ts";
import type {
  GenerateGroupParams,
  GroupOperation,
  GroupOperationResult,
  GroupStatus,
  GroupSummary,
} from "./node-api.ts";

/** An operation as it was asked for. */
interface Request {
  readonly operation: GroupOperation;
  readonly groupId: GroupId;
  readonly params: GenerateGroupParams | undefined;
}

/** What a group looks like to an operation. */
interface Sight {
  readonly status: GroupStatus;
  readonly files: GroupFiles;
}

/** What is left of an operation once the lock is given back. */
type Begun =
  | { readonly kind: "answer"; readonly result: GroupOperationResult }
  | { readonly kind: "stops"; readonly host: GroupHost; readonly result: GroupOperationResult };

const NO_FILES: GroupFiles = { genesis: false, ini: false };

/** How a group that is not loaded begins when an operation concerns it; none: it is not touched. */
const BOOT_OF_STATUS: Readonly<Partial<Record<GroupStatus, BootState>>> = {
  INEXISTENT: "inexistent",
  RUNNING: "halted",
  STOPPED: "stopped",
  DELETED: "deleted",
};

/** What generateGroup fixes beside its arguments. Source: groups 6 */
const GENERATED = {
  consensusType: "pbft",
  maxTransactions: 1000,
  gasLimit: 300_000_000n,
  consensusTimeoutSeconds: 3,
} as const;

/** All groups of a node. */
export class GroupTable {
  readonly #shared: GroupSurroundings;
  readonly #hosts = new Map<GroupId, GroupHost>();
  /** Operations of a node run one after the other. Source: groups 2, 10 */
  #lock: Promise<unknown> = Promise.resolve();
  /** Operations that were asked for and not answered, also those that wait for modules to stop. */
  readonly #unanswered = new Set<Promise<unknown>>();
  /** Groups that could not be loaded, by file. */
  readonly #leftOut = new Map<string, GroupSummary>();
  /** Those of them whose start failed before they had a host: a full disk took no word. */
  readonly #unsettled = new Map<GroupId, FoundGroup>();
  /** A generation was interrupted, and what it left could not be removed. */
  #hasRemains = false;
  /** Those of them whose genesis file is gone. */
  readonly #orphanPaths = new Set<string>();
  #ending = false;

  constructor(shared: GroupSurroundings) {
    this.#shared = shared;
  }

  /** A running group. */
  running(groupId: number): GroupRuntime | undefined {
    return this.#hosts.get(groupId)?.running();
  }

  /** Running groups with this node as sealer or observer, ascending. Source: groups 3 */
  memberships(): readonly GroupId[] {
    const running = [...this.#hosts.values()].filter((host) => host.running()?.isMember());
    return running.map(({ groupId }) => groupId).sort((left, right) => left - right);
  }

  /** All groups of which there are files, those with a number first, ascending. */
  overview(): readonly GroupSummary[] {
    const hosts = [...this.#hosts.values()].map((host) => ({
      groupId: host.groupId,
      status: host.status(),
      isRunning: host.running() !== undefined,
      failure: host.failure(),
    }));
    const leftOut = [...this.#leftOut.values()].filter(
      ({ groupId }) => groupId === undefined || !this.#hosts.has(groupId),
    );
    const place = ({ groupId }: GroupSummary) => groupId ?? Number.MAX_SAFE_INTEGER;
    return [...hosts, ...leftOut].sort((left, right) => place(left) - place(right));
  }

  /** Has silent groups vote. @returns the ids of those that were silent, ascending */
  async confirmOnlyCopy(groups: readonly number[] | undefined): Promise<readonly GroupId[]> {
    const ids = [...this.#hosts.keys()].filter((id) => groups?.includes(id) ?? true);
    const confirmed: GroupId[] = [];
    for (const id of ids.sort((left, right) => left - right)) {
      if (await this.running(id)?.confirmOnlyCopy()) confirmed.push(id);
    }
    return confirmed;
  }

  /** What `isMuted` says is another thing now. */
  muteChanged(): void {
    for (const host of this.#hosts.values()) host.running()?.muteChanged();
  }

  receive(message: Incoming): void {
    this.#hosts.get(message.groupId)?.receive(message);
  }

  peerUp(peer: NodeId): void {
    for (const host of this.#hosts.values()) host.peerUp(peer);
  }

  peerDown(peer: NodeId): void {
    for (const host of this.#hosts.values()) host.peerDown(peer);
  }

  // --- boot and end

  /**
   * Loads all groups and starts those that ran or are new. A group that cannot start is logged and
   * left out, unless the chain was made with it.
   *
   * @throws the cause when a fixed group cannot run
   * Source: groups 2 (node boot)
   */
  async load(fixed: readonly GenesisConfig[]): Promise<void> {
    const { catalog } = this.#shared;
    for (const genesis of fixed) await catalog.provide(genesis);
    await this.#removeRemains();
    const { groups, bad } = await catalog.scan();
    const broken = new Map<GroupId, unknown>();
    for (const found of groups) {
      if (this.#ending) return;
      await this.#boot(found).catch((cause: unknown) => {
        broken.set(found.groupId, cause);
        this.#leaveOut(found, cause);
      });
    }
    await Promise.all([...this.#hosts.values()].map((host) => host.settled()));
    for (const { groupId } of fixed) {
      const host = this.#hosts.get(groupId);
      if (host?.failure() !== undefined) throw host.cause();
      if (broken.has(groupId)) throw broken.get(groupId);
    }
    this.#reportBad(bad);
    await this.#reportOrphans(groups);
    for (const host of this.#hosts.values()) this.#reportFailure(host);
  }

  /** Nothing more is begun: the node stops. */
  close(): void {
    this.#ending = true;
    for (const host of this.#hosts.values()) host.close();
  }

  /** Ends all groups, whatever fails of it; their words stay. */
  async end(): Promise<void> {
    this.close();
    await Promise.allSettled(this.#unanswered);
    const ends = await Promise.allSettled([...this.#hosts.values()].map((host) => host.end()));
    const failed = ends.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  /**
   * Loads groups whose files were added while the node runs: they are STOPPED until startGroup.
   *
   * @returns the new ones, ascending
   * Source: groups 4
   */
  loadNew(): Promise<readonly GroupId[]> {
    return this.#locked(async () => {
      const { catalog, ports } = this.#shared;
      const { groups, bad } = await catalog.scan();
      this.#reportBad(bad);
      await this.#reportOrphans(groups);
      for (const found of [...this.#unsettled.values()])
        await this.#settle(found.groupId).catch((cause: unknown) => this.#leaveOut(found, cause));
      const loaded: GroupId[] = [];
      for (const found of groups) {
        if (this.#ending || this.#hosts.has(found.groupId)) continue;
        if ((await catalog.word(found.groupId)) !== undefined) continue;
        await catalog.writeWord(found.groupId, "STOPPED");
        this.#add(found, "stopped");
        loaded.push(found.groupId);
        ports.log.write("info", "a new group was loaded", { group: found.groupId });
      }
      return loaded;
    });
  }

  /** What stays is removed with the next generation; nothing of it is loaded: the others go on. */
  async #removeRemains(): Promise<void> {
    const { catalog, ports } = this.#shared;
    try {
      for (const group of await catalog.removeRemains())
        ports.log.write("warning", "an interrupted generation was removed", { group });
    } catch (cause) {
      this.#hasRemains = true;
      const what = "an interrupted generation could not be removed; the next one tries again";
      ports.log.write("warning", what, { cause: describe(cause) });
    }
  }

  async #boot(found: FoundGroup): Promise<void> {
    const { catalog, ports } = this.#shared;
    const { groupId } = found;
    const record = { dataFolder: true, genesis: true, word: await catalog.word(groupId) };
    const status = statusOf(record);
    if (status === "UNKNOWN") {
      const file = catalog.statusPath(groupId);
      const failure = `${file}: the status of the group is unknown`;
      this.#leftOut.set(file, { groupId, status, isRunning: false, failure });
      ports.log.write("error", "a group is left out: its status is unknown", {
        group: groupId,
        file,
      });
      return;
    }
    const plan = bootPlan(record);
    if (plan.store) await catalog.writeWord(groupId, plan.store);
    if (plan.start) this.#add(found, "start");
    else this.#add(found, status === "DELETED" ? "deleted" : "stopped");
  }

  /**
   * Takes up a group that was left out when the node started. It does not run: the start of the
   * node, which would have begun it, is over.
   *
   * @throws the cause when its word can still not be read or stored
   */
  async #settle(groupId: GroupId): Promise<void> {
    const found = this.#unsettled.get(groupId);
    if (!found) return;
    const { catalog } = this.#shared;
    const { genesis } = await catalog.present(groupId);
    const status = statusOf({ dataFolder: true, genesis, word: await catalog.word(groupId) });
    const isNew = genesis && status === "INEXISTENT";
    if (isNew || status === "STOPPING") await catalog.writeWord(groupId, "STOPPED");
    this.#unsettled.delete(groupId);
    this.#leftOut.delete(found.path);
    const boot = isNew ? "stopped" : (BOOT_OF_STATUS[status] ?? "stopped");
    if (genesis && status !== "UNKNOWN") this.#add(found, boot);
  }

  /** It is taken up by an operation on it, or with new groups. */
  #leaveOut(found: FoundGroup, cause: unknown): void {
    const { groupId, path } = found;
    const failure = describe(cause);
    this.#unsettled.set(groupId, found);
    this.#leftOut.set(path, { groupId, status: "UNKNOWN", isRunning: false, failure });
    const fields = { group: groupId, file: path, cause: failure };
    this.#shared.ports.log.write("error", "a group is left out", fields);
  }

  #reportFailure(host: GroupHost): void {
    const cause = host.failure();
    if (cause === undefined) return;
    const fields = { group: host.groupId, cause };
    this.#shared.ports.log.write("error", "a group could not be started", fields);
  }

  #add({ groupId, path }: FoundGroup, boot: BootState): GroupHost {
    const host = new GroupHost(this.#shared, { groupId, boot, genesisPath: path });
    this.#hosts.set(groupId, host);
    return host;
  }

  #reportBad(bad: readonly BadGroup[]): void {
    for (const [file, { groupId }] of this.#leftOut)
      if (groupId === undefined) this.#leftOut.delete(file);
    for (const { path, cause } of bad) {
      const failure = describe(cause);
      const groupId = undefined;
      this.#leftOut.set(path, { groupId, status: "UNKNOWN", isRunning: false, failure });
      const fields = { file: path, cause: failure };
      this.#shared.ports.log.write("error", "a group is left out", fields);
    }
  }

  /** Groups whose genesis file is gone: without it nothing of them can be loaded. */
  async #reportOrphans(groups: readonly FoundGroup[]): Promise<void> {
    const { catalog, ports } = this.#shared;
    for (const path of this.#orphanPaths) this.#leftOut.delete(path);
    this.#orphanPaths.clear();
    for (const groupId of await catalog.orphans(groups)) {
      const file = catalog.genesisPath(groupId);
      const next = "copy it from another node of the group, or move the folder away";
      const failure = `${file} is missing, but ${catalog.dataFolder(groupId)} is there: ${next}`;
      this.#orphanPaths.add(file);
      // One that was stopped is not missed: nothing of it should run. Source: groups 1
      const isStopped = (await catalog.word(groupId))?.trim() === "STOPPED";
      const status = isStopped ? "STOPPED" : "UNKNOWN";
      this.#leftOut.set(file, { groupId, status, isRunning: false, failure });
      const fields = { group: groupId, cause: failure };
      ports.log.write("error", "a group is left out: its genesis file is missing", fields);
    }
  }

  // --- operations

  /** The answer of queryGroupStatus. */
  async query(groupId: GroupId): Promise<GroupOperationResult & { readonly status: GroupStatus }> {
    try {
      const result = queryResult((await this.#look(groupId)).status);
      const host = this.#hosts.get(groupId);
      const halted = result.status === "RUNNING" && host && !host.running();
      return halted ? { ...result, message: host.failure() ?? "" } : result;
    } catch (cause) {
      return { ...failedOperation(describe(cause)), status: "UNKNOWN" };
    }
  }

  /** Performs an operation whose arguments were checked. Source: groups 3 */
  async manage(
    operation: GroupOperation,
    groupId: GroupId,
    params: GenerateGroupParams | undefined,
  ): Promise<GroupOperationResult> {
    const request = { operation, groupId, params };
    // A stop shows STOPPING to others while it runs: they are answered at once, not queued behind
    // it.
    if (this.#hosts.get(groupId)?.status() === "STOPPING") {
      const early = this.#decide(request, { status: "STOPPING", files: NO_FILES });
      if (early.kind === "refuse") return early.result;
    }
    const run = this.#perform(request).catch((cause: unknown) => failedOperation(describe(cause)));
    this.#unanswered.add(run);
    return run.finally(() => this.#unanswered.delete(run));
  }

  #locked<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#lock.then(work);
    this.#lock = run.catch(() => undefined);
    return run;
  }

  async #perform(request: Request): Promise<GroupOperationResult> {
    const begun = await this.#locked(() => this.#begin(request));
    if (begun.kind === "answer") return begun.result;
    // Modules stop without the lock: other groups do not wait for them. Source: groups 2
    const failure = await begun.host.endStop();
    if (failure !== undefined) return failedOperation(failure);
    // What was running is removed from where it is now.
    return request.operation === "removeGroup" ? this.#perform(request) : begun.result;
  }

  async #begin(request: Request): Promise<Begun> {
    if (this.#ending) return answer(failedOperation("the node is stopping"));
    await this.#settle(request.groupId);
    if (this.#hasRemains && request.operation === "generateGroup") {
      await this.#shared.catalog.removeRemains();
      this.#hasRemains = false;
    }
    const sight = await this.#look(request.groupId);
    const verdict = this.#decide(request, sight);
    if (verdict.kind === "refuse") return answer(verdict.result);
    const host = await this.#hostFor(request.groupId, sight.status);
    if (verdict.statuses[0] === "STOPPING") {
      const failure = await host.beginStop();
      if (failure !== undefined) return answer(failedOperation(failure));
      return { kind: "stops", host, result: verdict.result };
    }
    const failure = await this.#move(host, request);
    if (request.operation === "generateGroup") this.#hasRemains ||= failure !== undefined;
    if (host.status() === "INEXISTENT") await this.#drop(host);
    return answer(failure === undefined ? verdict.result : failedOperation(failure));
  }

  #move(host: GroupHost, { operation, groupId, params }: Request): Promise<string | undefined> {
    switch (operation) {
      case "generateGroup":
        invariant(params, "a generation has arguments");
        return host.generate(generatedGenesis(groupId, params));
      case "startGroup":
        return host.start();
      case "recoverGroup":
        return host.recover();
      default:
        return host.remove();
    }
  }

  #decide({ operation, groupId, params }: Request, sight: Sight): GroupVerdict {
    const { network } = this.#shared.ports;
    const connected = new Set([this.#shared.self, ...network.peers().map((peer) => peer.nodeId)]);
    const notConnected = params?.sealers.filter((sealer) => !connected.has(sealer));
    return decideGroupOperation({ operation, groupId, ...sight, notConnected });
  }

  /** A group that does nothing is what its files say; without a genesis file there is none. */
  async #look(groupId: GroupId): Promise<Sight> {
    const { catalog } = this.#shared;
    const files = await catalog.present(groupId);
    const host = this.#hosts.get(groupId);
    if (host && (files.genesis || !host.isIdle())) return { status: host.status(), files };
    const word = await catalog.word(groupId);
    return { status: statusOf({ dataFolder: true, genesis: files.genesis, word }), files };
  }

  /** The group's host; made from its files when it was not loaded. */
  async #hostFor(groupId: GroupId, status: GroupStatus): Promise<GroupHost> {
    const known = this.#hosts.get(groupId);
    if (known?.status() === status) return known;
    if (known) await this.#drop(known);
    const boot = BOOT_OF_STATUS[status];
    invariant(boot, "an operation is performed on a group whose status is known");
    return this.#add({ groupId, path: this.#shared.catalog.genesisPath(groupId) }, boot);
  }

  async #drop(host: GroupHost): Promise<void> {
    this.#hosts.delete(host.groupId);
    await host.end();
  }
}

function answer(result: GroupOperationResult): Begun {
  return { kind: "answer", result };
}

function generatedGenesis(groupId: GroupId, params: GenerateGroupParams): GenesisConfig {
  const { timestamp, sealers, freeStorage } = params;
  return { groupId, timestamp, sealers, freeStorage, ...GENERATED };
}
