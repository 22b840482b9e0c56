/**
 * The Network port between nodes of one process: nothing is copied, receivers must not change
 * bytes.
 */
import type { NodeId } from "../../core/bytes/ids.ts";
import { invariant } from "../../core/fault/invariant.ts";
import { perClass } from "../../core/network/classes.ts";
import { MessageQueue, type QueueBound } from "../../core/network/message-queue.ts";
import type {
  Incoming,
  MessageClass,
  Network,
  NetworkEvents,
  PeerInfo,
} from "../../core/ports/network.ts";

const MIB = 1024 * 1024;
/** Bounds by class; at the bound the oldest message of the queue is dropped. */
const DEFAULT_BOUNDS: Readonly<Record<MessageClass, QueueBound>> = {
  consensus: { messages: 4_096, bytes: 64 * MIB },
  transactions: { messages: 1_024, bytes: 32 * MIB },
  blocks: { messages: 256, bytes: 128 * MIB },
  topics: { messages: 1_024, bytes: 32 * MIB },
};
/** Classes in the order in which a link is emptied: a vote never waits for bulk data. */
const CLASSES = ["consensus", "blocks", "transactions", "topics"] as const satisfies MessageClass[];
/** Messages of one link and class per turn, before other links and the outside get theirs. */
const TURN_MESSAGES = 32;

/** How a hub delivers. */
export interface MemoryHubOptions {
  /** Runs a function in a later turn, after pending input and output (setImmediate on Node). */
  readonly schedule: (run: () => void) => void;
  readonly bounds?: Partial<Record<MessageClass, QueueBound>>;
}

/** What peers learn of a node. */
export type MemoryPeer = Omit<PeerInfo, "nodeId">;

/** Connects the nodes of one process, all with all. */
export interface MemoryHub {
  /** The network of a node; it takes part from `start` to `stop`, and may start again. */
  join(self: NodeId, peer: MemoryPeer): Network;
}

/** One direction of a connection, with what waits at its receiving end. */
interface Link {
  readonly from: Member;
  readonly to: Member;
  connected: boolean;
  /** Rises with each new connection, so that a quick reconnection is noticed. */
  epoch: number;
  /** Epoch whose peerUp was delivered; 0 while the receiver thinks the peer is down. */
  announced: number;
  readonly queues: Readonly<Record<MessageClass, MessageQueue<Incoming>>>;
}

interface Member {
  readonly self: NodeId;
  readonly peer: MemoryPeer;
  events: NetworkEvents | undefined;
  readonly inbound: Map<NodeId, Link>;
}

/** Tells the receiver that the link went down or up since it last heard; true if it did. */
function announce(link: Link): void {
  const { events } = link.to;
  const epoch = link.connected ? link.epoch : 0;
  if (epoch === link.announced || !events) return;
  const wasUp = link.announced !== 0;
  link.announced = epoch;
  if (wasUp) events.peerDown(link.from.self);
  if (epoch !== 0) events.peerUp(link.from.self);
}

function hasWork(link: Link): boolean {
  if (!link.to.events) return false;
  if (link.announced !== (link.connected ? link.epoch : 0)) return true;
  return CLASSES.some((kind) => link.queues[kind].count > 0);
}

/** Delivers one turn's share of a link: first its state, then messages, most urgent class first. */
function deliver(link: Link): void {
  announce(link);
  for (const kind of CLASSES) {
    for (let left = TURN_MESSAGES; left > 0; left--) {
      // The receiver may stop, or a link be cut, while it handles a message.
      const { events } = link.to;
      if (!events || link.announced !== link.epoch) return;
      const message = link.queues[kind].take();
      if (!message) break;
      events.message(message);
    }
  }
}

/** The hub's members, links and delivery; a class because it owns the schedule. */
class Hub {
  readonly #options: MemoryHubOptions;
  readonly #bounds: Readonly<Record<MessageClass, QueueBound>>;
  readonly #members = new Map<NodeId, Member>();
  readonly #active = new Set<Link>();
  #scheduled = false;

  constructor(options: MemoryHubOptions) {
    this.#options = options;
    this.#bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  }

  join(self: NodeId, peer: MemoryPeer): Member {
    invariant(!this.#members.has(self), `two nodes with one node ID: ${self}`);
    const member: Member = { self, peer, events: undefined, inbound: new Map() };
    for (const other of this.#members.values()) {
      member.inbound.set(other.self, newLink(other, member));
      other.inbound.set(self, newLink(member, other));
    }
    this.#members.set(self, member);
    return member;
  }

  start(member: Member, events: NetworkEvents): void {
    invariant(!member.events, "a network is started once");
    member.events = events;
    this.#refresh(member);
  }

  stop(member: Member): void {
    member.events = undefined;
    this.#refresh(member);
    // The node that stopped hears no more; when it starts again it knows no peer.
    for (const link of member.inbound.values()) link.announced = 0;
  }

  send(member: Member, to: NodeId, message: Incoming): void {
    const link = this.#members.get(to)?.inbound.get(member.self);
    if (!link?.connected) return;
    link.queues[message.kind].put(message, this.#bounds[message.kind]);
    this.#activate(link);
  }

  /** Brings the links of a member in line with who runs. */
  #refresh(member: Member): void {
    for (const inbound of member.inbound.values()) {
      const other = inbound.from;
      const connected = Boolean(member.events && other.events);
      const outbound = other.inbound.get(member.self);
      for (const link of [inbound, outbound]) {
        if (!link || link.connected === connected) continue;
        link.connected = connected;
        if (connected) link.epoch += 1;
        for (const kind of CLASSES) link.queues[kind].clear();
        this.#activate(link);
      }
    }
  }

  #activate(link: Link): void {
    this.#active.add(link);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.schedule(() => this.#turn());
  }

  /** One share of each active link, then a turn for the rest of the process. */
  #turn(): void {
    this.#scheduled = false;
    const links = [...this.#active];
    this.#active.clear();
    let done = 0;
    try {
      for (const link of links) {
        done += 1;
        deliver(link);
      }
    } finally {
      // A receiver that throws loses its message, nobody else's.
      for (const link of links.slice(0, done)) if (hasWork(link)) this.#activate(link);
      for (const link of links.slice(done)) this.#activate(link);
    }
  }
}

function newLink(from: Member, to: Member): Link {
  const queues = perClass(() => new MessageQueue<Incoming>());
  return { from, to, connected: false, epoch: 0, announced: 0, queues };
}

function networkOf(hub: Hub, member: Member): Network {
  const { self } = member;
  return {
    self,
    peers: () =>
      [...member.inbound.values()]
        .filter((link) => link.connected)
        .map(({ from }) => ({ nodeId: from.self, ...from.peer })),
    start: async (events) => hub.start(member, events),
    send: (to, message) => hub.send(member, to, { from: self, ...message }),
    stop: async () => hub.stop(member),
  };
}

/** A hub without nodes. */
export function createMemoryHub(options: MemoryHubOptions): MemoryHub {
  const hub = new Hub(options);
  return { join: (self, peer) => networkOf(hub, hub.join(self, peer)) };
}
