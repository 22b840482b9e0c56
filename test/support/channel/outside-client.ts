/**
 * What a client of another make computes for itself: transactions, hashes, proofs, blooms. Shares
 * nothing with the product, so that both can be compared.
 *
 * Source: tx-block-codec 2, 4, 5, 6, 8
 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

/** Bytes, a natural number, or a list of such. */
export type Item = Uint8Array | bigint | readonly Item[];

/** Bytes of 0x and digits, or of digits. */
export function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replace(/^0x/, ""), "hex"));
}

/** Digits without 0x. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Keccak-256. */
export function hash(...parts: readonly Uint8Array[]): Uint8Array {
  return keccak_256(Buffer.concat(parts));
}

function minimalBytes(value: bigint): Uint8Array {
  const digits = value === 0n ? "" : value.toString(16);
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

function prefixed(body: Uint8Array, base: number): Uint8Array {
  if (body.length < 56) return Buffer.concat([Uint8Array.of(base + body.length), body]);
  const length = minimalBytes(BigInt(body.length));
  return Buffer.concat([Uint8Array.of(base + 55 + length.length), length, body]);
}

/** RLP. */
export function rlp(item: Item): Uint8Array {
  if (typeof item === "bigint") return rlp(minimalBytes(item));
  if (!(item instanceof Uint8Array)) return prefixed(Buffer.concat(item.map(rlp)), 0xc0);
  return item.length === 1 && (item[0] ?? 0) < 0x80 ? item : prefixed(item, 0x80);
}

/** One 32-byte word of call data: a number, or hexadecimal text aligned to the right. */
export function word(value: bigint | number | string): string {
  const digits = typeof value === "string" ? value.replace(/^0x/, "") : value.toString(16);
  return digits.padStart(64, "0");
}

/** Call data: the selector of a signature such as `transfer(address,uint256)`, then words. */
export function callData(signature: string, ...words: readonly string[]): string {
  return `0x${toHex(hash(Buffer.from(signature))).slice(0, 8)}${words.join("")}`;
}

/** Call data of a function whose only parameter is a text. */
export function textCallData(signature: string, text: string): string {
  const bytes = Buffer.from(text, "utf8");
  const padded = Buffer.alloc(Math.ceil(bytes.length / 32) * 32);
  bytes.copy(padded);
  return callData(signature, word(32), word(bytes.length), padded.toString("hex"));
}

/** The text that an ABI value `string` holds, after an optional selector of 4 bytes. */
export function abiText(output: string): string {
  const bytes = fromHex(output);
  const body = Buffer.from(bytes.length % 32 === 4 ? bytes.subarray(4) : bytes);
  const length = Number(BigInt(`0x${body.subarray(32, 64).toString("hex")}`));
  return body.subarray(64, 64 + length).toString("utf8");
}

/** What a transaction says. */
export interface Wanted {
  /** 0x and 64 digits. */
  readonly privateKey: string;
  readonly nonce: bigint;
  readonly blockLimit: bigint;
  /** Absent for a creation. */
  readonly to?: string;
  readonly data: string;
  /** 1 when absent. */
  readonly gasPrice?: bigint;
  /** 30,000,000 when absent. */
  readonly gas?: bigint;
  /** 1 when absent. */
  readonly chainId?: bigint;
  /** 1 when absent. */
  readonly groupId?: bigint;
  /** Nothing when absent. */
  readonly extraData?: Uint8Array;
}

/** A signed transaction. */
export interface Signed {
  /** With 0x, for sendRawTransaction. */
  readonly raw: string;
  /** With 0x. */
  readonly hash: string;
}

/** Signs, for chain 1 and group 1 where nothing else is reported. Source: tx-block-codec 2 */
export function sign(wanted: Wanted): Signed {
  const { nonce, gasPrice = 1n, gas = 30_000_000n, blockLimit, to, data } = wanted;
  const { chainId = 1n, groupId = 1n, extraData = new Uint8Array(0) } = wanted;
  const receiver = to === undefined ? new Uint8Array(0) : fromHex(to);
  const fields: Item[] = [nonce, gasPrice, gas, blockLimit, receiver, 0n, fromHex(data)];
  fields.push(chainId, groupId, extraData);
  const digest = hash(rlp(fields));
  const signature = secp256k1.sign(digest, fromHex(wanted.privateKey), {
    prehash: false,
    format: "recovered",
  });
  const r = BigInt(`0x${toHex(signature.subarray(1, 33))}`);
  const s = BigInt(`0x${toHex(signature.subarray(33))}`);
  const raw = rlp([...fields, BigInt(27 + (signature[0] ?? 0)), r, s]);
  return { raw: `0x${toHex(raw)}`, hash: `0x${toHex(hash(raw))}` };
}

/** The node ID whose key signed a digest; `signature` is r, s, recovery id. */
export function signerOf(digest: string, signature: string): string {
  const bytes = fromHex(signature);
  const recovered = Buffer.concat([bytes.subarray(64, 65), bytes.subarray(0, 64)]);
  const key = secp256k1.recoverPublicKey(recovered, fromHex(digest), { prehash: false });
  return toHex(secp256k1.Point.fromBytes(key).toBytes(false)).slice(2);
}

/** One level of a proof as a node reports it. */
export interface Level {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** The root that a proof leads to, with 0x. Source: tx-block-codec 8.4 */
export function rootOf(index: bigint, leaf: Uint8Array, proof: readonly Level[]): string {
  let current: Uint8Array = Buffer.concat([rlp(index), leaf]);
  for (const { left, right } of proof) {
    current = hash(...left.map(fromHex), current, ...right.map(fromHex));
  }
  return `0x${toHex(current)}`;
}

/** A log as a node reports it. */
export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A receipt as a node reports it. */
export interface Receipt {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly contractAddress: string;
  readonly from: string;
  readonly gasUsed: string;
  readonly input: string;
  readonly logs: readonly Log[];
  readonly logsBloom: string;
  readonly output: string;
  readonly remainGas: string;
  readonly root: string;
  readonly status: string;
  readonly to: string | null;
  readonly transactionHash: string;
  readonly transactionIndex: string;
}

/** Hash of a receipt. Source: tx-block-codec 5 */
export function receiptHash(receipt: Receipt): Uint8Array {
  const { root, contractAddress, logsBloom, output, logs } = receipt;
  const head = [fromHex(root), BigInt(receipt.gasUsed), fromHex(contractAddress)];
  const result = [fromHex(logsBloom), BigInt(receipt.status), fromHex(output)];
  const entries = logs.map((log) => [
    fromHex(log.address),
    log.topics.map(fromHex),
    fromHex(log.data),
  ]);
  return hash(rlp([...head, ...result, BigInt(receipt.remainGas), entries]));
}

/** The bloom of logs, with 0x. Source: tx-block-codec 4 */
export function bloomOf(logs: readonly Log[]): string {
  const bloom = new Uint8Array(256);
  for (const part of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const digest = hash(fromHex(part));
    for (let i = 0; i < 3; i++) {
      const bit = ((digest[2 * i] ?? 0) * 256 + (digest[2 * i + 1] ?? 0)) % 2048;
      const at = 255 - Math.floor(bit / 8);
      bloom[at] = (bloom[at] ?? 0) | (1 << (bit % 8));
    }
  }
  return `0x${toHex(bloom)}`;
}

/** A header as a node reports it. */
export interface Header {
  readonly dbHash: string;
  readonly extraData: readonly string[];
  readonly gasLimit: string;
  readonly gasUsed: string;
  readonly hash: string;
  readonly logsBloom: string;
  readonly number: number;
  readonly parentHash: string;
  readonly receiptsRoot: string;
  readonly sealer: string;
  readonly sealerList: readonly string[];
  readonly signatureList: readonly { readonly index: string; readonly signature: string }[];
  readonly stateRoot: string;
  readonly timestamp: string;
  readonly transactionsRoot: string;
}

/** Hash of a header, with 0x. Source: tx-block-codec 6 */
export function headerHash(header: Header): string {
  const { parentHash, stateRoot, transactionsRoot, receiptsRoot, dbHash, logsBloom } = header;
  const roots = [parentHash, stateRoot, transactionsRoot, receiptsRoot, dbHash, logsBloom];
  const counts = [BigInt(header.number), BigInt(header.gasLimit), BigInt(header.gasUsed)];
  const extra = header.extraData.map(fromHex);
  const sealers = header.sealerList.map(fromHex);
  const last = [BigInt(header.timestamp), extra, BigInt(header.sealer), sealers];
  return `0x${toHex(hash(rlp([...roots.map(fromHex), ...counts, ...last])))}`;
}
