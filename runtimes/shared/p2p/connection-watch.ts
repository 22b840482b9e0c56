/**
 * Sees to connections from their first byte on: while libp2p upgrades them, below the muxer that
 * they get, and in front of it. All transports share one upgrader, at the ports and where this node
 * dials.
 */
import type {
  Connection,
  MessageStream,
  MultiaddrConnection,
  StreamMessageEvent,
  StreamMuxer,
  StreamMuxerFactory,
  Upgrader,
} from "@libp2p/interface";
import { invariant } from "../../../core/fault/invariant.ts";
import { type Bytes, FrameWatch, UNAUTHENTICATED_BYTES, WindowUpdates } from "./frame-watch.ts";
import { inFrontOf } from "./in-front.ts";
import type { P2pTransports } from "./p2p-options.ts";

/** What may come before there is a muxer: the handshakes of the channel take a few KiB. */
export const UPGRADE_BYTES = 16 * 1024;
/**
 * How often something may be sent meanwhile: ten times for an honest end. Questions of few bytes
 * are answered one by one, as many as there are.
 */
export const UPGRADE_ANSWERS = 64;
/**
 * What may come in all before the certificate exchange is over. The muxer sees no message of the
 * channel that is empty, and the channel adds as much to a short one as the muxer does.
 */
const RAW_UNAUTHENTICATED_BYTES = 2 * UNAUTHENTICATED_BYTES;
/** What a piece costs besides its bytes: messages of a WebSocket may have none. */
export const PIECE_BYTES = 16;

/** No honest end sends texts, but the transport takes them. */
type SocketData = ArrayBuffer | string;

/** Most bytes of a letter of a text, by its length. */
const LETTER_BYTES = 3;

function bytesOf(data: SocketData): number {
  return typeof data === "string" ? LETTER_BYTES * data.length : data.byteLength;
}

/** What a raw connection of libp2p is made over: one of them. */
interface Below {
  readonly socket?: {
    prependListener(event: "data", listener: (piece: Uint8Array) => void): unknown;
  };
  /** Only Node can end one at once. */
  readonly websocket?: {
    addEventListener(type: "message", listener: (event: { data: SocketData }) => void): void;
    close(): void;
    terminate?(): void;
  };
  /** Through a relay. */
  readonly stream?: Pick<MessageStream, "addEventListener">;
}

/** Calls back with the bytes of each piece that comes, even of one that has none. */
function hear({ socket, websocket, stream }: Below, onPiece: (bytes: number) => void): void {
  invariant(socket ?? websocket ?? stream, "a connection is made over something that is heard");
  socket?.prependListener("data", ({ length }) => onPiece(length));
  websocket?.addEventListener("message", ({ data }) => onPiece(bytesOf(data)));
  stream?.addEventListener("message", ({ data }) => onPiece(data.byteLength));
}

/** The transport gives a code that no WebSocket may be closed with, so that nothing is closed. */
function endWithAbort(raw: MultiaddrConnection, { websocket }: Below): void {
  raw.addEventListener("close", () => {
    if (raw.status !== "aborted") return;
    if (websocket?.terminate) websocket.terminate();
    else websocket?.close();
  });
}

/** What is left to the other end of a connection. */
interface Allowance {
  bytes: number;
  answers: number;
}

/** One per network; a class because it knows its connections. */
export class ConnectionWatch {
  readonly #onExcess: () => void;
  /** By the timeline, which is what a connection shows of what it was made from. */
  readonly #allowances = new WeakMap<object, Allowance>();
  /** By the list of streams, which is what a connection shows of its muxer. */
  readonly #frames = new WeakMap<object, FrameWatch>();

  constructor(onExcess: () => void = () => {}) {
    this.#onExcess = onExcess;
  }

  /** The other end of a connection has proved its certificate. */
  admit({ timeline, streams }: Pick<Connection, "timeline" | "streams">): void {
    const allowance = this.#allowances.get(timeline);
    if (allowance) allowance.bytes = Infinity;
    this.#frames.get(streams)?.admit();
  }

  /** Transports whose connections are watched. */
  over(transports: P2pTransports["transports"]): P2pTransports["transports"] {
    return transports.map((make): typeof make => (components) => {
      const upgraderOf = (options: { readonly upgrader: Upgrader }) =>
        this.upgrader(options.upgrader);
      // The transport through relays asks its components for the upgrader, others are told it.
      const own = {
        get upgrader() {
          return upgraderOf(components);
        },
      };
      const transport = make(inFrontOf(components, own));
      return inFrontOf(transport, {
        createListener: (options) =>
          transport.createListener({ ...options, upgrader: upgraderOf(options) }),
        dial: (address, options) =>
          transport.dial(address, { ...options, upgrader: upgraderOf(options) }),
      });
    });
  }

  /** An upgrader whose connections are watched. */
  upgrader(upgrader: Upgrader): Upgrader {
    return inFrontOf(upgrader, {
      upgradeInbound: (raw, options) =>
        this.#watch(raw, (watched) => upgrader.upgradeInbound(watched, options)),
      upgradeOutbound: (raw, options) =>
        this.#watch(raw, (watched) => upgrader.upgradeOutbound(watched, options)),
    });
  }

  /** A factory whose muxers take nothing that no honest peer sends. */
  muxer(make: () => StreamMuxerFactory): () => StreamMuxerFactory {
    return () => {
      const factory = make();
      const createStreamMuxer = (below: MessageStream) => this.#muxerOver(factory, below);
      return { protocol: factory.protocol, createStreamMuxer };
    };
  }

  /**
   * The transport for WebSockets closes in order what could not be upgraded, which waits for an
   * end that reads nothing, and no caller catches what comes of it; where it has dialled it closes
   * nothing. So what fails is cut before it learns of it.
   */
  async #watch<Result>(
    raw: MultiaddrConnection,
    upgrade: (watched: MultiaddrConnection) => Promise<Result>,
  ): Promise<Result> {
    const allowance = { bytes: UPGRADE_BYTES, answers: UPGRADE_ANSWERS };
    this.#allowances.set(raw.timeline, allowance);
    endWithAbort(raw, raw as Below);
    hear(raw as Below, (bytes) => {
      allowance.bytes -= PIECE_BYTES + bytes;
      if (allowance.bytes < 0) this.#refuse(raw);
    });
    const send = (data: Bytes) => {
      allowance.answers -= 1;
      if (allowance.answers < 0) this.#refuse(raw);
      // Of a connection that is cut this throws, which ends the upgrade.
      return raw.send(data);
    };
    try {
      const result = await upgrade(inFrontOf(raw, { send }));
      allowance.bytes += RAW_UNAUTHENTICATED_BYTES - UPGRADE_BYTES;
      allowance.answers = Infinity;
      return result;
    } catch (cause) {
      raw.abort(cause instanceof Error ? cause : new DOMException(String(cause), "AbortError"));
      throw cause;
    }
  }

  #refuse(raw: MultiaddrConnection): void {
    if (raw.status !== "open") return;
    this.#onExcess();
    raw.abort(new DOMException("more than an unauthenticated peer may send", "QuotaExceededError"));
  }

  #muxerOver(factory: StreamMuxerFactory, below: MessageStream): StreamMuxer {
    const frames = new FrameWatch();
    const updates = new WindowUpdates();
    const cut = this.#cutter(below);
    const send = (frame: Bytes): boolean => {
      const spared = updates.spare(frame);
      if (!spared) return true;
      try {
        const takesMore = below.send(spared);
        if (!frames.sent(below.writeBufferLength)) cut();
        return takesMore;
      } catch (cause) {
        // The owner of a stream may cut the connection in the midst of a step of the muxer, some of
        // which are tasks of their own: a fault there would end the process.
        below.abort(cause instanceof Error ? cause : new DOMException(String(cause), "AbortError"));
        return false;
      }
    };
    const gate = (listener: (event: StreamMessageEvent) => void) => (event: StreamMessageEvent) => {
      if (frames.allows(event.data)) listener(event);
      else cut();
    };
    const addEventListener = (type: string, listener: never, options?: AddEventListenerOptions) =>
      below.addEventListener(
        type as "message",
        type === "message" ? gate(listener) : listener,
        options,
      );
    below.addEventListener("drain", () => frames.drained());
    const muxer = factory.createStreamMuxer(inFrontOf(below, { send, addEventListener }));
    this.#frames.set(muxer.streams, frames);
    return muxer;
  }

  /** Cuts a connection; counted once, although both ways may be at their bounds. */
  #cutter(below: MessageStream): () => void {
    let isFirst = true;
    return () => {
      if (isFirst) this.#onExcess();
      isFirst = false;
      below.abort(new DOMException("more than a peer may send at once", "QuotaExceededError"));
    };
  }
}
