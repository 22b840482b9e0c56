/**
 * libp2p's TLS on Node, with Node's own certificates. The package of libp2p makes a new key pair
 * and certificate for each connection, and reads and writes them in JavaScript. The protocol is
 * tls/tls.md and connections/inlined-muxer-negotiation.md of the libp2p specifications.
 */
import { Duplex } from "node:stream";
import {
  connect,
  createSecureContext,
  type SecureContext,
  TLSSocket,
  type TLSSocketOptions,
} from "node:tls";
import {
  type AbortOptions,
  type ConnectionEncrypter,
  type MessageStream,
  type PrivateKey,
  type SecureConnectionOptions,
  type SecuredConnection,
  type StreamMuxerFactory,
  UnexpectedPeerError,
  type Upgrader,
} from "@libp2p/interface";
import { AbstractMessageStream, type SendResult } from "@libp2p/utils";
import { createTlsIdentity, TlsJudge } from "./tls-identity.ts";

/** Its name in the choice of a channel. */
const PROTOCOL = "/tls/1.0.0";
/** Offered next to the muxers: who chooses it does not choose a muxer yet. */
const NO_MUXER = "libp2p";
const VERSION = "TLSv1.3";

/** What it needs of the node of libp2p. */
interface TlsComponents {
  readonly privateKey: PrivateKey;
  readonly upgrader: Pick<Upgrader, "getStreamMuxers">;
}

/** The connection below as a stream of Node, which is what its TLS runs over. */
class Wire extends Duplex {
  readonly #below: MessageStream;

  constructor(below: MessageStream) {
    super();
    this.#below = below;
    below.pause();
    below.addEventListener("message", ({ data }) => this.#take(data));
    below.addEventListener("close", ({ error }) => this.destroy(error));
  }

  override _read(): void {
    if (this.#below.status === "open") this.#below.resume();
  }

  /** Node writes a single chunk in this way too. */
  override _writev(
    chunks: readonly { readonly chunk: Uint8Array }[],
    done: (fault?: Error) => void,
  ): void {
    try {
      const takesMore = chunks.map(({ chunk }) => this.#below.send(chunk)).at(-1) ?? true;
      if (takesMore) return done();
    } catch (cause) {
      return done(cause instanceof Error ? cause : new DOMException(String(cause), "AbortError"));
    }
    this.#below.onDrain().then(() => done(), done);
  }

  override _final(done: (fault?: Error) => void): void {
    this.#below.close().then(() => done(), done);
  }

  #take(data: Uint8Array | Iterable<Uint8Array>): void {
    const pieces = data instanceof Uint8Array ? [data] : [...data];
    const takesMore = pieces.map((piece) => this.push(piece)).every(Boolean);
    if (!takesMore && this.#below.status === "open") this.#below.pause();
  }
}

/** What goes through the channel. */
class SecureStream extends AbstractMessageStream {
  readonly #socket: TLSSocket;
  readonly #below: MessageStream;
  #closing: Promise<void> | undefined;

  constructor(below: MessageStream, socket: TLSSocket) {
    const { log, inactivityTimeout, maxReadBufferLength, direction } = below;
    super({ log, inactivityTimeout, maxReadBufferLength, direction });
    this.#socket = socket;
    this.#below = below;
    if (socket.closed) this.#closing = Promise.resolve();
    socket.on("data", (bytes: Buffer) => this.onData(bytes));
    socket.on("error", (cause) => below.abort(cause));
    socket.on("close", () => {
      this.#closing = below.close().catch((cause: Error) => below.abort(cause));
    });
    socket.on("drain", () => this.safeDispatchEvent("drain"));
    below.addEventListener("close", ({ error, local }) => {
      socket.destroy();
      if (!error) this.onTransportClosed();
      else if (local) this.abort(error);
      else this.onRemoteReset();
    });
  }

  async close(options?: AbortOptions): Promise<void> {
    if (!this.#closing) {
      const signal = options?.signal;
      await new Promise<void>((resolve, reject) => {
        const abort = () => reject(new DOMException("not closed in time", "AbortError"));
        signal?.addEventListener("abort", abort, { once: true });
        this.#socket.once("close", () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        });
        this.#socket.destroySoon();
      });
    }
    await this.#closing;
  }

  sendPause(): void {
    this.#socket.pause();
  }

  sendResume(): void {
    this.#socket.resume();
  }

  sendReset(cause: Error): void {
    this.#socket.destroy();
    // Ending the socket alone would close the connection below in order.
    this.#below.abort(cause);
  }

  sendData(data: Iterable<Uint8Array>): SendResult {
    let sentBytes = 0;
    for (const piece of data) {
      sentBytes += piece.byteLength;
      if (!this.#socket.write(piece)) return { sentBytes, canSendMore: false };
    }
    return { sentBytes, canSendMore: true };
  }
}

type Muxers = ReadonlyMap<string, StreamMuxerFactory>;

/** Channels of one node; a class because it has the certificate of the process. */
class TlsChannels implements ConnectionEncrypter {
  readonly protocol = PROTOCOL;
  readonly #components: TlsComponents;
  readonly #judge = new TlsJudge();
  readonly #identityOf: typeof createTlsIdentity;
  #context: Promise<SecureContext> | undefined;

  constructor(components: TlsComponents, identityOf: typeof createTlsIdentity) {
    this.#components = components;
    this.#identityOf = identityOf;
  }

  secureInbound(below: MessageStream, options?: SecureConnectionOptions) {
    return this.#secure(below, true, options);
  }

  secureOutbound(below: MessageStream, options?: SecureConnectionOptions) {
    return this.#secure(below, false, options);
  }

  async #secure(
    below: MessageStream,
    isServer: boolean,
    options: SecureConnectionOptions = {},
  ): Promise<SecuredConnection> {
    this.#context ??= this.#createContext();
    const secureContext = await this.#context;
    options.signal?.throwIfAborted();
    const { skipStreamMuxerNegotiation: skips = false } = options;
    const muxers: Muxers = skips ? new Map() : this.#components.upgrader.getStreamMuxers();
    const wire = new Wire(below);
    const terms = { secureContext, rejectUnauthorized: false };
    const socket = isServer
      ? new TLSSocket(wire, { ...terms, ...answering(muxers) })
      : connect({ socket: wire, ...terms, ALPNProtocols: [...muxers.keys(), NO_MUXER] });
    wire.on("error", (cause) => socket.emit("error", cause));
    await untilSecure(below, socket, options.signal);
    try {
      const secured = await this.#judged(below, socket, muxers);
      if (options.remotePeer?.equals(secured.remotePeer) === false) throw new UnexpectedPeerError();
      return secured;
    } catch (cause) {
      const fault = cause instanceof Error ? cause : new DOMException(String(cause), "AbortError");
      socket.destroy();
      below.abort(fault);
      throw fault;
    }
  }

  async #createContext(): Promise<SecureContext> {
    const identity = await this.#identityOf(this.#components.privateKey);
    return createSecureContext({ ...identity, minVersion: VERSION, maxVersion: VERSION });
  }

  async #judged(
    below: MessageStream,
    socket: TLSSocket,
    muxers: Muxers,
  ): Promise<SecuredConnection> {
    const remotePeer = await this.#judge.peerOf(onlyCertificate(socket), Date.now());
    const chosen = socket.alpnProtocol;
    const streamMuxer = typeof chosen === "string" ? muxers.get(chosen) : undefined;
    const connection = new SecureStream(below, socket);
    return { remotePeer, connection, ...(streamMuxer ? { streamMuxer } : {}) };
  }
}

/** In DER. What stands behind the first has no effect, and so is not to be there. */
function onlyCertificate(socket: TLSSocket): Uint8Array {
  // To be asked once: at the dialling end each time takes one off. The next one need be no issuer.
  const shown = socket.getPeerX509Certificate();
  if (!shown) throw new DOMException("the peer shows no certificate", "NotAllowedError");
  if (shown.issuerCertificate)
    throw new DOMException("the peer shows more than one certificate", "NotAllowedError");
  return shown.raw;
}

/** Asks for a certificate, and takes the first offer that is known here. */
function answering(muxers: Muxers): TLSSocketOptions {
  const isKnown = (name: string) => name === NO_MUXER || muxers.has(name);
  return {
    isServer: true,
    requestCert: true,
    ALPNCallback: ({ protocols }) => protocols.find(isKnown),
  };
}

/** Waits for the end of the handshake. What goes wrong in it ends the connection below. */
function untilSecure(below: MessageStream, socket: TLSSocket, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => {
      socket.destroy();
      below.abort(cause);
      reject(cause);
    };
    const giveUp = () => fail(new DOMException("Handshake timeout", "TimeoutError"));
    const close = () => fail(new DOMException("the connection was closed", "AbortError"));
    signal?.addEventListener("abort", giveUp, { once: true });
    // It stays: a socket whose faults nobody hears ends the process.
    socket.on("error", fail);
    socket.once("close", close);
    socket.once("secure", () => {
      signal?.removeEventListener("abort", giveUp);
      socket.off("close", close);
      resolve();
    });
  });
}

/** The encrypter `/tls/1.0.0` of libp2p. @param identityOf makes what a node shows */
export function tls(
  identityOf = createTlsIdentity,
): (components: TlsComponents) => ConnectionEncrypter {
  return (components) => new TlsChannels(components, identityOf);
}
