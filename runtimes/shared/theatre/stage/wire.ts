/**
 * The Network port between the nodes of a stage. Messages of one connection, direction and class
 * arrive in their order, as over TCP: behind one that is held back by hand the later ones wait, and
 * one that is delivered by hand brings the earlier ones with it.
 */
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type {
  Incoming,
  MessageClass,
  Network,
  NetworkEvents,
} from "../../../../core/ports/network.ts";
import { type EndedFlight, type Flight, FLIGHTS_SHOWN } from "../frame.ts";
import type { MessageReader } from "../message-view.ts";
import type { Agenda } from "./agenda.ts";
import type { LinkRules } from "./link-rules.ts";
import type { Random } from "./random.ts";

/** A connection is made within this time. */
const CONNECT_MS = 30;
/** A peer whose process is gone is noticed soon; one that is only silent later. */
const GONE_MS = 50;
const SILENT_MS = 4_000;
/** Messages in flight at most; what is sent beyond is lost, as at the end of a full queue. */
export const MOST_FLYING = 2_000;

interface WireOptions {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly rules: LinkRules;
  readonly reader: MessageReader;
  nodeIdOf(number: number): NodeId;
  numberOf(nodeId: NodeId): number | undefined;
  /** Runs what is for a node now, or keeps it until the node goes on; false then. */
  atNode(number: number, run: () => void): boolean;
}

/** A message on its way. */
interface Flying {
  flight: Flight;
  readonly message: Incoming;
  /** Connection that it travels on. */
  readonly epoch: number;
  readonly fate: "delivered" | "lost" | "cut";
  /** It has arrived at a node that is paused. */
  waits: boolean;
  /** When it arrives, were nothing held. */
  due: number;
  callOff: () => void;
}

/** The connection of two nodes. */
interface Pair {
  readonly low: number;
  readonly high: number;
  /** Rises with each connection. */
  epoch: number;
  up: boolean;
  planned: boolean;
  /** Connection that each end was notified of; 0: none. */
  readonly seen: Map<number, number>;
}

/** What leaves a node in the place of one message. */
export interface Leaving {
  readonly bytes: Uint8Array;
  readonly lie: boolean;
}

/** A message that is about to leave. */
export interface Sending {
  readonly groupId: number;
  readonly kind: MessageClass;
  readonly bytes: Uint8Array;
}

interface Taken {
  readonly sent: readonly Flight[];
  /** Of the messages sent, in their order. */
  readonly bytes: readonly Uint8Array[];
  readonly ended: readonly EndedFlight[];
}

/** All links of a stage. */
export class Wire {
  readonly #with: WireOptions;
  readonly #running = new Map<number, NetworkEvents>();
  readonly #pairs: Pair[] = [];
  readonly #flying = new Map<number, Flying>();
  /** When the last message of a direction and class arrives. */
  readonly #last = new Map<string, number>();
  /** Those that are held by hand. */
  readonly #held = new Set<Flying>();
  /** Undefined once something has changed. */
  #listed: readonly Flight[] | undefined;
  #nodes = 0;
  #nextId = 1;
  /** Since they were last taken. */
  #sent: Flight[] = [];
  #sentBytes: Uint8Array[] = [];
  #ended: EndedFlight[] = [];
  /** Before the curtain rises connections take no time. */
  quick = true;

  constructor(options: WireOptions) {
    this.#with = options;
  }

  addNode(): void {
    const high = this.#nodes++;
    for (let low = 0; low < high; low++) {
      const seen = new Map([
        [low, 0],
        [high, 0],
      ]);
      this.#pairs.push({ low, high, epoch: 0, up: false, planned: false, seen });
    }
    this.#with.rules.addNode();
  }

  /** The port of a node; what it sends goes through `leaving`. */
  portOf(number: number, leaving: (to: number, message: Sending) => readonly Leaving[]): Network {
    const self = this.#with.nodeIdOf(number);
    return {
      self,
      peers: () =>
        this.peersOf(number).map((other) => ({
          nodeId: this.#with.nodeIdOf(other),
          endpoint: `10.0.0.${other}:30300`,
          agency: "theatre",
          node: `node${other}`,
          topics: [],
        })),
      start: async (events) => {
        this.#running.set(number, events);
        for (const pair of this.#pairsOf(number)) this.#reconsider(pair);
      },
      send: (to, message) => {
        const other = this.#with.numberOf(to);
        if (other === undefined || other === number) return;
        for (const one of leaving(other, message))
          this.#send(number, other, {
            message: { from: self, ...message, bytes: one.bytes },
            lie: one.lie,
          });
      },
      stop: async () => this.leave(number),
    };
  }

  /** Nodes that a node has a session with, ascending. */
  peersOf(number: number): number[] {
    const peers: number[] = [];
    for (const pair of this.#pairsOf(number)) {
      if (pair.seen.get(number) !== 0) peers.push(pair.low === number ? pair.high : pair.low);
    }
    return peers.sort((left, right) => left - right);
  }

  /** A node's process is gone. */
  leave(number: number): void {
    if (!this.#running.delete(number)) return;
    for (const flying of this.#flying.values())
      if (flying.waits && flying.flight.to === number) this.#end(flying, "cut");
    for (const pair of this.#pairsOf(number)) {
      pair.up = false;
      pair.seen.set(number, 0);
      this.#reconsider(pair);
    }
  }

  /** Links were cut or healed. */
  rulesChanged(): void {
    for (const pair of this.#pairs) this.#reconsider(pair);
  }

  /** Messages in flight. */
  get flying(): number {
    return this.#flying.size;
  }

  /** The oldest in flight, by id; the same list as long as nothing has changed. */
  flights(): readonly Flight[] {
    this.#listed ??= this.#list();
    return this.#listed;
  }

  #list(): Flight[] {
    const listed: Flight[] = [];
    for (const { flight } of this.#flying.values()) {
      if (listed.length >= FLIGHTS_SHOWN) break;
      listed.push(flight);
    }
    return listed;
  }

  /** What was sent and what ended since this was asked last. */
  taken(): Taken {
    const taken = { sent: this.#sent, bytes: this.#sentBytes, ended: this.#ended };
    this.#sent = [];
    this.#sentBytes = [];
    this.#ended = [];
    return taken;
  }

  hold(id: number): boolean {
    const flying = this.#flying.get(id);
    if (!flying || flying.flight.held) return false;
    flying.callOff();
    this.#held.add(flying);
    this.#change(flying, { held: true, arrivesAt: undefined });
    this.#keepOrder(this.#lineOf(flying));
    return true;
  }

  deliver(id: number): boolean {
    const flying = this.#flying.get(id);
    if (!flying) return false;
    const line = this.#lineOf(flying);
    for (const one of line.slice(0, line.indexOf(flying) + 1)) {
      if (one.waits && one !== flying) continue;
      one.callOff();
      this.#held.delete(one);
      this.#change(one, { held: false, arrivesAt: this.#with.agenda.now });
      this.#plan(one, 0);
    }
    this.#keepOrder(line);
    return true;
  }

  drop(id: number): boolean {
    const flying = this.#flying.get(id);
    if (!flying) return false;
    flying.callOff();
    const line = this.#lineOf(flying).filter((one) => one !== flying);
    this.#end(flying, "dropped");
    this.#keepOrder(line);
    return true;
  }

  // --- connections

  #pairsOf(number: number): Pair[] {
    return this.#pairs.filter(({ low, high }) => low === number || high === number);
  }

  #wanted({ low, high }: Pair): boolean {
    const { rules } = this.#with;
    if (!this.#running.has(low) || !this.#running.has(high)) return false;
    return !(rules.of(low, high)?.cut && rules.of(high, low)?.cut);
  }

  #isSettled(pair: Pair): boolean {
    const epoch = pair.up ? pair.epoch : 0;
    const ends = [pair.low, pair.high].filter((end) => this.#running.has(end));
    return this.#wanted(pair) === pair.up && ends.every((end) => pair.seen.get(end) === epoch);
  }

  #reconsider(pair: Pair): void {
    if (pair.planned || this.#isSettled(pair)) return;
    pair.planned = true;
    const { low, high } = pair;
    const isGone = !this.#running.has(low) || !this.#running.has(high);
    const lost = isGone ? GONE_MS : SILENT_MS;
    const delay = this.quick ? 0 : this.#wanted(pair) ? CONNECT_MS : lost;
    this.#with.agenda.plan(delay, { kind: "connection", from: low, to: high }, () => {
      pair.planned = false;
      const changed = this.#settle(pair);
      this.#reconsider(pair);
      return changed;
    });
  }

  #settle(pair: Pair): boolean {
    const wanted = this.#wanted(pair);
    if (wanted && !pair.up) pair.epoch++;
    pair.up = wanted;
    let changed = false;
    for (const end of [pair.low, pair.high]) {
      const events = this.#running.get(end);
      const epoch = pair.up ? pair.epoch : 0;
      const before = pair.seen.get(end);
      if (!events || before === epoch) continue;
      changed = true;
      pair.seen.set(end, epoch);
      const peer = this.#with.nodeIdOf(end === pair.low ? pair.high : pair.low);
      this.#with.atNode(end, () => {
        if (before !== 0) events.peerDown(peer);
        if (epoch !== 0 && this.#running.get(end) === events) events.peerUp(peer);
      });
    }
    // No caller waits behind what is held of a connection that is over.
    for (const one of this.#held) this.#keepOrder(this.#lineOf(one));
    return changed;
  }

  #pairOf(one: number, other: number): Pair | undefined {
    const low = Math.min(one, other);
    const high = Math.max(one, other);
    return this.#pairs.find((pair) => pair.low === low && pair.high === high);
  }

  // --- messages

  #send(
    from: number,
    to: number,
    { message, lie }: { readonly message: Incoming; readonly lie: boolean },
  ): void {
    const pair = this.#pairOf(from, to);
    const rule = this.#with.rules.of(from, to);
    if (!rule || !pair || pair.seen.get(from) === 0) return;
    const { random } = this.#with;
    const lost = random.percent(rule.lossPercent) ? "lost" : "delivered";
    const fate = rule.cut ? "cut" : lost;
    const id = this.#launch({ from, to, message, lie, fate, copyOf: undefined });
    if (!random.percent(rule.duplicatePercent)) return;
    this.#launch({ from, to, message, lie, fate: rule.cut ? "cut" : "delivered", copyOf: id });
  }

  #launch(
    sending: Pick<Flight, "from" | "to" | "lie" | "copyOf"> & Pick<Flying, "message" | "fate">,
  ): number {
    const { message, fate, ...place } = sending;
    const { from, to } = place;
    const { agenda, random, rules, reader } = this.#with;
    const range = rules.of(from, to)?.delayMs ?? { from: 1, to: 1 };
    const direction = `${from}>${to} ${message.kind}`;
    const soonest = agenda.now + random.within(range.from, range.to);
    const arrivesAt = Math.max(soonest, this.#last.get(direction) ?? 0);
    this.#last.set(direction, arrivesAt);
    const flight: Flight = {
      id: this.#nextId++,
      ...place,
      group: message.groupId,
      bytes: message.bytes.length,
      sentAt: agenda.now,
      arrivesAt,
      held: false,
      ...reader.read(message),
    };
    const epoch = this.#pairOf(from, to)?.epoch ?? 0;
    const rest = { waits: false, due: arrivesAt, callOff: () => undefined };
    const flying: Flying = { flight, message, epoch, fate, ...rest };
    this.#sent.push(flight);
    this.#sentBytes.push(message.bytes);
    if (this.#flying.size >= MOST_FLYING) {
      this.#ended.push({ flight, how: "lost" });
      return flight.id;
    }
    this.#listed = undefined;
    this.#flying.set(flight.id, flying);
    this.#plan(flying, arrivesAt - agenda.now);
    if (this.#held.size > 0) this.#keepOrder(this.#lineOf(flying));
    return flight.id;
  }

  /** What travels on the same connection in the same direction and class, in its order. */
  #lineOf({ flight: { from, to }, epoch, message: { kind } }: Flying): Flying[] {
    return [...this.#flying.values()].filter(
      (one) =>
        one.flight.from === from &&
        one.flight.to === to &&
        one.epoch === epoch &&
        one.message.kind === kind,
    );
  }

  /** What is behind a held message waits for it; what is behind none any more goes on. */
  #keepOrder(line: readonly Flying[]): void {
    const { agenda } = this.#with;
    let isBlocked = false;
    for (const one of line) {
      const { from, to, held, arrivesAt } = one.flight;
      const pair = this.#pairOf(from, to);
      if (held) isBlocked ||= pair?.up === true && pair.epoch === one.epoch;
      else if (isBlocked && arrivesAt !== undefined && !one.waits) {
        one.callOff();
        this.#change(one, { held, arrivesAt: undefined });
      } else if (!isBlocked && arrivesAt === undefined) {
        this.#change(one, { held, arrivesAt: Math.max(agenda.now, one.due) });
        this.#plan(one, one.due - agenda.now);
      }
    }
  }

  #change(flying: Flying, change: Pick<Flight, "held" | "arrivesAt">): void {
    flying.flight = { ...flying.flight, ...change };
    this.#listed = undefined;
  }

  #plan(flying: Flying, delay: number): void {
    const { id } = flying.flight;
    const cause = { kind: "delivery", message: id } as const;
    flying.callOff = this.#with.agenda.plan(delay, cause, () => this.#arrive(flying));
  }

  #arrive(flying: Flying): boolean {
    const { from, to } = flying.flight;
    if (flying.fate !== "delivered") return this.#end(flying, flying.fate);
    const events = this.#running.get(to);
    const isConnected = this.#pairOf(from, to)?.seen.get(to) === flying.epoch;
    if (!events || !isConnected || this.#with.rules.of(from, to)?.cut)
      return this.#end(flying, "cut");
    // It waits at the network interface of a node that is paused, and arrives when the node goes
    // on.
    flying.waits = true;
    return this.#with.atNode(to, () => {
      if (!this.#flying.has(flying.flight.id)) return;
      this.#end(flying, "delivered");
      events.message(flying.message);
    });
  }

  #end(flying: Flying, how: EndedFlight["how"]): true {
    this.#flying.delete(flying.flight.id);
    this.#held.delete(flying);
    this.#listed = undefined;
    this.#ended.push({ flight: flying.flight, how });
    return true;
  }
}
