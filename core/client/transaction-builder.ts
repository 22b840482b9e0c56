/** Makes signed transactions. Source: tx-block-codec 2 */
import { bigintOfBytes } from "../bytes/bytes.ts";
import { fromHex, hashOf } from "../bytes/hex.ts";
import { readAddress } from "../bytes/quantity.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { encodeTransaction, signingDigest, type TransactionFields } from "../model/transaction.ts";
import type { Entropy } from "../ports/entropy.ts";
import { type Account, hexOf } from "./account.ts";
import { UsageFault } from "./client-fault.ts";
import type { Hex } from "./rpc-objects.ts";

/** What a transaction is to do. */
export interface TransactionRequest {
  /** The contract; absent or null to create one. */
  readonly to?: Hex | null;
  /** Call data, or creation code with the arguments behind it. */
  readonly data?: Hex;
  /** The last block that may hold it; 500 above the head when absent. */
  readonly blockLimit?: number | bigint;
  /** The random number that makes it unique; drawn when absent. */
  readonly nonce?: bigint;
  /** Kept with the transaction, read by nobody. */
  readonly extraData?: Hex;
  /** What the contract is reported as CALLVALUE; nothing is transferred. Source: execution 4 */
  readonly value?: bigint;
}

/** What a transaction is made for. */
export interface TransactionPlace {
  readonly chainId: bigint;
  readonly groupId: number;
  readonly blockLimit: bigint;
}

/** A transaction that can be handed in, again and again: a group executes it once. */
export interface PreparedTransaction {
  /** The signed bytes. */
  readonly raw: Hex;
  readonly hash: Hex;
  readonly from: Hex;
  /** The last block that may hold it. */
  readonly blockLimit: bigint;
}

/** What is put into fields that no node reads. */
const GAS_PRICE = 1n;
const GAS = 300_000_000n;
/** The largest word. */
const MOST_VALUE = 2n ** 256n - 1n;
/** Random bytes of a nonce: one less than fits, so that it is never the refused 2^256 - 1. */
const NONCE_BYTES = 31;

/** Bytes of a text that the caller gave. @throws UsageFault */
export function givenBytes(name: string, text: string): Uint8Array {
  const bytes = text.startsWith("0x") ? fromHex(text) : undefined;
  if (bytes === undefined) throw new UsageFault(`${name}: 0x and pairs of digits are expected`);
  return bytes;
}

function fieldsOf(
  request: TransactionRequest,
  place: TransactionPlace,
  entropy: Entropy,
): TransactionFields {
  const { to, data, nonce, extraData, value = 0n } = request;
  const receiver = to === undefined || to === null ? null : readAddress(to);
  if (receiver === undefined) throw new UsageFault(`to: ${to} is no address`);
  if (value < 0n || value > MOST_VALUE) throw new UsageFault(`value: ${value} is no uint256`);
  return {
    nonce: nonce ?? bigintOfBytes(entropy.bytes(NONCE_BYTES), 0, NONCE_BYTES),
    gasPrice: GAS_PRICE,
    gas: GAS,
    blockLimit: place.blockLimit,
    to: receiver,
    value,
    input: givenBytes("data", data ?? "0x"),
    chainId: place.chainId,
    groupId: BigInt(place.groupId),
    extraData: givenBytes("extraData", extraData ?? "0x"),
  };
}

/**
 * Signs a transaction.
 *
 * @throws UsageFault for a bad request, or an account of the other suite
 * Source: tx-block-codec 2.3
 */
export async function prepareTransaction(
  request: TransactionRequest,
  place: TransactionPlace,
  { account, suite, entropy }: { account: Account; suite: CryptoSuite; entropy: Entropy },
): Promise<PreparedTransaction> {
  if (account.suite !== suite.name) {
    throw new UsageFault(`an account of the ${account.suite} suite signs for no ${suite.name} one`);
  }
  const fields = fieldsOf(request, place, entropy);
  // Of the right length, to find out what has to be signed.
  const placeholder = new Uint8Array(suite.signatureBytes).fill(1);
  const digest = signingDigest(encodeTransaction(fields, placeholder), suite);
  const signature = await account.sign(digest);
  if (signature.length !== suite.signatureBytes) {
    throw new UsageFault(`a signature has ${suite.signatureBytes} bytes, not ${signature.length}`);
  }
  const raw = encodeTransaction(fields, signature);
  const hash = hashOf(suite.hash(raw)) as string as Hex;
  return { raw: hexOf(raw), hash, from: account.address, blockLimit: place.blockLimit };
}
