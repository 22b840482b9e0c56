/**
 * The frames of one group of a running node, from the outside: its own actors and core, its own
 * messages, and of other nodes what it has heard. Nothing is changed, nothing secret is examined.
 */
import type { AnyActor } from "xstate";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { WrittenBlock } from "../../../../core/node/options/group-options.ts";
import type { GroupApi, NodeApi } from "../../../../core/api/node-api.ts";
import type { Clock } from "../../../../core/ports/clock.ts";
import { type Taken, watchTransitions } from "../charts.ts";
import type { Frame, NodeView, TakenView } from "../frame.ts";
import { bare, type MessageReader } from "../message-view.ts";
import { actorsOf, BlockList, groupsOf, groupView, prefixesOf, shownName } from "../node-view.ts";
import { type Notice, noticesOf } from "../notice.ts";
import { share } from "../share.ts";
import { type Passing, PassingList } from "./passing.ts";

/** Events that one frame lists. */
const MOST_EVENTS = 256;
/** Different transitions that one frame lists: of a burst each is lit once. */
const MOST_TAKEN = 64;
/** Names of a group's actors: its own, and those of its parts. */
const OF_GROUP = /^g(?:roup)?(\d+)(?:\.|$)/;

interface GroupWatchOptions {
  readonly groupId: number;
  readonly api: NodeApi;
  readonly clock: Clock;
  /** Actors of the node, by name. */
  readonly actors: ReadonlyMap<string, AnyActor>;
  readonly reader: MessageReader;
  /** Steady time that frames count from. */
  readonly origin: number;
}

/** Examines one group for all who watch it. */
export class GroupWatch {
  readonly #with: GroupWatchOptions;
  readonly #passing: PassingList;
  #numbers: ReadonlyMap<NodeId, number> = new Map();
  readonly #blocks = new BlockList();
  #notices: Notice[] = [];
  readonly #taken = new Map<string, TakenView>();
  #self: NodeView | undefined;
  #frame: Frame | undefined;
  #step = 0;
  #core: AnyActor | undefined;
  #endCore: () => void = () => undefined;
  #endTaken: () => void = () => undefined;

  constructor(options: GroupWatchOptions) {
    this.#with = options;
    this.#passing = new PassingList(options.reader);
    const ledger = this.#group()?.ledger;
    if (ledger) this.#blocks.refill(ledger);
    // All actors of a node are of one tree.
    const [root] = options.actors.values();
    if (root) this.#endTaken = watchTransitions(root, (name, it) => this.#take(name, it));
  }

  heard(passing: Passing): void {
    if (passing.groupId === this.#with.groupId) this.#passing.add(passing, this.#now());
  }

  written(block: WrittenBlock): void {
    this.#blocks.written(block, this.#group()?.ledger);
  }

  /** The newest frame, for one who begins to watch. */
  current(): Frame {
    return this.#frame ?? this.next() ?? this.#make([]);
  }

  /** A frame when there is something new; undefined: all is as before. */
  next(): Frame | undefined {
    this.#followCore();
    this.#sample();
    const before = this.#frame;
    const frame = this.#make(this.#notices.splice(0));
    const isNew =
      !before ||
      frame.nodes !== before.nodes ||
      frame.events.length + frame.sent.length + frame.ended.length + frame.taken.length > 0;
    if (!isNew) return undefined;
    this.#step++;
    this.#frame = { ...frame, step: this.#step };
    return this.#frame;
  }

  close(): void {
    this.#endCore();
    this.#endTaken();
  }

  #now(): number {
    const { clock, origin } = this.#with;
    return Math.round(clock.steady() - origin);
  }

  #group(): GroupApi | undefined {
    return this.#with.api.group(this.#with.groupId);
  }

  /** Between two frames a core goes through more states than one: each is examined. */
  #followCore(): void {
    const core = this.#with.actors.get(`g${this.#with.groupId}.consensus`);
    if (core === this.#core) return;
    this.#endCore();
    this.#core = core;
    const subscription = core?.subscribe({
      next: () => {
        try {
          this.#sample();
        } catch {
          // The next frame meets the same trouble, where it can be told.
        }
      },
      error: () => undefined,
    });
    this.#endCore = () => subscription?.unsubscribe();
  }

  /** A clock ticks all the time: what leads nowhere has no arrow. */
  #take(name: string, { from, transition }: Taken): void {
    const { event, guard = "", targets } = transition;
    const [, groupId = `${this.#with.groupId}`] = OF_GROUP.exec(name) ?? [];
    if (targets.length === 0 || groupId !== `${this.#with.groupId}`) return;
    if (this.#taken.size >= MOST_TAKEN) return;
    const actor = shownName(name, prefixesOf(this.#numbers));
    const node = this.#numbers.get(this.#with.api.nodeId) ?? 0;
    const key = [actor, from, event, guard, ...targets].join(" ");
    this.#taken.set(key, { node, actor, from, transition });
  }

  #sample(): void {
    const { api, actors, groupId } = this.#with;
    this.#number();
    const before = this.#self;
    const seen: NodeView = {
      node: this.#numbers.get(api.nodeId) ?? 0,
      nodeId: api.nodeId,
      power: api.isReady() ? "on" : "starting",
      lie: undefined,
      groups: before?.groups ?? [],
      peers: before?.peers ?? [],
      actors: before?.actors ?? [],
      ...groupView({
        actors,
        groupId,
        group: this.#group(),
        blocks: this.#blocks.blocks,
        sight: {
          numberOf: (id) => this.#numbers.get(id),
          timeOf: (ms) => Math.round(ms - this.#with.origin),
        },
      }),
    };
    this.#self = share(before, seen);
    this.#note(before, this.#self);
  }

  #note(before: NodeView | undefined, after: NodeView): void {
    const room = MOST_EVENTS - this.#notices.length;
    this.#notices.push(...noticesOf(before, after).slice(0, room));
  }

  /** Sealers in force come first, in their order; others by their IDs. */
  #number(): void {
    const { api } = this.#with;
    const group = this.#group();
    const sealers = group?.consensusStatus().sealers ?? [];
    const known = new Set<NodeId>([
      api.nodeId,
      ...api.peers().map(({ nodeId }) => nodeId),
      ...(group?.syncStatus().peers ?? []).map(({ nodeId }) => nodeId),
    ]);
    const others = [...known].filter((id) => !sealers.includes(id)).sort();
    this.#numbers = new Map([...sealers, ...others].map((id, number) => [id, number]));
  }

  #make(notices: readonly Notice[]): Frame {
    const { api } = this.#with;
    const before = this.#frame;
    const self = this.#numbers.get(api.nodeId) ?? 0;
    const { sent, ended, skipped } = this.#passing.take({
      self,
      numberOf: (id) => this.#numbers.get(id),
    });
    const nodes = [...this.#numbers].map(([nodeId, node]) =>
      nodeId === api.nodeId ? this.#whole() : this.#other(nodeId, node),
    );
    const taken = [...this.#taken.values()];
    this.#taken.clear();
    const timeMs = this.#now();
    const step = this.#step + 1;
    return {
      step,
      timeMs,
      protocol: this.#group()?.consensusType ?? before?.protocol ?? "pbft",
      cause: { kind: "live" },
      nodes: share(before?.nodes, nodes),
      flights: [],
      sent,
      ended,
      cuts: [],
      rules: [],
      events: notices.map((notice) => ({ step, timeMs, ...notice })),
      taken,
      forks: [],
      trace: "",
      skipped,
    };
  }

  /** The own node with what changes too seldom to be examined each time. */
  #whole(): NodeView {
    const { api, actors } = this.#with;
    const self = this.#self as NodeView;
    const peers = api.peers().flatMap(({ nodeId }) => this.#numbers.get(nodeId) ?? []);
    const whole = {
      ...self,
      node: this.#numbers.get(api.nodeId) ?? 0,
      groups: groupsOf(actors),
      peers: peers.sort((left, right) => left - right),
      actors: actorsOf(actors, prefixesOf(this.#numbers)),
    };
    const shared = share(self, whole);
    this.#note(self, shared);
    this.#self = shared;
    return shared;
  }

  #other(nodeId: NodeId, node: number): NodeView {
    const group = this.#group();
    const sealers = group?.consensusStatus().sealers ?? [];
    const status = group?.syncStatus().peers.find((peer) => peer.nodeId === nodeId);
    const isConnected = this.#with.api.peers().some((peer) => peer.nodeId === nodeId);
    const index = sealers.indexOf(nodeId);
    return {
      node,
      nodeId,
      power: isConnected ? "on" : "off",
      lie: undefined,
      role: index >= 0 ? "sealer" : status ? "observer" : "none",
      sealerIndex: index >= 0 ? index : undefined,
      groups: [],
      height: status?.number ?? 0,
      head: status && bare(status.latestHash),
      blocks: [],
      pool: 0,
      consensus: undefined,
      sync: undefined,
      peers: [],
      actors: [],
      seenFromOutside: true,
    };
  }
}
