/** The groups of a node: found, brought up side by side, managed. Source: groups 2, 3, 4, 10 */
import { describe } from "../../actors/supervise.ts";
import type { BootState } from "../../actors/group.machine.ts";
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import { invariant } from "../../fault/invariant.ts";
import type { GenesisConfig } from "../../model/config.ts";
import type { LedgerApi } from "../../ports/ledger.ts";
import type { LogFields } from "../../ports/log.ts";
import type { PeerAdmission, Incoming } from "../../ports/network.ts";
import type { FoundGroup, Remains } from "./group-files.ts";
import { GroupHost } from "./group-host.ts";
import { LeftOutGroups } from "./group-left-out.ts";
import {
  bootPlan,
  decideGroupOperation,
  failedOperation,
  type GroupFiles,
  type GroupVerdict,
  queryResult,
  statusOf,
} from "./group-lifecycle.ts";
import type { GroupSurroundings } from "./group-instance.ts";
import type { GroupRuntime } from "./group-runtime.ts";
import { admissionAmong } from "../peers/admission-policy.ts";
import type {
  GenerateGroupParams,
  GroupOperation,
  GroupOperationResult,
  GroupStatus,
  GroupSummary,
} from "../../api/node-api.ts";

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

/** What is left of an operation once the lock is given back; with a host, that stops first. */
interface Begun {
  readonly result: GroupOperationResult;
  readonly stops?: GroupHost;
}

const NO_FILES: GroupFiles = { genesis: false, ini: false };

/** How a group that is not loaded begins when an operation concerns it; none: it is not touched. */
const BOOT_OF_STATUS: Readonly<Partial<Record<GroupStatus, BootState>>> = {
  INEXISTENT: "inexistent",
  STOPPED: "stopped",
  DELETED: "deleted",
};

/** What generateGroup fixes next to its arguments. Source: groups 6 */
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
  /** Groups that could not be loaded. */
  readonly #leftOut: LeftOutGroups;
  /** Groups whose generation was cut short, by a full disk or the like, and may have left files. */
  readonly #remains = new Set<GroupId>();
  #ending = false;

  constructor(shared: GroupSurroundings) {
    this.#shared = shared;
    this.#leftOut = new LeftOutGroups(shared.catalog, shared.ports.log);
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
      status: host.halt() === undefined ? host.status() : "RUNNING",
      isRunning: host.running() !== undefined,
      failure: host.halt() ?? host.failure(),
      ...(host.isRepairing() && { isRepairing: true }),
    }));
    const leftOut = this.#leftOut
      .summaries()
      .filter(({ groupId }) => groupId === undefined || !this.#hosts.has(groupId));
    const place = ({ groupId }: GroupSummary) => groupId ?? Number.MAX_SAFE_INTEGER;
    return [...hosts, ...leftOut].sort((left, right) => place(left) - place(right));
  }

  /** Why a group that should run does not; undefined when it runs, or should not. */
  halt(groupId: number): string | undefined {
    const host = this.#hosts.get(groupId);
    return host ? host.halt() : this.#leftOut.failureOf(groupId);
  }

  /** What a group that has failed still gives. */
  provenBlocks(groupId: number): LedgerApi | undefined {
    return this.#hosts.get(groupId)?.provenBlocks();
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

  /** What `isAbstaining` says is another thing now. */
  muteChanged(): void {
    for (const host of this.#hosts.values()) host.running()?.muteChanged();
  }

  admission(message: Incoming): PeerAdmission {
    return admissionAmong(this.#hosts, message);
  }

  receive(message: Incoming): void {
    this.#hosts.get(message.groupId)?.listener()?.receive(message);
  }

  peerUp(peer: NodeId): void {
    for (const host of this.#hosts.values()) host.listener()?.peerUp(peer);
  }

  peerDown(peer: NodeId): void {
    for (const host of this.#hosts.values()) host.listener()?.peerDown(peer);
  }

  // --- boot and end

  /**
   * Loads all groups and starts those that ran or are new. A group that cannot start is logged and
   * left out, unless the chain was made with it.
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
        this.#leftOut.addFailed(found, cause);
      });
    }
    await Promise.all([...this.#hosts.values()].map((host) => host.settled()));
    for (const { groupId } of fixed) {
      const host = this.#hosts.get(groupId);
      if (host?.failure() !== undefined) throw host.cause();
      if (broken.has(groupId)) throw broken.get(groupId);
    }
    this.#leftOut.reportBad(bad);
    await this.#leftOut.reportOrphans(groups);
    for (const host of this.#hosts.values()) {
      const [group, cause] = [host.groupId, host.failure()];
      if (cause === undefined) continue;
      this.#shared.ports.log.write("error", "a group could not be started", { group, cause });
    }
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
   * @returns the new ones, ascending
   * Source: groups 4
   */
  loadNew(): Promise<readonly GroupId[]> {
    const run = this.#locked(async () => {
      const { catalog } = this.#shared;
      const { groups, bad } = await catalog.scan();
      this.#leftOut.reportBad(bad);
      await this.#leftOut.reportOrphans(groups);
      const loaded: GroupId[] = [];
      for (const found of groups) {
        if (this.#ending || this.#hosts.has(found.groupId)) continue;
        const isLoaded = await this.#loadOne(found).catch((cause: unknown) =>
          this.#leftOut.addFailed(found, cause),
        );
        if (isLoaded) loaded.push(found.groupId);
      }
      return loaded;
    });
    return this.#untilAnswered(run);
  }

  #untilAnswered<Result>(run: Promise<Result>): Promise<Result> {
    this.#unanswered.add(run);
    return run.finally(() => this.#unanswered.delete(run));
  }

  /** @returns whether it is STOPPED now: new, its genesis file back, or left out at the start */
  async #loadOne(found: FoundGroup): Promise<boolean> {
    const { catalog, ports } = this.#shared;
    const { groupId } = found;
    const status = statusOf(await catalog.word(groupId));
    this.#leftOut.forgetUnknown(groupId);
    if (status === "UNKNOWN") this.#leftOut.addUnknown(groupId);
    if (status === "UNKNOWN" || status === "STOPPED" || status === "DELETED") return false;
    // One that should run and could not be started keeps its word: startGroup tries it again.
    if (status === "RUNNING" && this.#leftOut.failureOf(groupId) !== undefined) return false;
    await this.#stand(found);
    ports.log.write("info", "a new group was loaded", { group: groupId });
    return true;
  }

  /** Has a group be STOPPED that has no host yet. */
  async #stand(found: FoundGroup): Promise<void> {
    await this.#shared.catalog.writeWord(found.groupId, "STOPPED");
    this.#leftOut.settle(found);
    this.#add(found, "stopped");
  }

  /** What stays is tried again when the group is generated; nothing of it is loaded. */
  async #removeRemains(): Promise<void> {
    try {
      this.#noteRemains(await this.#shared.catalog.removeRemains());
    } catch (cause) {
      this.#warnOfRemains({ cause: describe(cause) });
    }
  }

  #noteRemains({ removed, kept }: Remains): void {
    for (const group of removed) {
      const what = "an interrupted generation was removed";
      this.#shared.ports.log.write("warning", what, { group });
    }
    for (const { groupId, cause } of kept) {
      this.#remains.add(groupId);
      this.#warnOfRemains({ group: groupId, cause: describe(cause) });
    }
  }

  #warnOfRemains(fields: LogFields): void {
    const what = "an interrupted generation could not be removed: it is tried again with the next";
    this.#shared.ports.log.write("warning", what, fields);
  }

  async #boot(found: FoundGroup): Promise<void> {
    const { catalog } = this.#shared;
    const { groupId } = found;
    const word = await catalog.word(groupId);
    const status = statusOf(word);
    if (status === "UNKNOWN") return this.#leftOut.addUnknown(groupId);
    const plan = bootPlan(word);
    if (plan.store) await catalog.writeWord(groupId, plan.store);
    if (plan.start) this.#add(found, "start");
    else this.#add(found, status === "DELETED" ? "deleted" : "stopped");
  }

  #add(found: FoundGroup, boot: BootState): GroupHost {
    const host = new GroupHost(this.#shared, found, boot);
    this.#hosts.set(found.groupId, host);
    return host;
  }

  // --- operations

  /** The answer of queryGroupStatus. */
  async query(groupId: GroupId): Promise<GroupOperationResult & { readonly status: GroupStatus }> {
    try {
      const result = queryResult((await this.#look(groupId)).status);
      const cause = this.halt(groupId) ?? this.#hosts.get(groupId)?.failure();
      return result.status === "STOPPED" && cause !== undefined
        ? { ...result, message: cause }
        : result;
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
    return this.#untilAnswered(
      this.#perform(request).catch((cause: unknown) => failedOperation(describe(cause))),
    );
  }

  #locked<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#lock.then(work);
    this.#lock = run.catch(() => undefined);
    return run;
  }

  async #perform(request: Request): Promise<GroupOperationResult> {
    const { result, stops } = await this.#locked(() => this.#begin(request));
    if (!stops) return result;
    // Modules stop without the lock: other groups do not wait for them. Source: groups 2
    const failure = await stops.ended();
    if (failure !== undefined) return failedOperation(failure);
    // What was running is removed from where it is now.
    return request.operation === "removeGroup" ? this.#perform(request) : result;
  }

  async #begin(request: Request): Promise<Begun> {
    if (this.#ending) return { result: failedOperation("the node is stopping") };
    const { groupId } = request;
    if (request.operation === "stopGroup") await this.#settle(groupId);
    let sight = await this.#look(groupId);
    let verdict = this.#decide(request, sight);
    if (verdict.kind === "refuse" && (await this.#clear(request, sight))) {
      sight = await this.#look(groupId);
      verdict = this.#decide(request, sight);
    }
    const { result } = verdict;
    if (verdict.kind === "refuse") return { result };
    const host = await this.#hostFor(groupId, sight.status);
    if (verdict.statuses[0] === "STOPPING") {
      const failure = await host.beginStop();
      return failure === undefined ? { result, stops: host } : { result: failedOperation(failure) };
    }
    const failure = await this.#move(host, request);
    if (failure === undefined) this.#remains.delete(groupId);
    else if (request.operation === "generateGroup") this.#remains.add(groupId);
    if (host.status() === "INEXISTENT") await this.#drop(host);
    return { result: failure === undefined ? result : failedOperation(failure) };
  }

  /** Has a group that failed stay down from now on, also when the node starts again. */
  async #settle(groupId: GroupId): Promise<void> {
    const host = this.#hosts.get(groupId);
    const found = this.#leftOut.unsettled(groupId);
    if (host?.halt() !== undefined) await host.perform("group.stop");
    else if (!host && found && statusOf(await this.#shared.catalog.word(groupId)) === "RUNNING")
      await this.#stand(found);
  }

  /**
   * Clears away what keeps an operation from a group since something could not be written: the end
   * of a stop that the start of the node completes, the word of a new group, the remains of a
   * generation. What is refused otherwise changes nothing.
   * @returns whether the group is to be examined again
   * @throws the cause when it still cannot be written
   */
  async #clear({ operation, groupId }: Request, { status, files }: Sight): Promise<boolean> {
    const found = this.#leftOut.unsettled(groupId);
    const isNew = status === "INEXISTENT" && files.genesis && operation === "startGroup";
    if (found && (status === "STOPPING" || isNew)) {
      await this.#stand(found);
      return true;
    }
    if (operation !== "generateGroup" || status !== "INEXISTENT" || files.genesis) return false;
    if (!this.#remains.has(groupId)) return false;
    const remains = await this.#shared.catalog.removeRemains(groupId);
    this.#noteRemains(remains);
    const [kept] = remains.kept;
    if (kept) throw kept.cause;
    return remains.removed.length > 0;
  }

  #move(host: GroupHost, { operation, groupId, params }: Request): Promise<string | undefined> {
    switch (operation) {
      case "generateGroup":
        invariant(params, "a generation has arguments");
        return host.generate({ groupId, ...params, ...GENERATED });
      case "startGroup":
        return host.perform("group.start");
      case "recoverGroup":
        return host.perform("group.recover");
      default:
        return host.perform("group.remove");
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
    const status = statusOf(await catalog.word(groupId), files.genesis);
    // The word of a group that could not be started says what should be.
    return { status: status === "RUNNING" ? "STOPPED" : status, files };
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
