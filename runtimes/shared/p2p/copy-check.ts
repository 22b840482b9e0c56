/**
 * Asks an endpoint that has this node's own key whether it is this process. libp2p joins no two
 * nodes with one key, so the question is put under a key of its own. Source: decision 25
 */
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import type { Multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { equalBytes } from "../../../core/bytes/bytes.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import {
  COPY_NONCE_BYTES,
  COPY_VERSIONS,
  type CopyChannel,
  type CopyClaim,
  type CopyContext,
  type CopyVersion,
  copyProtocol,
  copyVersionOf,
  decodeCopyClaim,
  encodeCopyClaim,
  MAX_COPY_MESSAGE_BYTES,
} from "../../../core/network/copy-proof.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import { ConnectionWatch } from "./connection-watch.ts";
import type { P2pTransports } from "./p2p-options.ts";

/** How long either side of the question waits for the other. */
const LIMIT_MS = 5_000;

/** What both sides of the question need. */
export interface CopyCheckOptions {
  readonly self: NodeId;
  readonly suite: CryptoSuite;
  readonly chainId: number;
  readonly privateKey: Uint8Array;
  readonly entropy: Entropy;
  readonly transports: P2pTransports;
  uptimeMs(): number;
}

/** How long the two processes have run, each by its claim in one question. */
export interface CopyAges {
  readonly ownMs: number;
  readonly otherMs: number;
}

/** A stream of the question, with what the proofs on it are about. */
interface Talk {
  readonly stream: Stream;
  readonly version: CopyVersion;
  readonly channel: CopyChannel;
}

/** Asks and answers; a class because it has the tag of its process. */
export class CopyCheck {
  readonly #options: CopyCheckOptions;
  readonly #tag: Uint8Array;

  constructor(options: CopyCheckOptions) {
    this.#options = options;
    this.#tag = options.entropy.bytes(COPY_NONCE_BYTES);
  }

  /**
   * How long this process and the one at an address have run; "self" when it is this one, undefined
   * when it does not prove the key.
   */
  async ask(address: Multiaddr): Promise<CopyAges | "self" | undefined> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const watch = new ConnectionWatch();
    const { transports, connectionEncrypters } = this.#options.transports;
    const libp2p = await createLibp2p({
      transports: watch.over(transports),
      connectionEncrypters,
      privateKey: await generateKeyPair("secp256k1"),
      addresses: { listen: [] },
      streamMuxers: [watch.muxer(yamux())],
    });
    try {
      const connection = await libp2p.dial(address, { signal });
      const stream = await connection.newStream(COPY_VERSIONS.map(copyProtocol), { signal });
      return await this.#askOver(talkOver(stream, connection, libp2p.peerId), signal);
    } finally {
      await libp2p.stop();
    }
  }

  async #askOver(talk: Talk, signal: AbortSignal): Promise<CopyAges | "self" | undefined> {
    const line = lpStream(talk.stream, { maxDataLength: MAX_COPY_MESSAGE_BYTES });
    const challenge = (await line.read({ signal })).slice();
    if (challenge.length !== COPY_NONCE_BYTES) return undefined;
    const own = this.#claim();
    await line.write(this.#encode(own, this.#context(talk, challenge, true)), { signal });
    const answer = (await line.read({ signal })).slice();
    const theirs = decodeCopyClaim(answer, this.#context(talk, own.nonce, false));
    const found = theirs && this.#verdict(own, theirs);
    // This process speaks the newest version: in an older one somebody passes on its words.
    return found === "self" && talk.version !== COPY_VERSIONS[0] ? undefined : found;
  }

  /**
   * Answers a question; who does not prove the key hears a random number only.
   * @param self this node in its channels
   */
  async answer(
    stream: Stream,
    connection: Connection,
    self: PeerId,
  ): Promise<CopyAges | "self" | undefined> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const talk = talkOver(stream, connection, self);
    const line = lpStream(stream, { maxDataLength: MAX_COPY_MESSAGE_BYTES });
    const own = this.#claim();
    await line.write(own.nonce, { signal });
    const question = (await line.read({ signal })).slice();
    const theirs = decodeCopyClaim(question, this.#context(talk, own.nonce, true));
    if (!theirs) {
      stream.abort(new DOMException("not this node's key", "NotAllowedError"));
      return undefined;
    }
    const answer = this.#encode(own, this.#context(talk, theirs.nonce, false));
    // The claim is proven: who hangs up before or while it is answered has been met all the same.
    await line.write(answer, { signal }).catch(() => undefined);
    return this.#verdict(own, theirs);
  }

  #claim(): CopyClaim {
    const nonce = this.#options.entropy.bytes(COPY_NONCE_BYTES);
    return { nonce, tag: this.#tag, uptimeMs: Math.floor(this.#options.uptimeMs()) };
  }

  #context({ version, channel }: Talk, challenge: Uint8Array, isDialler: boolean): CopyContext {
    const { suite, chainId, self } = this.#options;
    return { version, channel, suite, chainId, self, challenge, isDialler };
  }

  #encode(claim: CopyClaim, context: CopyContext): Uint8Array {
    return encodeCopyClaim(claim, context, this.#options.privateKey);
  }

  /** Both ends judge by the same two claims: by its own clock each could take itself for older. */
  #verdict(own: CopyClaim, theirs: CopyClaim): CopyAges | "self" {
    if (equalBytes(theirs.tag, this.#tag)) return "self";
    return { ownMs: own.uptimeMs, otherMs: theirs.uptimeMs };
  }
}

function talkOver(stream: Stream, { direction, remotePeer }: Connection, self: PeerId): Talk {
  const own = self.toMultihash().bytes;
  const other = remotePeer.toMultihash().bytes;
  const isDialler = direction === "outbound";
  const channel = isDialler ? { dialler: own, acceptor: other } : { dialler: other, acceptor: own };
  return { stream, version: copyVersionOf(stream.protocol) ?? 1, channel };
}
