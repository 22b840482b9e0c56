/**
 * The Network port between objects of one deployment: letters through their stubs, which nobody
 * outside can reach. One letter is under way to each peer, so they arrive in order; what waits is
 * bounded and sent by urgency as over sockets. Source: node-network 3
 */
import type { NodeId } from "../../../core/bytes/ids.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import { FRAME, FrameReader } from "../../../core/network/frame.ts";
import { Outbox } from "../../../core/network/outbox.ts";
import { isCarried, PartAssembler } from "../../../core/network/part.ts";
import type { Network, NetworkEvents } from "../../../core/ports/network.ts";
import { webClock, webEntropy } from "../../shared/platform/web-platform.ts";

/** Between two letters to a peer to whom nothing is to be reported. */
const GREETING_MS = 5_000;
/** Before an object that did not answer is asked again. */
const RETRY_MS = 1_000;
const ID_BYTES = 8;

/** What one object sends to another; empty as a greeting. */
export interface Letter {
  readonly from: NodeId;
  /** Names the sender's run: it has another one after each eviction. */
  readonly run: string;
  /** Letters of one line belong together; a new one begins after a letter that was lost. */
  readonly line: string;
  /** Frames with parts of messages; they may end inside a frame. */
  readonly bytes: Uint8Array;
}

/** Another member. */
export interface ObjectPeer {
  readonly nodeId: NodeId;
  /** As others see it. */
  readonly name: string;
  /** Hands a letter over; gives the receiver's run. */
  deliver(letter: Letter): Promise<string>;
}

/** The network of one object. */
export interface ObjectNetwork extends Network {
  /**
   * Takes a letter; gives the own run. @throws RangeError from an unknown object, or when stopped
   */
  receive(letter: Letter): string;
}

interface Link {
  readonly peer: ObjectPeer;
  /** The peer's run; undefined while it does not answer. */
  run: string | undefined;
  outbox: Outbox;
  line: string;
  isSending: boolean;
  cancelGreeting: () => void;
  incoming: { readonly line: string; readonly frames: FrameReader; readonly parts: PartAssembler };
}

const newId = (): string => toHex(webEntropy.bytes(ID_BYTES));
const newIncoming = (line: string): Link["incoming"] => ({
  line,
  frames: new FrameReader(),
  parts: new PartAssembler(),
});

/** The network; a class because it owns links and timers. */
class Lines implements ObjectNetwork {
  readonly self: NodeId;
  readonly #run = newId();
  readonly #links: ReadonlyMap<NodeId, Link>;
  #events: NetworkEvents | undefined;

  constructor(self: NodeId, peers: readonly ObjectPeer[]) {
    this.self = self;
    this.#links = new Map(peers.map((peer) => [peer.nodeId, newLink(peer)]));
  }

  peers() {
    const up = [...this.#links.values()].filter(({ run }) => run !== undefined);
    return up.map(({ peer: { nodeId, name } }) => ({
      ...{ nodeId, endpoint: "0.0.0.0:0", agency: "edge", node: name },
      topics: [],
    }));
  }

  async start(events: NetworkEvents): Promise<void> {
    this.#events = events;
    for (const link of this.#links.values()) this.#pump(link);
  }

  send(to: NodeId, message: Parameters<Network["send"]>[1]): void {
    const link = this.#links.get(to);
    const { kind, groupId, bytes } = message;
    if (link?.run === undefined || !isCarried(kind, groupId, bytes.length)) return;
    link.outbox.put({ kind, groupId, bytes, compressed: false });
    this.#pump(link);
  }

  receive({ from, run, line, bytes }: Letter): string {
    const link = this.#links.get(from);
    if (!link || !this.#events) throw new RangeError("nobody here takes letters of that node");
    this.#meet(link, run);
    if (link.incoming.line !== line) link.incoming = newIncoming(line);
    const { frames, parts } = link.incoming;
    const isWhole = frames.push(bytes, (type, payload) => {
      const outcome = type === FRAME.part ? parts.accept(payload) : undefined;
      if (outcome?.type === "message") {
        const { groupId, kind, bytes: content } = outcome.message;
        this.#events?.message({ from, groupId, kind, bytes: content });
      }
      return outcome !== undefined && outcome.type !== "rejected";
    });
    if (!isWhole) throw new RangeError("the letter is malformed");
    return this.#run;
  }

  async stop(): Promise<void> {
    this.#events = undefined;
    for (const link of this.#links.values()) {
      link.cancelGreeting();
      forget(link);
    }
  }

  /** Sends what waits, or a greeting, unless a letter is under way; then waits for the next. */
  #pump(link: Link): void {
    if (link.isSending || !this.#events) return;
    link.isSending = true;
    link.cancelGreeting();
    this.#sendAll(link).then(
      () => this.#rest(link, GREETING_MS),
      () => {
        this.#lose(link);
        this.#rest(link, RETRY_MS);
      },
    );
  }

  async #sendAll(link: Link): Promise<void> {
    let bytes = link.outbox.batch() ?? new Uint8Array();
    for (;;) {
      const { peer, line } = link;
      const run = await peer.deliver({ from: this.self, run: this.#run, line, bytes });
      if (!this.#events) return;
      this.#meet(link, run);
      const next = link.outbox.batch();
      if (!next) return;
      bytes = next;
    }
  }

  #rest(link: Link, ms: number): void {
    link.isSending = false;
    if (!this.#events) return;
    if (!link.outbox.isEmpty()) this.#pump(link);
    else link.cancelGreeting = webClock.after(ms, () => this.#pump(link));
  }

  /** The peer is there. Another run of it knows nothing of what was reported before. */
  #meet(link: Link, run: string): void {
    if (link.run === run) return;
    this.#lose(link);
    link.run = run;
    this.#events?.peerUp(link.peer.nodeId);
  }

  #lose(link: Link): void {
    const wasUp = link.run !== undefined;
    forget(link);
    if (wasUp) this.#events?.peerDown(link.peer.nodeId);
  }
}

function newLink(peer: ObjectPeer): Link {
  return {
    peer,
    run: undefined,
    outbox: new Outbox(),
    line: newId(),
    isSending: false,
    cancelGreeting: () => {},
    incoming: newIncoming(""),
  };
}

function forget(link: Link): void {
  link.run = undefined;
  link.outbox = new Outbox();
  link.line = newId();
}

/** The network of an object among others; letters go out from its start on. */
export function createObjectNetwork(self: NodeId, peers: readonly ObjectPeer[]): ObjectNetwork {
  return new Lines(self, peers);
}
