/**
 * Asks an endpoint that has this node's own key whether it is this process. libp2p joins no two
 * nodes with one key, so the question is put under a key of its own.
 * Source: spec README decision 25
 */
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import type { Multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { equalBytes } from "../../../core/bytes/bytes.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import {
  COPY_NONCE_BYTES,
  COPY_PROTOCOL,
  type CopyClaim,
  type CopyContext,
  decodeCopyClaim,
  encodeCopyClaim,
  MAX_COPY_MESSAGE_BYTES,
} from "../../../core/network/copy-proof.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import { WatchedMuxers } from "./frame-watch.ts";
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

/** Asks and answers; a class because it has the tag of its process. */
export class CopyCheck {
  readonly #options: CopyCheckOptions;
  readonly #tag: Uint8Array;

  constructor(options: CopyCheckOptions) {
    this.#options = options;
    this.#tag = options.entropy.bytes(COPY_NONCE_BYTES);
  }

  /**
   * How long the process at an address has run; "self" when it is this one, undefined when it does
   * not prove the key.
   */
  async ask(address: Multiaddr): Promise<number | "self" | undefined> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const libp2p = await createLibp2p({
      ...this.#options.transports,
      privateKey: await generateKeyPair("secp256k1"),
      addresses: { listen: [] },
      streamMuxers: [new WatchedMuxers().over(yamux())],
    });
    try {
      const stream = await libp2p.dialProtocol(address, COPY_PROTOCOL, { signal });
      return await this.#askOver(stream, signal);
    } finally {
      await libp2p.stop();
    }
  }

  async #askOver(stream: Stream, signal: AbortSignal): Promise<number | "self" | undefined> {
    const talk = lpStream(stream, { maxDataLength: MAX_COPY_MESSAGE_BYTES });
    const challenge = (await talk.read({ signal })).slice();
    if (challenge.length !== COPY_NONCE_BYTES) return undefined;
    const own = this.#claim();
    await talk.write(this.#encode(own, this.#context(challenge, true)), { signal });
    const answer = (await talk.read({ signal })).slice();
    const theirs = decodeCopyClaim(answer, this.#context(own.nonce, false));
    return theirs && this.#verdict(theirs);
  }

  /** Answers a question; who does not prove the key hears a random number only. */
  async answer(stream: Stream): Promise<number | "self" | undefined> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const talk = lpStream(stream, { maxDataLength: MAX_COPY_MESSAGE_BYTES });
    const own = this.#claim();
    await talk.write(own.nonce, { signal });
    const question = (await talk.read({ signal })).slice();
    const theirs = decodeCopyClaim(question, this.#context(own.nonce, true));
    if (!theirs) {
      stream.abort(new DOMException("not this node's key", "NotAllowedError"));
      return undefined;
    }
    await talk.write(this.#encode(own, this.#context(theirs.nonce, false)), { signal });
    return this.#verdict(theirs);
  }

  #claim(): CopyClaim {
    const nonce = this.#options.entropy.bytes(COPY_NONCE_BYTES);
    return { nonce, tag: this.#tag, uptimeMs: Math.floor(this.#options.uptimeMs()) };
  }

  #context(challenge: Uint8Array, isDialler: boolean): CopyContext {
    const { suite, chainId, self } = this.#options;
    return { suite, chainId, self, challenge, isDialler };
  }

  #encode(claim: CopyClaim, context: CopyContext): Uint8Array {
    return encodeCopyClaim(claim, context, this.#options.privateKey);
  }

  #verdict({ tag, uptimeMs }: CopyClaim): number | "self" {
    return equalBytes(tag, this.#tag) ? "self" : uptimeMs;
  }
}
