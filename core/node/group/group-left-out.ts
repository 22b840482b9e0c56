/**
 * Groups of which there are files and that are not loaded, each with the reason that its operator
 * reads. Source: groups 1, 2 (node boot)
 */
import { describe } from "../../actors/supervise.ts";
import type { GroupId } from "../../bytes/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { BadGroup, FoundGroup, GroupCatalog, StuckGroup } from "./group-files.ts";
import type { GroupSummary } from "../../api/node-api.ts";

/** What a node leaves out, and why. */
export class LeftOutGroups {
  readonly #catalog: GroupCatalog;
  readonly #log: Log;
  /** By the file that is at fault. */
  readonly #reasons = new Map<string, GroupSummary>();
  /** Those whose start failed before they had a host: a full disk took no word. */
  readonly #unsettled = new Map<GroupId, FoundGroup>();
  /** Files by which groups without a genesis file are told. */
  readonly #orphanPaths = new Set<string>();

  constructor(catalog: GroupCatalog, log: Log) {
    this.#catalog = catalog;
    this.#log = log;
  }

  /** What the node reports of them. */
  summaries(): readonly GroupSummary[] {
    return [...this.#reasons.values()];
  }

  /** A group whose start failed before it had a host. */
  unsettled(groupId: GroupId): FoundGroup | undefined {
    return this.#unsettled.get(groupId);
  }

  /** Why such a group is left out. */
  failureOf(groupId: GroupId): string | undefined {
    const found = this.#unsettled.get(groupId);
    return found && this.#reasons.get(found.path)?.failure;
  }

  /** The group has a host from now on. */
  settle({ groupId, path }: FoundGroup): void {
    this.#unsettled.delete(groupId);
    this.#reasons.delete(path);
  }

  /** It is taken up by an operation on it, or with new groups. */
  addFailed({ groupId, path }: FoundGroup, cause: unknown): void {
    this.#unsettled.set(groupId, { groupId, path });
    this.#leaveOut(path, { groupId, cause });
  }

  /** Its status file holds no word that there is. */
  addUnknown(groupId: GroupId): void {
    const file = this.#catalog.statusPath(groupId);
    const next = "write RUNNING or STOPPED into it, then restart the node";
    this.#note(file, groupId, `${file}: the status of the group is unknown; ${next}`);
    const fields = { group: groupId, file };
    this.#log.write("error", "a group is left out: its status is unknown", fields);
  }

  /** Its status file is read again. */
  forgetUnknown(groupId: GroupId): void {
    this.#reasons.delete(this.#catalog.statusPath(groupId));
  }

  /** Genesis files that cannot be used, in place of those of the last time. */
  reportBad(bad: readonly BadGroup[]): void {
    for (const [file, { groupId }] of this.#reasons)
      if (groupId === undefined) this.#reasons.delete(file);
    for (const { path, cause } of bad) {
      const failure = describe(cause);
      this.#note(path, undefined, failure);
      this.#log.write("error", "a group is left out", { file: path, cause: failure });
    }
  }

  /**
   * Groups whose genesis file is gone, in place of those of the last time: without it nothing of
   * them can be loaded. Next to them those that cannot be read: they may be such groups.
   * @param groups those that have one
   */
  async reportOrphans(groups: readonly FoundGroup[]): Promise<void> {
    const catalog = this.#catalog;
    for (const path of this.#orphanPaths) this.#reasons.delete(path);
    this.#orphanPaths.clear();
    const { gone, unreadable } = await catalog.orphans(groups);
    for (const { groupId, isStopped } of gone) {
      const file = catalog.genesisPath(groupId);
      const next = "copy it from another node of the group, or move the folder away";
      const failure = `${file} is missing, but ${catalog.dataFolder(groupId)} is there: ${next}`;
      this.#orphanPaths.add(file);
      // One that was stopped is not missed: nothing of it should run. Source: groups 1
      this.#note(file, groupId, failure, isStopped ? "STOPPED" : "UNKNOWN");
      const fields = { group: groupId, cause: failure };
      this.#log.write("error", "a group is left out: its genesis file is missing", fields);
    }
    for (const { groupId, cause } of unreadable) {
      const file = catalog.statusPath(groupId);
      this.#orphanPaths.add(file);
      this.#leaveOut(file, { groupId, cause });
    }
  }

  #leaveOut(file: string, { groupId, cause }: StuckGroup): void {
    const failure = describe(cause);
    this.#note(file, groupId, failure);
    this.#log.write("error", "a group is left out", { group: groupId, file, cause: failure });
  }

  #note(
    file: string,
    groupId: GroupId | undefined,
    failure: string,
    status: GroupSummary["status"] = "UNKNOWN",
  ): void {
    this.#reasons.set(file, { groupId, status, isRunning: false, failure });
  }
}
