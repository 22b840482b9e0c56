/**
 * A client of the channel port for load and soaks: built on our own frames. Tests of the protocol
 * have a client that shares nothing with the node.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import { encodeFrame, type Frame, FrameReader, MESSAGE_TYPE } from "../../../core/channel/frame.ts";

/** Where a client connects, and with what. */
export interface LinkTarget {
  readonly host: string;
  readonly port: number;
  readonly context: SecureContext;
}

/** A target of `host:port` and a folder with ca.crt, sdk.crt and sdk.key. */
export function linkTarget(endpoint: string, sdk: string): LinkTarget {
  const file = (name: string) => readFileSync(join(sdk, name), "utf8");
  const colon = endpoint.lastIndexOf(":");
  return {
    host: endpoint.slice(0, colon),
    port: Number(endpoint.slice(colon + 1)),
    context: createSecureContext({
      ca: file("ca.crt"),
      cert: file("sdk.crt"),
      key: file("sdk.key"),
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.2",
      ecdhCurve: "secp256k1",
    }),
  };
}

let lastSeq = 0;

/** A fresh seq: 32 digits. */
export function nextSeq(): Uint8Array {
  lastSeq += 1;
  return Buffer.from(lastSeq.toString(16).padStart(32, "0"), "latin1");
}

/** One connection. A class because it owns a socket. */
export class ChannelLink {
  readonly socket: TLSSocket;
  /** Frames that answer nothing that was asked. */
  onPush: (frame: Frame) => void = () => undefined;
  readonly #reader = new FrameReader();
  readonly #waiting = new Map<
    string,
    { resolve(frame: Frame): void; reject(cause: Error): void }
  >();

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on("data", (bytes: Buffer) => {
      for (const frame of this.#reader.push(bytes)) this.#take(frame);
    });
    socket.on("error", () => undefined);
    socket.once("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the link has ended"));
      this.#waiting.clear();
    });
  }

  static open({ host, port, context }: LinkTarget): Promise<ChannelLink> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host,
        port,
        secureContext: context,
        checkServerIdentity: () => undefined,
      });
      socket.once("error", reject);
      socket.once("secureConnect", () => {
        socket.off("error", reject);
        resolve(new ChannelLink(socket));
      });
    });
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Sends a frame and waits for the first of its type and seq. */
  ask(type: number, data: Uint8Array | string): Promise<Frame> {
    const seq = nextSeq();
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(new Error("the link has ended"));
      this.#waiting.set(keyOf(type, seq), { resolve, reject });
      this.send({ type, seq, result: 0, data: Buffer.from(data) });
    });
  }

  /** The result of a request; throws an error answer. */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { data } = await this.ask(MESSAGE_TYPE.rpc, text);
    const answer = JSON.parse(Buffer.from(data).toString("utf8")) as {
      readonly result?: unknown;
      readonly error?: { readonly message: string };
    };
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  }

  send(frame: Frame): void {
    this.socket.write(encodeFrame(frame));
  }

  close(): void {
    this.socket.destroy();
  }

  #take(frame: Frame): void {
    const key = keyOf(frame.type, frame.seq);
    const waiting = this.#waiting.get(key);
    if (!waiting) return this.onPush(frame);
    this.#waiting.delete(key);
    waiting.resolve(frame);
  }
}

function keyOf(type: number, seq: Uint8Array): string {
  return `${type} ${Buffer.from(seq).toString("latin1")}`;
}
