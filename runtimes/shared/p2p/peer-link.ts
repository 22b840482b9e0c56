/**
 * One connection to a peer: certificate exchange, then messages. Until the peer has proven who it
 * is, nothing but the exchange is answered. Source: node-network 1, 2, 9
 */
import type { Connection, Stream } from "@libp2p/interface";
import { ByteWriter } from "../../../core/bytes/cursor.ts";
import { nodeIdOf, toHex } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { OFFENCES_BEFORE_BAN } from "../../../core/network/admission.ts";
import { CLASS_LIMITS } from "../../../core/network/classes.ts";
import * as heartbeat from "../../../core/network/clock-skew.ts";
import { FRAME, FrameReader, writeFrame } from "../../../core/network/frame.ts";
import * as exchange from "../../../core/network/handshake.ts";
import { Outbox } from "../../../core/network/outbox.ts";
import { isCarried, PartAssembler, type WireMessage } from "../../../core/network/part.ts";
import { FEATURE_RELAY } from "../../../core/network/relay-list.ts";
import { count, type FrameFault, type P2pCounters } from "./counters.ts";
import { endpointOf } from "./endpoint.ts";
import { MessagePacker } from "./message-codec.ts";
import type { ChainVerdict, P2pOptions, P2pTiming } from "./p2p-options.ts";

/** Why a connection ended that nobody ended on purpose. */
export const LOST = "connection lost";

/** What all links of a node share. */
export interface LinkSettings
  extends Pick<P2pOptions, "chainId" | "suite" | "privateKey" | "certificates" | "verifyChain">,
    Pick<P2pOptions, "codec" | "bounds" | "clock" | "entropy" | "schedule">,
    Pick<P2pTiming, "handshakeMs" | "idleMs"> {
  /** Own identity in the channel. */
  readonly peerId: Uint8Array;
  /** Whether this node relays to members. */
  readonly relays: boolean;
  readonly counters: P2pCounters;
}

/** Whom a link reports to. */
export interface LinkHost {
  /** Why a peer with a valid certificate is not wanted. */
  refusal(link: PeerLink): exchange.Refusal | undefined;
  /** The peer has proven its ID: why it is not wanted after all, or undefined. */
  proven(link: PeerLink): exchange.Refusal | undefined;
  active(link: PeerLink): void;
  message(link: PeerLink, message: WireMessage): void;
  /** The clock of the peer differs too much now, or no longer does. */
  clockNews(link: PeerLink, news: "differs" | "agrees"): void;
  ended(link: PeerLink, ending: Ending): void;
}

/** How a link ended. */
export interface Ending {
  readonly reason: string;
  readonly detail?: string | undefined;
  /** Said to the peer before the connection is closed. */
  readonly refusal?: exchange.Refusal;
  /** Too many offences: the peer stays out for a while. */
  readonly offender?: boolean;
  /** The end is the node's own decision: the peer is told. */
  readonly orderly?: boolean;
}

type Phase = "hello" | "proof" | "welcome" | "active" | "closed";

/** Time for what was written last to leave before the connection is cut. */
const CLOSING_MS = 1_000;

/** How a session goes. */
interface Conduct {
  readonly heartbeats: heartbeat.Heartbeats;
  lastRead: number;
  /** Since when the peer takes nothing of what waits for it. */
  fullSince: number | undefined;
  offences: number;
  /** The turn in which a batch leaves is to come. */
  isAwaited: boolean;
}

/** One connection, silent until {@link PeerLink.begin}; a class because it owns a stream. */
export class PeerLink {
  readonly connection: Connection;
  readonly dialledBySelf: boolean;
  readonly version: exchange.PeerVersion;
  readonly endpoint: string;
  /** Set once the certificate is verified; proven once a session exists. */
  peer: Extract<ChainVerdict, { ok: true }> | undefined;
  /** Round trip of the last heartbeat. */
  rttMs: number | undefined;
  /** How far the peer's clock is ahead, as of the last heartbeat. */
  clockSkewMs: number | undefined;
  /** Steady time at which the link became active. */
  activeSince: number | undefined;
  /** Resolves when an ended link's connection is closed. */
  closing: Promise<void> = Promise.resolve();

  readonly #stream: Stream;
  readonly #settings: LinkSettings;
  readonly #host: LinkHost;
  readonly #frames = new FrameReader();
  readonly #parts = new PartAssembler();
  readonly #outbox: Outbox;
  readonly #nonce: Uint8Array;
  readonly #conduct: Conduct;
  #packer: MessagePacker | undefined;
  #peerHello: exchange.Hello | undefined;
  #phase: Phase = "hello";
  #cancelTimeout: () => void;

  constructor(stream: Stream, connection: Connection, settings: LinkSettings, host: LinkHost) {
    this.connection = connection;
    this.dialledBySelf = connection.direction === "outbound";
    this.version = exchange.versionOf(stream.protocol) ?? exchange.PEER_VERSIONS[1];
    this.endpoint = endpointOf(connection.remoteAddr);
    this.#stream = stream;
    this.#settings = settings;
    this.#host = host;
    this.#outbox = new Outbox(settings.bounds);
    this.#nonce = settings.entropy.bytes(exchange.NONCE_BYTES);
    const heartbeats = new heartbeat.Heartbeats();
    const lastRead = settings.clock.steady();
    this.#conduct = { heartbeats, lastRead, fullSince: undefined, offences: 0, isAwaited: false };
    this.#cancelTimeout = settings.clock.after(settings.handshakeMs, () =>
      this.end({ reason: "handshake timed out" }),
    );
  }

  /** Begins the exchange; the host is told at once when the connection is lost already. */
  begin(): void {
    const { connection } = this;
    const stream = this.#stream;
    const lost = () => this.end({ reason: LOST });
    // Who was cut off before it listened learns of no event any more.
    const isOpen = stream.status === "open" && stream.remoteWriteStatus === "writable";
    if (!isOpen || connection.status !== "open") return lost();
    stream.addEventListener("close", lost);
    stream.addEventListener("remoteCloseWrite", lost);
    connection.addEventListener("close", lost);
    stream.addEventListener("drain", () => this.#drained());
    if (this.dialledBySelf) this.#sendHello();
    if (this.#isClosed()) return;
    // Last, because frames that came early are delivered to the first listener.
    stream.addEventListener("message", ({ data }) => this.#receive(data.subarray()));
  }

  get isActive(): boolean {
    return this.#phase === "active";
  }

  /** Whether the peer relays to members. */
  get relays(): boolean {
    return this.#peerHas(FEATURE_RELAY);
  }

  #peerHas(feature: number): boolean {
    return ((this.#peerHello?.features ?? 0) & feature) !== 0;
  }

  /** Queues a message; it leaves in a later turn. */
  send(message: Omit<WireMessage, "compressed">): void {
    if (!this.isActive) return;
    const { counters } = this.#settings;
    const { kind, groupId, bytes } = message;
    if (!isCarried(kind, groupId, bytes.length)) {
      counters.dropped[kind] += 1;
      return;
    }
    counters.sent[kind].messages += 1;
    counters.sent[kind].bytes += bytes.length;
    const packed = this.#packer?.pack(kind, bytes);
    const compressed = packed !== undefined;
    const wire = { kind, groupId, bytes: packed ?? bytes, compressed };
    counters.dropped[kind] += this.#outbox.put(wire);
    this.#wake();
  }

  /**
   * A heartbeat: ends a session whose peer says nothing or reads nothing, forgives an offence.
   * Source: node-network 2
   */
  beat(): void {
    if (!this.isActive) return;
    const now = this.#settings.clock.steady();
    const conduct = this.#conduct;
    if (this.#stream.writableNeedsDrain) conduct.fullSince ??= now;
    const quietSince = Math.min(conduct.lastRead, conduct.fullSince ?? now);
    if (now - quietSince > this.#settings.idleMs) {
      this.end({ reason: "idle" });
      return;
    }
    conduct.offences = Math.max(0, conduct.offences - 1);
    this.#sendFrame(FRAME.ping, conduct.heartbeats.ping(now));
  }

  /** Counts what no honest peer sends; too much of it ends the session. */
  offend(fault: FrameFault): void {
    count(this.#settings.counters.rejected, fault);
    this.#conduct.offences += 1;
    if (this.#conduct.offences >= OFFENCES_BEFORE_BAN)
      this.end({ reason: "offences", offender: true });
  }

  /** Ends the link, once. */
  end(ending: Ending): void {
    if (this.#phase === "closed") return;
    const { refusal, orderly } = ending;
    if (refusal) this.#sendFrame(FRAME.refuse, this.#refusalOf(refusal));
    if (orderly) this.#sendFrame(FRAME.close, new Uint8Array());
    this.#phase = "closed";
    this.#cancelTimeout();
    if (refusal || orderly) this.#closeGently();
    else this.#cut();
    this.#host.ended(this, ending);
  }

  /** The peer cuts the connection when it has read the last frame; libp2p's close may lose it. */
  #closeGently(): void {
    this.closing = new Promise((resume) => {
      const cancel = this.#settings.clock.after(CLOSING_MS, () => this.#cut());
      this.connection.addEventListener("close", () => {
        cancel();
        resume();
      });
      if (this.connection.status !== "open") resume();
    });
  }

  #cut(): void {
    this.connection.abort(new DOMException("the session ended", "AbortError"));
  }

  #refuse(refusal: exchange.Refusal, detail?: string): false {
    this.end({ reason: refusal, refusal, detail });
    return false;
  }

  /** Certificates have dates: who is refused hears by which clock they were judged. */
  #refusalOf(refusal: exchange.Refusal): Uint8Array {
    const isDated = refusal === "no valid certificate";
    return exchange.encodeRefusal(refusal, isDated ? this.#settings.clock.now() : undefined);
  }

  #takeRefusal(payload: Uint8Array): void {
    const theirs = exchange.refusalTime(payload);
    const far = theirs === undefined ? undefined : theirs - this.#settings.clock.now();
    const clock = far === undefined ? undefined : heartbeat.skewText(far);
    const reason = exchange.decodeRefusal(payload);
    const detail = clock === undefined ? reason : `${reason}; ${clock}`;
    this.end({ reason: "refused by the peer", detail });
  }

  #sendFrame(type: number, payload: Uint8Array): void {
    const writer = new ByteWriter(payload.length + 8);
    writeFrame(writer, type, payload);
    this.#write(writer.finish());
  }

  #write(bytes: Uint8Array): void {
    try {
      this.#settings.counters.bytesOut += bytes.length;
      this.#stream.send(bytes);
    } catch {
      this.end({ reason: LOST });
    }
  }

  #drained(): void {
    this.#conduct.fullSince = undefined;
    this.#wake();
  }

  #wake(): void {
    if (this.#conduct.isAwaited) return;
    this.#conduct.isAwaited = true;
    this.#settings.schedule(() => this.#pump());
  }

  /** One batch a turn, while the stream takes more. */
  #pump(): void {
    this.#conduct.isAwaited = false;
    if (!this.isActive || this.#stream.writableNeedsDrain) return;
    const batch = this.#outbox.batch();
    if (!batch) return;
    this.#write(batch);
    if (!this.#outbox.isEmpty()) this.#wake();
  }

  /** Nothing that a peer sends ends the process, whatever is wrong with who takes it. */
  #receive(data: Uint8Array): void {
    try {
      this.#read(data);
    } catch (error) {
      this.end({ reason: "internal error", detail: `${error}` });
    }
  }

  #read(data: Uint8Array): void {
    if (this.#phase === "closed") {
      this.#readLast(data);
      return;
    }
    this.#settings.counters.bytesIn += data.length;
    this.#conduct.lastRead = this.#settings.clock.steady();
    // A Buffer's methods differ from those of the plain array that codecs expect.
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const isWhole = this.#frames.push(bytes, (type, payload) => {
      if (this.isActive) this.#takeFrame(type, payload);
      else this.#takeExchange(type, payload);
      return this.#phase !== "closed";
    });
    if (isWhole) return;
    if (!this.#isClosed()) count(this.#settings.counters.rejected, "malformed");
    this.end({ reason: "malformed frame", offender: this.isActive });
  }

  /** While the last frame is under way: two ends that close at once need not wait. */
  #readLast(data: Uint8Array): void {
    const isEnd = (type: number) => type === FRAME.close || type === FRAME.refuse;
    if (!this.#frames.push(data, (type) => !isEnd(type))) this.#cut();
  }

  #isClosed(): boolean {
    return this.#phase === "closed";
  }

  #takeFrame(type: number, payload: Uint8Array): void {
    if (type === FRAME.part) this.#takePart(payload);
    else if (type === FRAME.ping && payload.length === heartbeat.PING_BYTES) {
      const now = this.#peerHas(heartbeat.FEATURE_CLOCK) ? this.#settings.clock.now() : undefined;
      // A peer that does not read gets no answers either.
      if (!this.#stream.writableNeedsDrain)
        this.#sendFrame(FRAME.pong, heartbeat.encodePong(payload, now));
    } else if (type === FRAME.pong) this.#takePong(heartbeat.decodePong(payload));
    else if (type === FRAME.close) this.end({ reason: "closed by the peer" });
    else this.offend("malformed");
  }

  #takePong(pong: heartbeat.Pong | undefined): void {
    if (!pong) return this.offend("malformed");
    if (!this.#conduct.heartbeats.answers(pong)) return this.offend("replayed");
    const { clock, idleMs } = this.#settings;
    const rttMs = clock.steady() - pong.sentAt;
    if (rttMs < 0 || rttMs >= idleMs) return;
    this.rttMs = rttMs;
    if (pong.wallMs === undefined) return;
    const before = this.clockSkewMs;
    this.clockSkewMs = heartbeat.clockSkewMs({ nowMs: clock.now(), rttMs }, pong.wallMs);
    const news = heartbeat.skewNews(before, this.clockSkewMs);
    if (news) this.#host.clockNews(this, news);
  }

  #takePart(payload: Uint8Array): void {
    const outcome = this.#parts.accept(payload);
    if (outcome.type === "partial") return;
    if (outcome.type === "rejected") {
      this.offend(outcome.reason);
      return;
    }
    const message = this.#unpack(outcome.message);
    if (!message) return;
    const received = this.#settings.counters.received[message.kind];
    received.messages += 1;
    received.bytes += message.bytes.length;
    this.#host.message(this, message);
  }

  #unpack(message: WireMessage): WireMessage | undefined {
    if (!message.compressed) return message;
    const limit = CLASS_LIMITS[message.kind].messageBytes;
    const now = this.#settings.clock.steady();
    const bytes = this.#packer?.unpack(message.bytes, limit, now);
    if (!bytes) this.offend("malformed");
    return bytes && { ...message, compressed: false, bytes };
  }

  #sendHello(): void {
    const { chainId, certificates, codec, relays } = this.#settings;
    const compression = codec ? exchange.FEATURE_COMPRESSION : 0;
    const features = compression | heartbeat.FEATURE_CLOCK | (relays ? FEATURE_RELAY : 0);
    const hello = { chainId, nonce: this.#nonce, certificates, features };
    this.#sendFrame(FRAME.hello, exchange.encodeHello(hello));
  }

  #sendProof(): void {
    const { suite, privateKey } = this.#settings;
    const signature = suite.sign(this.#digest(), privateKey);
    this.#sendFrame(FRAME.proof, exchange.encodeProof(signature));
  }

  #digest(): Uint8Array {
    const { suite, chainId, peerId } = this.#settings;
    const own = { peerId, nonce: this.#nonce };
    const other = {
      peerId: this.connection.remotePeer.toMultihash().bytes,
      nonce: this.#peerHello?.nonce ?? new Uint8Array(),
    };
    return this.dialledBySelf
      ? exchange.peerDigest(suite, chainId, own, other)
      : exchange.peerDigest(suite, chainId, other, own);
  }

  #takeExchange(type: number, payload: Uint8Array): void {
    if (type === FRAME.refuse) {
      this.#takeRefusal(payload);
    } else if (type === FRAME.hello && this.#phase === "hello") this.#takeHello(payload);
    else if (type === FRAME.proof && this.#phase === "proof") this.#takeProof(payload);
    else if (type === FRAME.welcome && this.#phase === "welcome") this.#activate();
    else {
      count(this.#settings.counters.rejected, "unauthorised");
      this.#refuse("malformed handshake", `frame of type ${type}`);
    }
  }

  #takeHello(payload: Uint8Array): void {
    const hello = exchange.decodeHello(payload);
    if (!hello) {
      count(this.#settings.counters.rejected, "malformed");
      this.#refuse("malformed handshake", "hello");
      return;
    }
    if (!this.#isAcceptable(hello)) return;
    this.#peerHello = hello;
    const { codec } = this.#settings;
    if (codec && this.#peerHas(exchange.FEATURE_COMPRESSION))
      this.#packer = new MessagePacker(codec);
    this.#phase = "proof";
    if (this.dialledBySelf) return;
    this.#sendHello();
    this.#sendProof();
  }

  #isAcceptable(hello: exchange.Hello): boolean {
    const { chainId, suite, verifyChain, clock } = this.#settings;
    if (hello.chainId !== chainId) return this.#refuse("other chain", `chain ${hello.chainId}`);
    const verdict = verifyChain(hello.certificates, clock.now());
    if (!verdict.ok) return this.#refuse("no valid certificate", verdict.reason);
    this.peer = verdict;
    // Channels of a national chain have keys of their own.
    if (suite.name === "standard" && !this.#holdsChannelKey(verdict.nodeId))
      return this.#refuse("key does not match", "certificate and channel have different keys");
    const refusal = this.#host.refusal(this);
    return refusal ? this.#refuse(refusal) : true;
  }

  /** Whether the peer's key in the channel is the public key that its ID spells. */
  #holdsChannelKey(nodeId: NodeId): boolean {
    const key = this.connection.remotePeer.publicKey;
    if (key?.type !== "secp256k1") return false;
    const isOdd = Number.parseInt(nodeId.slice(-1), 16) % 2 === 1;
    return toHex(key.raw) === `${isOdd ? "03" : "02"}${nodeId.slice(0, 64)}`;
  }

  #takeProof(payload: Uint8Array): void {
    const signature = exchange.decodeProof(payload);
    const signer = signature && this.#settings.suite.recover(this.#digest(), signature);
    if (!signer || !this.peer || nodeIdOf(signer) !== this.peer.nodeId) {
      this.#refuse("key does not match", "the proof is not signed by the certificate's key");
      return;
    }
    const refusal = this.#host.proven(this);
    if (refusal) {
      this.#refuse(refusal);
      return;
    }
    if (this.dialledBySelf) {
      this.#phase = "welcome";
      this.#sendProof();
      return;
    }
    this.#sendFrame(FRAME.welcome, new Uint8Array());
    this.#activate();
  }

  #activate(): void {
    if (this.#isClosed()) return;
    this.#cancelTimeout();
    this.#phase = "active";
    this.activeSince = this.#settings.clock.steady();
    this.#host.active(this);
    // The first heartbeat at once: it measures the connection and the peer's clock.
    this.beat();
  }
}
