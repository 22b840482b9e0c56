/**
 * An SDK of another make: a session over TLS, frames collected as they arrive, requests matched by
 * seq. Written from the specification alone; shares nothing with the product.
 *
 * Source: channel-protocol 2, 3, 4
 */
import assert from "node:assert/strict";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import {
  firstFrame,
  frameBytes,
  HEAD_BYTES,
  newSeq,
  type Payload,
  TYPE,
  type WireFrame,
} from "./channel-frames.ts";
import { RecordedConnection } from "./tls-records.ts";

/** Nothing that a test waits for takes longer, also on a machine with other work. */
const PATIENCE_MS = 240_000;

/** The three files of an SDK. */
export interface SdkFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Where a client connects, and with what. */
export interface ChannelAddress {
  readonly host: string;
  readonly port: number;
  readonly sdk: SdkFiles;
}

/** How a session differs from the ordinary one. */
export interface SessionOptions {
  readonly tls?: ConnectionOptions;
  /** Keep the TLS records; the bytes then take the way through JavaScript. */
  readonly recorded?: boolean;
  /** Leave the own side open when the node closes. */
  readonly halfOpen?: boolean;
}

/** What an SDK in JavaScript asks for: the CA is checked, the host name is not. */
export function sdkTlsOptions({ ca, cert, key }: SdkFiles): ConnectionOptions {
  return {
    ca,
    cert,
    key,
    ecdhCurve: "secp256k1",
    minVersion: "TLSv1.2",
    maxVersion: "TLSv1.2",
    checkServerIdentity: () => undefined,
  };
}

/** An answer of JSON-RPC. */
export interface RpcAnswer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a request may choose. */
export interface SendOptions {
  readonly seq?: string;
  readonly result?: number;
}

interface Waiter {
  readonly matches: (frame: WireFrame) => boolean;
  readonly resolve: (frame: WireFrame) => void;
}

/** One session. A class because it is a connection. */
export class ChannelClient {
  readonly socket: TLSSocket;
  readonly recorded: RecordedConnection | undefined;
  /** Frames that arrived and that nobody took. */
  readonly unread: WireFrame[] = [];
  /** Lengths of all frames in the order of their arrival. */
  readonly lengths: number[] = [];
  /** Lengths of what each read gave. */
  readonly reads: number[] = [];
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;
  /** Whether the node reported that it closes before it closed. */
  wasToldEnd = false;
  readonly #waiters: Waiter[] = [];
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #wanted = HEAD_BYTES;

  private constructor(socket: TLSSocket, recorded: RecordedConnection | undefined) {
    this.socket = socket;
    this.recorded = recorded;
    socket.setNoDelay();
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", () => undefined);
    socket.on("end", () => {
      this.wasToldEnd = true;
    });
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
  }

  /** Connects; rejects when the node refuses the handshake. */
  static open(address: ChannelAddress, options: SessionOptions = {}): Promise<ChannelClient> {
    const { host, port, sdk } = address;
    const recorded = options.recorded ? new RecordedConnection(host, port) : undefined;
    const ends = { allowHalfOpen: options.halfOpen ?? false };
    const socket = connect({
      ...ends,
      ...(recorded ? { socket: recorded } : { host, port }),
      ...sdkTlsOptions(sdk),
      ...options.tls,
    });
    return new Promise((resolve, reject) => {
      const fail = (error?: Error) => {
        socket.destroy();
        recorded?.destroy();
        reject(error ?? new Error("closed in the handshake"));
      };
      const late = setTimeout(() => fail(new Error("no handshake in time")), PATIENCE_MS);
      socket.once("close", () => clearTimeout(late));
      socket.once("error", fail);
      socket.once("close", () => fail());
      socket.once("secureConnect", () => {
        clearTimeout(late);
        socket.removeAllListeners("error").removeAllListeners("close");
        resolve(new ChannelClient(socket, recorded));
      });
    });
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  /** Sends a frame; gives its seq. */
  send(type: number, payload: Payload, { seq = newSeq(), result = 0 }: SendOptions = {}): string {
    this.socket.write(frameBytes(type, payload, seq, result));
    return seq;
  }

  /** Sends bytes as they are, in one write. */
  sendBytes(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) =>
      this.socket.write(bytes, (error) => (error ? reject(error) : resolve())),
    );
  }

  /** Takes the first frame that matches, of those that are there or of those to come. */
  async take(matches: (frame: WireFrame) => boolean, limitMs = PATIENCE_MS): Promise<WireFrame> {
    const found = this.unread.findIndex(matches);
    const [frame] = found < 0 ? [] : this.unread.splice(found, 1);
    if (frame !== undefined) return frame;
    let late: NodeJS.Timeout | undefined;
    const waiter = new Promise<WireFrame>((resolve, reject) => {
      this.#waiters.push({ matches, resolve });
      const seen = () => this.unread.map((it) => `${it.type.toString(16)} ${it.data}`).join("; ");
      late = setTimeout(() => reject(new Error(`no such frame; unread: ${seen()}`)), limitMs);
      void this.closed.then(() => reject(new Error(`closed before it; unread: ${seen()}`)));
    });
    return waiter.finally(() => clearTimeout(late));
  }

  /** The frame of a type with a seq. */
  taken(type: number, seq: string, limitMs?: number): Promise<WireFrame> {
    return this.take((frame) => frame.type === type && frame.seq === seq, limitMs);
  }

  /** Sends a request and takes the answer of the same type. */
  ask(type: number, payload: Payload, options: SendOptions = {}): Promise<WireFrame> {
    return this.taken(type, this.send(type, payload, options));
  }

  /** The answer to an AMOP request or multicast. */
  amop(type: number, payload: Payload, seq = newSeq()): Promise<WireFrame> {
    return this.taken(TYPE.amopResponse, this.send(type, payload, { seq }));
  }

  /** Asks a method; the answer may be an error. */
  async rpc(method: string, ...params: readonly unknown[]): Promise<RpcAnswer> {
    const { data, result } = await this.ask(TYPE.rpc, requestText(method, params));
    assert.equal(result, 0);
    return JSON.parse(data.toString("utf8")) as RpcAnswer;
  }

  /** The result of a method that must have one. */
  async result<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.rpc(method, ...params);
    assert.equal(error, undefined, `${method}: ${error?.code} ${error?.message}`);
    return result as T;
  }

  /** Asks for a version; gives the one in effect. */
  async handshake(maximumSupport: number): Promise<number> {
    const wanted = { minimumSupport: 1, maximumSupport, clientType: "test" };
    const { data } = await this.ask(TYPE.handshake, JSON.stringify(wanted));
    return (JSON.parse(data.toString()) as { protocol: number }).protocol;
  }

  /** The session still serves, and nothing came that no caller asked for. */
  async servesWhileAbstaining(): Promise<void> {
    const answer = await this.rpc("getGroupList");
    assert.ok(answer.result !== undefined || answer.error !== undefined);
    assert.deepEqual(this.unread, []);
  }

  /** Waits for the end of the connection by the node. */
  async untilClosed(limitMs = PATIENCE_MS): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error("the node did not close")), limitMs);
    });
    await Promise.race([this.closed, limit]).finally(() => clearTimeout(late));
  }

  /** Ends the session. */
  async close(): Promise<void> {
    this.socket.destroy();
    this.recorded?.destroy();
    await this.closed;
  }

  #read(chunk: Buffer): void {
    this.reads.push(chunk.length);
    this.#pieces.push(chunk);
    this.#pieceBytes += chunk.length;
    if (this.#pieceBytes < this.#wanted) return;
    let bytes = Buffer.concat(this.#pieces);
    for (let frame = firstFrame(bytes); frame !== undefined; frame = firstFrame(bytes)) {
      const length = HEAD_BYTES + frame.data.length;
      bytes = bytes.subarray(length);
      this.lengths.push(length);
      this.#deliver(frame);
    }
    this.#pieces = [bytes];
    this.#pieceBytes = bytes.length;
    this.#wanted = bytes.length < HEAD_BYTES ? HEAD_BYTES : bytes.readUInt32BE(0);
  }

  #deliver(frame: WireFrame): void {
    const index = this.#waiters.findIndex(({ matches }) => matches(frame));
    const [waiter] = index < 0 ? [] : this.#waiters.splice(index, 1);
    if (waiter === undefined) this.unread.push(frame);
    else waiter.resolve(frame);
  }
}

/** The text of a JSON-RPC request. */
export function requestText(method: string, params: readonly unknown[], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params, id });
}

/** How a connection ended that must not be admitted: a code of TLS, or that it was closed. */
export async function refusalOf(
  address: ChannelAddress,
  tls: ConnectionOptions = {},
): Promise<string> {
  let client: ChannelClient;
  try {
    client = await ChannelClient.open(address, { tls });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "closed";
  }
  try {
    const seq = client.send(TYPE.rpc, requestText("getGroupList", []));
    const admitted = client.taken(TYPE.rpc, seq).then(() => "admitted");
    const closed = client.untilClosed().then(() => "closed");
    return await Promise.race([admitted.catch(() => closed), closed]);
  } finally {
    await client.close();
  }
}
