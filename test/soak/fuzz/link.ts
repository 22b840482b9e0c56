/**
 * A peer that speaks to a node's real link over a stream in memory: frames, certificate exchange,
 * parts. Only the socket and its encryption are missing.
 */
import "../../../runtimes/shared/p2p/polyfills.ts";
import { privateKeyFromRaw } from "@libp2p/crypto/keys";
import type { Connection, Stream } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { ByteWriter } from "../../../core/bytes/cursor.ts";
import type { GroupId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { CLASSES, type NetworkClass, perClass } from "../../../core/network/classes.ts";
import { FRAME, FrameReader, writeFrame } from "../../../core/network/frame.ts";
import {
  decodeHello,
  encodeHello,
  encodeProof,
  peerDigest,
  peerProtocol,
  PEER_VERSIONS,
} from "../../../core/network/handshake.ts";
import { writePart } from "../../../core/network/part.ts";
import {
  type LinkHost,
  type LinkSettings,
  PeerLink,
} from "../../../runtimes/shared/p2p/peer-link.ts";

const CONNECTION_BYTES = 65_536;

/** Both ends of a stream in memory; the node's end is what libp2p would give it. */
class MemoryStream extends EventTarget {
  readonly protocol: string;
  readonly writableNeedsDrain = false;
  status = "open";
  writeStatus = "writable";
  remoteWriteStatus = "writable";
  readonly #heard: (bytes: Uint8Array) => void;

  constructor(protocol: string, heard: (bytes: Uint8Array) => void) {
    super();
    this.protocol = protocol;
    this.#heard = heard;
  }

  send(bytes: Uint8Array): boolean {
    this.#heard(bytes);
    return true;
  }

  abort(): void {
    this.status = "aborted";
  }

  deliver(bytes: Uint8Array): void {
    const data = { subarray: () => bytes };
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
}

class MemoryConnection extends EventTarget {
  readonly direction = "inbound";
  readonly remoteAddr = multiaddr("/ip4/10.0.0.9/tcp/30300");
  readonly remotePeer;
  status = "open";

  constructor(remotePeer: ReturnType<typeof peerIdFromPrivateKey>) {
    super();
    this.remotePeer = remotePeer;
  }

  abort(): void {
    if (this.status !== "open") return;
    this.status = "aborted";
    this.dispatchEvent(new Event("close"));
  }
}

/** Who the peer is. */
export interface PeerIdentity {
  readonly privateKey: Uint8Array;
  /** Node certificate first. */
  readonly certificates: readonly Uint8Array[];
}

type PeerId = ReturnType<typeof peerIdFromPrivateKey>;

/** By identity: to work one out takes longer than many messages. */
const peerIds = new WeakMap<PeerIdentity, PeerId>();

function peerIdOf(identity: PeerIdentity): PeerId {
  const id = peerIds.get(identity) ?? peerIdFromPrivateKey(privateKeyFromRaw(identity.privateKey));
  peerIds.set(identity, id);
  return id;
}

/** What the peer reports: bytes behind the framing. */
export interface Saying {
  readonly kind: NetworkClass;
  readonly groupId: GroupId;
  readonly bytes: Uint8Array;
  readonly compressed: boolean;
}

/** The peer's end of one connection. */
export class FuzzPeer {
  readonly link: PeerLink;
  readonly #stream: MemoryStream;
  readonly #connection: MemoryConnection;
  readonly #identity: PeerIdentity;
  readonly #settings: Pick<LinkSettings, "chainId" | "peerId">;
  readonly #suite: CryptoSuite;
  readonly #frames = new FrameReader();
  readonly #sequences = perClass(() => 0);
  #answers: { readonly type: number; readonly payload: Uint8Array }[] = [];

  constructor(identity: PeerIdentity, settings: LinkSettings, host: LinkHost) {
    this.#identity = identity;
    this.#settings = settings;
    this.#suite = settings.suite;
    this.#connection = new MemoryConnection(peerIdOf(identity));
    const protocol = peerProtocol(PEER_VERSIONS[0]);
    this.#stream = new MemoryStream(protocol, (bytes) => this.#hear(bytes));
    const [stream, connection] = [this.#stream, this.#connection] as unknown[];
    this.link = new PeerLink(stream as Stream, connection as Connection, settings, host);
    this.link.begin();
  }

  /** Whether the node still reads. */
  get isOpen(): boolean {
    return this.#connection.status === "open" && !this.#answers.some(isEnd);
  }

  /** Raw bytes of the stream. */
  raw(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += CONNECTION_BYTES)
      this.#stream.deliver(bytes.slice(at, at + CONNECTION_BYTES));
  }

  frame(type: number, payload: Uint8Array): void {
    const writer = new ByteWriter();
    writeFrame(writer, type, payload);
    this.raw(writer.finish());
  }

  /** A message in its parts, with the next sequence number of its class. */
  say({ kind, groupId, bytes, compressed }: Saying): void {
    this.#sequences[kind] += 1;
    const sequence = this.#sequences[kind];
    const outgoing = { kind, groupId, bytes, compressed, sequence, sent: 0 };
    for (let isLast = false; !isLast; ) {
      const writer = new ByteWriter();
      isLast = writePart(writer, outgoing);
      this.raw(writer.finish());
    }
  }

  /** The exchange as an honest peer does it; each step may be bent on its way. */
  introduce(bend: (type: number, payload: Uint8Array) => Uint8Array = (_, same) => same): void {
    const nonce = new Uint8Array(32).fill(7);
    const { certificates, privateKey } = this.#identity;
    const { chainId, peerId } = this.#settings;
    const hello = { chainId, nonce, certificates, features: 1 };
    this.frame(FRAME.hello, bend(FRAME.hello, encodeHello(hello)));
    const answer = this.#answers.find(({ type }) => type === FRAME.hello);
    const theirs = answer && decodeHello(answer.payload);
    if (!theirs) return;
    const own = { peerId: this.#connection.remotePeer.toMultihash().bytes, nonce };
    const digest = peerDigest(this.#suite, chainId, own, { peerId, nonce: theirs.nonce });
    const proof = encodeProof(this.#suite.sign(digest, privateKey));
    this.frame(FRAME.proof, bend(FRAME.proof, proof));
  }

  /** The connection is gone. */
  close(): void {
    this.#connection.abort();
  }

  #hear(bytes: Uint8Array): void {
    if (this.link.isActive) return;
    this.#frames.push(bytes, (type, payload) => {
      this.#answers.push({ type, payload: payload.slice() });
      return true;
    });
  }
}

function isEnd({ type }: { readonly type: number }): boolean {
  return type === FRAME.refuse || type === FRAME.close;
}

/** Frames of an honest stream that carries one message, for mutation of the framing itself. */
export function framesOf(saying: Saying, sequence: number): Uint8Array {
  const writer = new ByteWriter();
  const outgoing = { ...saying, sequence, sent: 0 };
  while (!writePart(writer, outgoing));
  return writer.finish();
}

/** All classes, for a caller that counts by class. */
export const ALL_CLASSES: readonly NetworkClass[] = CLASSES;
