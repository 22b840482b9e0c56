/**
 * The methods whose answers can be shown from a header that the sealers signed. Each gives the
 * answer in the form of nodes, made of what was checked and of nothing else.
 *
 * Source: interface 2; rpc-semantics 5, 6
 */
import { fromHex, toHex } from "../bytes/hex.ts";
import { ProofFault } from "../client/client-fault.ts";
import type { BlockHeader, Proof, Transaction } from "../client/rpc-objects.ts";
import {
  toldMembers,
  toldHeader,
  toldList,
  toldReceiptWithProof,
  toldTransactionWithProof,
} from "../client/told-objects.ts";
import type { VerifiedReceipt } from "../client/verified-reads.ts";
import { verifyBlock } from "../client/verify-block.ts";
import type { Json } from "../rpc/json.ts";
import { blockNumberArgument, hashArgument, indexArgument } from "../rpc/params.ts";
import type { Reader } from "./reader.ts";

/** An answer and the header that it was shown from. */
export interface Proved {
  readonly value: unknown;
  readonly header: BlockHeader;
  /** A transaction of the group was shown in the block. */
  readonly isOfGroup?: boolean;
}

/**
 * Asks one upstream. Undefined when it knows of no such thing, which nothing shows.
 *
 * @throws ProofFault; NodeFault; TransportFault
 */
export type ProvedRead = (reader: Reader) => Promise<Proved | undefined>;

/** Makes the read of a request. @throws RpcFault for parameters that cannot be read */
type ReadOf = (values: readonly Json[]) => ProvedRead;

const text = (value: Json | undefined): string => value as string;

function requireSame(found: unknown, wanted: unknown, what: string): void {
  if (found === wanted) return;
  throw new ProofFault("mismatch", `the answer is ${what} ${String(found)}, not ${String(wanted)}`);
}

function shownHeader(header: BlockHeader, withSignatures: Json | undefined): unknown {
  const { signatureList, ...rest } = header;
  return withSignatures === true ? { ...rest, signatureList } : rest;
}

/** A read of what has a number. */
function ofNumber(
  read: (reader: Reader, number: number, option: Json | undefined) => Promise<Proved>,
): ReadOf {
  return ([, rawNumber, option]) => {
    const number = blockNumberArgument(text(rawNumber));
    return (reader) => read(reader, number, option);
  };
}

/** A read of what has a hash. */
function ofHash(
  read: (reader: Reader, hash: string, option: Json | undefined) => ReturnType<ProvedRead>,
): ReadOf {
  return ([, rawHash, option]) => {
    const hash = hashArgument(text(rawHash));
    return (reader) => read(reader, hash, option);
  };
}

const getBlockHeaderByNumber = ofNumber(async (reader, number, withSignatures) => {
  const header = await reader.header(number);
  return { value: shownHeader(header, withSignatures), header };
});

/** The header that is told for a hash, looked for by its number. */
async function headerOfHash(reader: Reader, hash: string): Promise<BlockHeader> {
  const told = await reader.told(reader.call("getBlockHeaderByHash", hash, true));
  const { number } = toldHeader(told);
  reader.asker.know(reader.headerCall(number), told);
  const header = await reader.header(number);
  requireSame(header.hash, hash, "block");
  return header;
}

const getBlockHeaderByHash = ofHash(async (reader, hash, withSignatures) => {
  const header = await headerOfHash(reader, hash);
  return { value: shownHeader(header, withSignatures), header };
});

const getBlockHashByNumber = ofNumber(async (reader, number) => {
  const header = await reader.header(number);
  return { value: header.hash, header };
});

/** Whole transactions or their hashes, as was asked for: both would give the root. */
function requireForm(told: unknown, isWhole: boolean): void {
  const list = toldList(toldMembers(told, "a block")["transactions"], "transactions of a block");
  if (list.every((item) => (typeof item !== "string") === isWhole)) return;
  const wanted = isWhole ? "whole transactions" : "hashes of transactions";
  throw new ProofFault("malformed", `the block is told without the ${wanted} that are wanted`);
}

/** A block that was told; with whole transactions it has its signatures itself. */
async function shownBlock(reader: Reader, told: unknown, whole?: Json): Promise<Proved> {
  requireForm(told, whole === true);
  const own = toldHeader(told);
  if (own.signatureList !== undefined) reader.asker.know(reader.headerCall(own.number), own);
  const header = await reader.header(own.number);
  const { signatureList } = header;
  const { signatureList: _, ...block } = verifyBlock(told, header, await reader.rules());
  for (const item of block.transactions) if (typeof item !== "string") requireGroup(item, reader);
  const isOfGroup = whole === true && block.transactions.length > 0;
  return { value: whole === true ? { ...block, signatureList } : block, header, isOfGroup };
}

const getBlockByNumber = ofNumber(async (reader, number, whole) => {
  const call = reader.call("getBlockByNumber", String(number), whole);
  await reader.asker.prefetch(whole === true ? [call] : [call, reader.headerCall(number)]);
  const proved = await shownBlock(reader, await reader.told(call), whole);
  requireSame(proved.header.number, number, "block");
  return proved;
});

const getBlockByHash = ofHash(async (reader, hash, whole) => {
  const told = await reader.told(reader.call("getBlockByHash", hash, whole));
  const proved = await shownBlock(reader, told, whole);
  requireSame(proved.header.hash, hash, "block");
  return proved;
});

/** A header does not tell its group, but a transaction does. */
function requireGroup({ groupId }: Transaction, reader: Reader): void {
  const wanted = reader.asker.parts.groupId;
  if (Number(groupId) === wanted) return;
  throw new ProofFault("fork", `a transaction of group ${Number(groupId)}, not ${wanted}`);
}

const PROVED_TRANSACTION = "getTransactionByHashWithProof";
const PROVED_RECEIPT = "getTransactionReceiptByHashWithProof";

async function shownTransaction(reader: Reader, hash: string): Promise<Proved | undefined> {
  const found = await reader.transaction(hash);
  if (found === null) return undefined;
  requireGroup(found.transaction, reader);
  return { value: found.transaction, header: found.header, isOfGroup: true };
}

const getTransactionByHash = ofHash(shownTransaction);

/** The place is looked up, and the transaction that is told for it shown to be there. */
function transactionAt(
  method: string,
  place: readonly [block: string, rawIndex: Json | undefined],
  requireBlock: (header: BlockHeader) => void,
): ProvedRead {
  const [block, rawIndex] = place;
  const index = indexArgument(text(rawIndex));
  return async (reader) => {
    const told = await reader.told(reader.call(method, block, String(index)));
    const { hash } = toldMembers(told, "a transaction");
    if (typeof hash !== "string") throw new ProofFault("malformed", "the transaction has no hash");
    const found = await reader.transaction(hash);
    if (found === null) throw new ProofFault("proof", `there is no proof of transaction ${hash}`);
    requireBlock(found.header);
    requireGroup(found.transaction, reader);
    requireSame(Number(found.transaction.transactionIndex), index, "transaction");
    return { value: found.transaction, header: found.header, isOfGroup: true };
  };
}

const getTransactionByBlockNumberAndIndex: ReadOf = ([, rawNumber, rawIndex]) => {
  const number = blockNumberArgument(text(rawNumber));
  const method = "getTransactionByBlockNumberAndIndex";
  return transactionAt(method, [String(number), rawIndex], (header) =>
    requireSame(header.number, number, "of block"),
  );
};

const getTransactionByBlockHashAndIndex: ReadOf = ([, rawHash, rawIndex]) => {
  const hash = hashArgument(text(rawHash));
  const method = "getTransactionByBlockHashAndIndex";
  return transactionAt(method, [hash, rawIndex], (header) =>
    requireSame(header.hash, hash, "of block"),
  );
};

/** A receipt is shown with its transaction: all of it is asked for together. */
async function shownReceipt(reader: Reader, hash: string): Promise<VerifiedReceipt | undefined> {
  const methods = [PROVED_TRANSACTION, PROVED_RECEIPT, "getTransactionReceipt"];
  await reader.asker.prefetch(methods.map((method) => reader.call(method, hash)));
  const found = await reader.receipt(hash);
  if (found !== null) requireGroup(found.transaction, reader);
  return found ?? undefined;
}

const getTransactionReceipt = ofHash(async (reader, hash) => {
  const found = await shownReceipt(reader, hash);
  return found && { value: found.receipt, header: found.header, isOfGroup: true };
});

/** In the spelling of nodes: that of the digits is covered by no check. */
function spelled(proof: Proof): Proof {
  const bare = (item: string): string => toHex(fromHex(item) ?? new Uint8Array(0));
  return proof.map(({ left, right }) => ({ left: left.map(bare), right: right.map(bare) }));
}

const getTransactionByHashWithProof = ofHash(async (reader, hash) => {
  const proved = await shownTransaction(reader, hash);
  if (proved === undefined) return undefined;
  const told = await reader.told(reader.call(PROVED_TRANSACTION, hash));
  const { txProof } = toldTransactionWithProof(told, reader.asker.parts.suite);
  return { ...proved, value: { transaction: proved.value, txProof: spelled(txProof) } };
});

const getTransactionReceiptByHashWithProof = ofHash(async (reader, hash) => {
  const found = await shownReceipt(reader, hash);
  if (found === undefined) return undefined;
  const told = await reader.told(reader.call(PROVED_RECEIPT, hash));
  const { receiptProof } = toldReceiptWithProof(told, await reader.rules());
  // Next to its proof a receipt stands without what was added to it. Source: decision 32
  const { remainGas: _, statusMsg: __, ...transactionReceipt } = found.receipt;
  const value = { receiptProof: spelled(receiptProof), transactionReceipt };
  return { value, header: found.header, isOfGroup: true };
});

/** By the name of the method. getBlockNumber is not among them: it is the newest header's. */
export const PROVED_READS: Readonly<Record<string, ReadOf>> = {
  getBlockByHash,
  getBlockByNumber,
  getBlockHashByNumber,
  getBlockHeaderByHash,
  getBlockHeaderByNumber,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionByHashWithProof,
  getTransactionReceipt,
  getTransactionReceiptByHashWithProof,
};
