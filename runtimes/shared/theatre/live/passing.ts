/** Messages that pass a node while somebody watches: kept as they are, read when they are shown. */
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { MessageClass, Network, NetworkEvents } from "../../../../core/ports/network.ts";
import type { EndedFlight, Flight, MessageKind } from "../frame.ts";
import { type MessageReader, NOTHING } from "../message-view.ts";

/** Messages that one frame lists; the rest is counted. */
const MOST_LISTED = 256;
/** A longer message is not read for a watcher. */
const MOST_READ_BYTES = 256 * 1024;

/** A message that left or came. */
export interface Passing {
  readonly isOwn: boolean;
  readonly peer: NodeId;
  readonly groupId: number;
  readonly kind: MessageClass;
  readonly bytes: Uint8Array;
}

/** What long messages are listed as. */
const LONG: Readonly<Record<MessageClass, MessageKind>> = {
  consensus: "prepare",
  blocks: "blocks",
  transactions: "push",
  topics: "topics",
};

/** The port with a listener to what passes, which is asked for at each message. */
export function tapped(
  network: Network,
  listener: () => ((passing: Passing) => void) | undefined,
): Network {
  const { penalise } = network;
  return {
    self: network.self,
    peers: () => network.peers(),
    start: (events) => network.start(tappedEvents(events, listener)),
    send(to, message) {
      listener()?.({ isOwn: true, peer: to, ...message });
      network.send(to, message);
    },
    ...(penalise ? { penalise: (peer, reason) => penalise.call(network, peer, reason) } : {}),
    stop: () => network.stop(),
  };
}

function tappedEvents(
  events: NetworkEvents,
  listener: () => ((passing: Passing) => void) | undefined,
): NetworkEvents {
  const { admission } = events;
  return {
    ...(admission ? { admission: (message) => admission.call(events, message) } : {}),
    message(message) {
      const heard = listener();
      if (heard) {
        const { from, groupId, kind, bytes } = message;
        heard({ isOwn: false, peer: from, groupId, kind, bytes });
      }
      events.message(message);
    },
    peerUp: (peer) => events.peerUp(peer),
    peerDown: (peer) => events.peerDown(peer),
  };
}

/** Collects what passes between two frames. */
export class PassingList {
  readonly #reader: MessageReader;
  #waiting: { readonly passing: Passing; readonly at: number }[] = [];
  #skipped = 0;
  #nextId = 1;

  constructor(reader: MessageReader) {
    this.#reader = reader;
  }

  add(passing: Passing, at: number): void {
    if (this.#waiting.length >= MOST_LISTED) this.#skipped++;
    else this.#waiting.push({ passing, at });
  }

  /** What passed since this was asked last. */
  take(place: {
    readonly self: number;
    readonly numberOf: (nodeId: NodeId) => number | undefined;
  }): { readonly sent: Flight[]; readonly ended: EndedFlight[]; readonly skipped: number } {
    const sent: Flight[] = [];
    const ended: EndedFlight[] = [];
    for (const { passing, at } of this.#waiting) {
      const peer = place.numberOf(passing.peer);
      if (peer === undefined) continue;
      const ends = passing.isOwn ? { from: place.self, to: peer } : { from: peer, to: place.self };
      const flight = this.#flight(passing, ends, at);
      if (passing.isOwn) sent.push(flight);
      else ended.push({ flight, how: "delivered" });
    }
    const skipped = this.#skipped;
    this.#waiting = [];
    this.#skipped = 0;
    return { sent, ended, skipped };
  }

  #flight(passing: Passing, ends: Pick<Flight, "from" | "to">, at: number): Flight {
    const { groupId, bytes, kind } = passing;
    const isLong = bytes.length > MOST_READ_BYTES;
    const view = isLong ? { kind: LONG[kind], ...NOTHING } : this.#reader.read(passing);
    return {
      id: this.#nextId++,
      ...ends,
      group: groupId,
      bytes: bytes.length,
      sentAt: at,
      arrivesAt: undefined,
      held: false,
      lie: false,
      copyOf: undefined,
      ...view,
    };
  }
}
