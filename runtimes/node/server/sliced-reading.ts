/**
 * Connections whose packets are parsed a slice at a time. The engine parses a packet of 64 KiB at
 * once, whatever comes out of it: thousands of requests of a few bytes, each with kilobytes of its
 * own, or ten thousand pieces of a body. Slices cost a few microseconds a packet, so not every
 * connection is read by them.
 */
import type { Socket } from "node:net";
import { FairLine } from "../../../core/limits/fair-line.ts";
import type { Reader } from "./reading-rounds.ts";

/** A slice, and one of a long body. */
const SLICE_BYTES = 4 * 1024;
const LONGEST_BYTES = 16 * 1024;
/** After a slice that took longer they are short again; after a shorter one they grow. */
const LONG_MS = 2;
const SHORT_MS = 0.5;

type Parse = (packet: Buffer) => void;

/** The connection that is read. */
export interface SlicedConnection {
  readonly socket: Socket & { readonly _paused?: boolean };
  /** Nothing further is parsed for now. */
  isToWait(): boolean;
  /** A slice took long: the next one waits for its turn. */
  wait(): void;
  /** It holds so many bytes more, or less, that are not parsed yet. */
  hold(bytes: number): void;
}

/**
 * Long slices have turns, one in each round of the event loop, addresses in turn: of all packets
 * that are ready the engine would read each to its end. A class because it owns those that wait.
 */
export class SliceTurns<Connection extends Reader> {
  readonly #line = new FairLine<Connection>();
  readonly #resume: (connection: Connection) => void;

  /** @param resume has a connection read again that is held no more */
  constructor(resume: (connection: Connection) => void) {
    this.#resume = resume;
  }

  wait(connection: Connection): void {
    if (connection.isHeld || connection.isAway) return;
    connection.isHeld = true;
    connection.socket.pause();
    this.#line.add({ address: connection.address, connection }, connection);
    if (this.#line.length === 1) setImmediate(() => this.#next());
  }

  #next(): void {
    const connection = this.#line.next();
    if (this.#line.length > 0) setImmediate(() => this.#next());
    if (!connection) return;
    connection.isHeld = false;
    if (!connection.socket.destroyed) this.#resume(connection);
  }
}

/** How one connection is read from now on. A class because it owns what is not parsed yet. */
export class SlicedReading {
  readonly #connection: SlicedConnection;
  readonly #parse: Parse;
  readonly #take: Parse;
  /** Of the next slice. */
  #bytes = SLICE_BYTES;
  /** So many bytes are to be kept as they are, and those that were. */
  #toKeep = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** What was put back, and comes again before anything else. */
  #backBytes = 0;
  #held = 0;

  constructor(connection: SlicedConnection) {
    const { socket } = connection;
    this.#connection = connection;
    // A connection that was refused has none: what it sends is dropped.
    const [parse = () => undefined] = socket.listeners("data") as Parse[];
    this.#parse = parse;
    this.#take = (packet) => {
      this.#backBytes = Math.max(0, this.#backBytes - packet.length);
      if (this.isLook) this.#keep(packet);
      else this.#readSlice(packet);
    };
    socket.removeListener("data", parse);
    // With a listener of its own the socket gives what it reads to that, not to the parser.
    socket.on("data", this.#take);
    // The parser did the reading, and may have been paused: the stream takes itself for reading
    // still, also where it was resumed in this turn.
    socket.push(Buffer.alloc(0));
  }

  /**
   * The engine waits until its client takes answers. Of a connection that has another reader it
   * does not see to that by itself when the connection is resumed: the parser would fail.
   */
  get isParserPaused(): boolean {
    return this.#connection.socket._paused === true;
  }

  get isLook(): boolean {
    return this.#toKeep > 0;
  }

  /**
   * Reads a packet that is not parsed yet, next time as much as it has so far: only behind all that
   * its client has sent is it seen that this has gone.
   */
  look(): void {
    this.#toKeep = Math.max(this.#held, 1);
    this.#connection.socket.resume();
  }

  /** Puts back what was kept. The connection is paused then. */
  back(): void {
    const { socket } = this.#connection;
    this.#toKeep = 0;
    socket.pause();
    // Packet by packet: a slice of them all would keep them all.
    if (!socket.readableEnded) for (const packet of this.#kept.reverse()) socket.unshift(packet);
    this.#backBytes += this.#keptBytes;
    this.#keptBytes = 0;
    this.#kept = [];
  }

  /** What comes is given to nobody, so that another protocol may read it. */
  end(): void {
    this.#connection.socket.off("data", this.#take);
    this.#backBytes = 0;
    this.#count();
  }

  #keep(packet: Buffer): void {
    this.#toKeep -= packet.length;
    if (!this.isLook) this.#connection.socket.pause();
    this.#kept.push(packet);
    this.#keptBytes += packet.length;
    this.#count();
  }

  #readSlice(packet: Buffer): void {
    const connection = this.#connection;
    const { socket } = connection;
    const most = this.#bytes;
    if (packet.length > most) {
      this.#backBytes += packet.length - most;
      // Before the slice is parsed: what that pauses stays so, and what an upgrade puts back comes
      // in front. In a stream that flows it would be read at once.
      socket.pause();
      socket.unshift(packet.subarray(most));
      socket.resume();
    }
    this.#count();
    if (socket.destroyed) return;
    const start = performance.now();
    this.#parse.call(socket, packet.subarray(0, most));
    const took = performance.now() - start;
    if (took > LONG_MS) this.#bytes = SLICE_BYTES;
    else if (took < SHORT_MS) this.#bytes = Math.min(2 * most, LONGEST_BYTES);
    if (took > SHORT_MS) connection.wait();
    // At the end of each request the engine has it read again.
    if (connection.isToWait()) socket.pause();
  }

  /** Counts what is not parsed yet. */
  #count(): void {
    const held = this.#backBytes + this.#keptBytes;
    if (held === this.#held) return;
    this.#connection.hold(held - this.#held);
    this.#held = held;
  }
}
