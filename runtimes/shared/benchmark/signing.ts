/** Makes signed transactions, as cheaply as can be. Source: tx-block-codec 2; benchmark 3 */
import { bigintOfBytes } from "../../../core/bytes/bytes.ts";
import { EMPTY_BYTES } from "../../../core/bytes/bytes.ts";
import { readAddress } from "../../../core/bytes/quantity.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { webEntropy } from "../platform/web-platform.ts";

/** A key and its address. */
export interface Signer {
  readonly key: Uint8Array;
  readonly address: string;
}

/** A signed transaction. */
export interface SignedBytes {
  readonly raw: Uint8Array;
  /** `0x` and 64 digits. */
  readonly hash: string;
}

/** Where transactions are valid. */
export interface SigningPlace {
  readonly suite: CryptoSuite;
  readonly chainId: bigint;
  readonly groupId: number;
}

/** How far above the height a transaction may be written. Source: benchmark 3 */
export const BLOCK_LIMIT_AHEAD = 500;
/** Random bytes in front of a counter: no two workers draw the same. */
const RANDOM_BYTES = 24;
const COUNTER_BITS = 48n;
const GAS_PRICE = 1n;
const GAS = 300_000_000n;

/** Signs for accounts in turn. */
export class TransactionMaker {
  readonly #chain: SigningPlace;
  readonly #signers: readonly Signer[];
  readonly #groupId: bigint;
  readonly #addresses = new Map<string, Address | null>();
  #nonce = bigintOfBytes(webEntropy.bytes(RANDOM_BYTES)) << COUNTER_BITS;
  #turn = 0;

  constructor(chain: SigningPlace, signers: readonly Signer[], firstTurn = 0) {
    this.#chain = chain;
    this.#signers = signers;
    this.#groupId = BigInt(chain.groupId);
    this.#turn = firstTurn;
  }

  /** The same accounts on another chain or group. */
  on(chain: SigningPlace): TransactionMaker {
    return new TransactionMaker(chain, this.#signers, this.#turn);
  }

  /** Who signs first. */
  get first(): Signer | undefined {
    return this.#signers[0];
  }

  /** A transaction to a contract; to null it creates one. */
  make(to: string | null, input: Uint8Array, height: number): SignedBytes {
    const signer = this.#signers[this.#turn++ % this.#signers.length];
    const fields = {
      nonce: ++this.#nonce,
      gasPrice: GAS_PRICE,
      gas: GAS,
      blockLimit: BigInt(height + BLOCK_LIMIT_AHEAD),
      to: to === null ? null : this.#address(to),
      value: 0n,
      input,
      chainId: this.#chain.chainId,
      groupId: this.#groupId,
      extraData: EMPTY_BYTES,
    };
    const { suite } = this.#chain;
    return signTransaction(fields, signer?.key ?? EMPTY_BYTES, suite);
  }

  #address(text: string): Address | null {
    const known = this.#addresses.get(text);
    if (known !== undefined) return known;
    const address = readAddress(text) ?? null;
    this.#addresses.set(text, address);
    return address;
  }
}
