/** One node as a frame shows it. */
import type { AnyActor } from "xstate";
import { statusOfState } from "../../../core/actors/group.machine.ts";
import type { PbftState } from "../../../core/consensus/pbft/state.ts";
import type { RaftState } from "../../../core/consensus/raft/state.ts";
import type { SyncState } from "../../../core/sync/planner/state.ts";
import { actorView, type Snapshot } from "./charts.ts";
import { pbftView, raftView, sealerIndexOf, type Sight } from "./consensus-view.ts";
import type { ActorView, GroupView, NodeView, SyncView } from "./frame.ts";

/** Cores that the actors of a group hold. */
export interface Cores {
  readonly pbft: PbftState | undefined;
  readonly raft: RaftState | undefined;
  readonly sync: SyncState | undefined;
}

/** The context of an actor that is running; undefined when it is not. */
function contextOf(actor: AnyActor | undefined): Record<string, unknown> | undefined {
  const snapshot = actor?.getSnapshot() as Snapshot | undefined;
  const { context, status } = snapshot ?? {};
  if (status !== "active") return undefined;
  return typeof context === "object" && context !== null ? { ...context } : undefined;
}

/** The cores of a group, from its actors. */
export function coresOf(actors: ReadonlyMap<string, AnyActor>, groupId: number): Cores {
  const consensus = contextOf(actors.get(`g${groupId}.consensus`));
  const sync = contextOf(actors.get(`g${groupId}.sync`));
  return {
    pbft: consensus?.["pbft"] as PbftState | undefined,
    raft: consensus?.["raft"] as RaftState | undefined,
    sync: sync?.["sync"] as SyncState | undefined,
  };
}

/** What the consensus of a group knows; the index of the node in the list in force. */
export function consensusOf(
  { pbft, raft }: Cores,
  sight: Sight,
): { readonly view: NodeView["consensus"]; readonly index: number | undefined } {
  const view = pbft ? pbftView(pbft, sight) : raft ? raftView(raft, sight) : undefined;
  const core = pbft ?? raft;
  return { view, index: core && sealerIndexOf(core) };
}

/** What block sync does. */
export function syncOf({ sync }: Cores): SyncView | undefined {
  if (!sync) return undefined;
  const { downloading, queue, knownHighest, height } = sync;
  return { downloading, queued: queue.size, knownHighest: Math.max(knownHighest, height) };
}

const GROUP_ACTOR = /^group(\d+)$/;
const SESSION = /^(g\d+\.session\.)([0-9a-f]{8})$/;

/** Words of the groups, by their actors. */
export function groupsOf(actors: ReadonlyMap<string, AnyActor>): GroupView[] {
  const groups: GroupView[] = [];
  for (const [name, actor] of actors) {
    const [, number] = GROUP_ACTOR.exec(name) ?? [];
    if (number === undefined) continue;
    const { value } = actor.getSnapshot() as Snapshot;
    groups.push({ group: Number(number), status: statusOfState(String(value)) });
  }
  return groups.sort((left, right) => left.group - right.group);
}

/** Actors by name; sessions are named after the number of their peer. */
export function actorsOf(
  actors: ReadonlyMap<string, AnyActor>,
  numberOf: (prefix: string) => number | undefined,
): ActorView[] {
  return [...actors]
    .filter(([, actor]) => (actor.getSnapshot() as Snapshot).status !== "stopped")
    .map(([name, actor]) => {
      const [, beginning, prefix = ""] = SESSION.exec(name) ?? [];
      const peer = beginning === undefined ? undefined : numberOf(prefix);
      return actorView(peer === undefined ? name : `${beginning}${peer}`, actor);
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
