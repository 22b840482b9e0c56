/**
 * The Network port between machines that may be cut off: it delays, loses, duplicates, reorders
 * across classes, and splits. Messages of one direction and class arrive in order or not at all.
 */
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { Incoming, Network, NetworkEvents } from "../../../core/ports/network.ts";
import type { Random } from "../random.ts";
import type { Sights } from "../sights.ts";
import type { Agenda } from "./agenda.ts";
import type { WholeOptions } from "./options.ts";

/** What the links of a schedule are made of. */
export interface LinkOptions {
  readonly options: WholeOptions;
  readonly random: Random;
  readonly agenda: Agenda;
  readonly sights: Sights;
  /** Position of a machine is its number. */
  readonly nodeIds: readonly NodeId[];
  /** Sees each message as it arrives. */
  readonly onDelivered: (from: number, to: number, message: Incoming) => void;
}

/** Delay once the faults have stopped. */
const CALM_DELAY_MS = 20;
/** A connection is made within this time, and a dead one noticed. */
const CONNECT_MS = 60;
const NOTICE_MS = 4_000;
const CLASSES = ["consensus", "blocks", "transactions", "topics"] as const;

/** One direction between two machines. */
interface Link {
  readonly from: number;
  readonly to: number;
  /** Nothing gets through. */
  blocked: boolean;
  /** Connection whose peerUp the receiver was notified of; 0: none. */
  seen: number;
  /** When the last message of a class arrives. */
  readonly last: Record<(typeof CLASSES)[number], number>;
}

/** The connection of two machines. */
interface Pair {
  readonly links: readonly [Link, Link];
  /** Rises with each connection. */
  epoch: number;
  up: boolean;
  planned: boolean;
}

/** All links of a schedule. */
export class Links {
  delivered = 0;
  /** The faults have stopped. */
  calm = false;
  readonly #made: LinkOptions;
  readonly #links: (Link | undefined)[][];
  readonly #pairs: Pair[] = [];
  readonly #pairOf = new Map<Link, Pair>();
  readonly #running: (NetworkEvents | undefined)[];
  readonly #numbers: ReadonlyMap<NodeId, number>;

  constructor(made: LinkOptions) {
    this.#made = made;
    const { nodeIds } = made;
    this.#numbers = new Map(nodeIds.map((id, number) => [id, number]));
    this.#running = nodeIds.map(() => undefined);
    this.#links = nodeIds.map((_, from) =>
      nodeIds.map((__, to) => (from === to ? undefined : newLink(from, to))),
    );
    for (let one = 0; one < nodeIds.length; one++) {
      for (let other = one + 1; other < nodeIds.length; other++) {
        const links = [this.#link(one, other), this.#link(other, one)] as const;
        const pair: Pair = { links, epoch: 0, up: false, planned: false };
        this.#pairs.push(pair);
        for (const link of links) this.#pairOf.set(link, pair);
      }
    }
  }

  /** The port of a machine. */
  portOf(number: number): Network {
    const { nodeIds } = this.#made;
    const self = nodeIds[number] as NodeId;
    return {
      self,
      peers: () =>
        nodeIds.flatMap((nodeId, other) => {
          if (other === number || this.#link(other, number).seen === 0) return [];
          const endpoint = `10.0.0.${other}:1`;
          return [{ nodeId, endpoint, agency: "whole", node: `node${other}`, topics: [] }];
        }),
      start: async (events) => this.#start(number, events),
      send: (to, message) => {
        const other = this.#numbers.get(to);
        if (other === undefined || other === number) return;
        this.#send(this.#link(number, other), { from: self, ...message });
      },
      stop: async () => this.leave(number),
    };
  }

  /** A machine stops, in order or not; the others notice after a while. */
  leave(number: number): void {
    this.#running[number] = undefined;
    for (const pair of this.#pairsOf(number)) {
      if (pair.up) pair.up = false;
      for (const link of pair.links) if (link.to === number) link.seen = 0;
      this.#reconsider(pair);
    }
  }

  /** Splits the machines in two, in one direction or both, or heals them. */
  repartition(): void {
    const { random, sights } = this.#made;
    const split = random.chance(0.7);
    const oneWay = random.chance(0.35);
    const side = this.#running.map(() => random.chance(0.5));
    for (const { links } of this.#pairs) {
      for (const link of links) {
        const across = side[link.from] !== side[link.to] && (!oneWay || side[link.from] === true);
        link.blocked = split && across;
        if (link.blocked) sights.add(oneWay ? "oneWayCut" : splitOf(side));
      }
    }
    for (const pair of this.#pairs) this.#reconsider(pair);
  }

  /** Cuts two machines off from each other. */
  cut(one: number, other: number): void {
    for (const pair of this.#pairsOf(one)) {
      if (!pair.links.some(({ to }) => to === other)) continue;
      for (const link of pair.links) link.blocked = true;
      this.#reconsider(pair);
    }
  }

  /** All links work from now on. */
  heal(): void {
    this.calm = true;
    for (const pair of this.#pairs) {
      for (const link of pair.links) link.blocked = false;
      this.#reconsider(pair);
    }
  }

  /** Whether nothing gets from one machine to another. */
  isCut(from: number, to: number): boolean {
    return this.#link(from, to).blocked;
  }

  /** A message that no node sent. */
  inject(from: number, to: number, message: Incoming): void {
    const { agenda } = this.#made;
    agenda.after(1, () => {
      if (this.#link(from, to).seen !== 0) this.#running[to]?.message(message);
    });
  }

  #link(from: number, to: number): Link {
    const link = this.#links[from]?.[to];
    if (!link) throw new RangeError(`no link from ${from} to ${to}`);
    return link;
  }

  #pairsOf(number: number): Pair[] {
    return this.#pairs.filter(({ links }) => links[0].from === number || links[0].to === number);
  }

  #start(number: number, events: NetworkEvents): void {
    this.#running[number] = events;
    for (const pair of this.#pairsOf(number)) this.#reconsider(pair);
  }

  #wanted({ links }: Pair): boolean {
    const [{ from, to }] = links;
    if (!this.#hasCable(from, to)) return false;
    return Boolean(this.#running[from] && this.#running[to]) && !links.every((it) => it.blocked);
  }

  #hasCable(one: number, other: number): boolean {
    const name = `${Math.min(one, other)}-${Math.max(one, other)}` as const;
    return !this.#made.options.graph.absent.has(name);
  }

  /** Connects or disconnects two machines after a while, if it is still to be done then. */
  #reconsider(pair: Pair): void {
    const { agenda, random } = this.#made;
    if (pair.planned) return;
    const told = pair.links.every(({ seen }) => seen === (pair.up ? pair.epoch : 0));
    if (told && this.#wanted(pair) === pair.up) return;
    pair.planned = true;
    const isDead = pair.up && !this.#wanted(pair);
    const delay = isDead ? random.between(200, NOTICE_MS) : 1 + random.below(CONNECT_MS);
    agenda.after(delay, () => {
      pair.planned = false;
      this.#settle(pair);
    });
  }

  #settle(pair: Pair): void {
    const wanted = this.#wanted(pair);
    if (wanted && !pair.up) pair.epoch++;
    pair.up = wanted;
    const epoch = wanted ? pair.epoch : 0;
    for (const link of pair.links) {
      const before = link.seen;
      const events = this.#running[link.to];
      if (!events || before === epoch) continue;
      const peer = this.#made.nodeIds[link.from] as NodeId;
      link.seen = epoch;
      if (before !== 0) events.peerDown(peer);
      // The machine may have stopped meanwhile.
      if (epoch !== 0 && this.#running[link.to] === events) events.peerUp(peer);
    }
  }

  #send(link: Link, message: Incoming): void {
    const { random, options, sights } = this.#made;
    if (this.#link(link.to, link.from).seen === 0 || link.blocked) return;
    if (!this.calm && random.chance(options.loss)) return sights.add("loss");
    this.#plan(link, message);
    if (this.calm || !random.chance(options.duplication)) return;
    sights.add("duplication");
    this.#plan(link, message);
  }

  #plan(link: Link, message: Incoming): void {
    const { random, options, agenda, onDelivered } = this.#made;
    const epoch = this.#pairOf.get(link)?.epoch ?? 0;
    const delay = 1 + random.next() * (this.calm ? CALM_DELAY_MS : options.delayMs);
    const at = Math.max(agenda.now + delay, link.last[message.kind]);
    link.last[message.kind] = at;
    agenda.after(at - agenda.now, () => {
      const events = this.#running[link.to];
      if (!events || link.seen !== epoch || link.blocked) return;
      this.delivered++;
      onDelivered(link.from, link.to, message);
      events.message(message);
    });
  }
}

/** How a partition splits the machines. */
function splitOf(side: readonly boolean[]): string {
  const here = side.filter((isHere) => isHere).length;
  const there = side.length - here;
  return `split ${Math.max(here, there)}-${Math.min(here, there)}`;
}

function newLink(from: number, to: number): Link {
  const last = { consensus: 0, blocks: 0, transactions: 0, topics: 0 };
  return { from, to, blocked: false, seen: 0, last };
}
