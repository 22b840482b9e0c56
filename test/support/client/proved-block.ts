/** A sealed block with its transactions, receipts and proofs, as a node shows them. */
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { type Address, type Hash, ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import type {
  ToldReceiptWithProof,
  TransactionWithProof,
} from "../../../core/client/told-objects.ts";
import type { BlockHeader, Proof, Receipt, Transaction } from "../../../core/client/rpc-objects.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { genesisHeader } from "../../../core/model/genesis.ts";
import { headerHash } from "../../../core/model/header.ts";
import { receiptHash } from "../../../core/model/receipt.ts";
import { receiptsRoot, transactionsRoot } from "../../../core/model/roots.ts";
import { itemProof } from "../codecs/proofs.ts";
import {
  type SignedTransaction,
  signTransaction,
  withSender,
} from "../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import {
  presentHeader,
  presentProof,
  presentReceipt,
  presentTransaction,
} from "../../../core/rpc/present.ts";

/** One transaction of the block, with everything that shows it. */
export interface ProvedItem {
  readonly transaction: TransactionWithProof;
  /** With the fields that only a plain receipt has: the proof of a receipt covers one of them. */
  readonly receipt: ToldReceiptWithProof;
}

/** The block. */
export interface ProvedBlock {
  readonly header: BlockHeader;
  /** Node IDs of its sealers. */
  readonly sealers: readonly string[];
  readonly items: readonly ProvedItem[];
}

const CONTRACT = `0x${"c0de".repeat(10)}` as Address;
const TOPIC = `0x${"7e".repeat(32)}` as Hash;

function keyOf(name: string, suite: CryptoSuite): Uint8Array {
  return suite.hash(utf8Bytes(name));
}

/** A creation, then calls. */
function transactionsOf(suite: CryptoSuite, count: number): readonly SignedTransaction[] {
  const key = keyOf("sender", suite);
  const from = suite.address(suite.publicKey(key));
  return Array.from({ length: count }, (_, i) => {
    const fields = {
      nonce: BigInt(i + 1),
      gasPrice: 1n,
      gas: 300_000n,
      blockLimit: 500n,
      to: i === 0 ? null : CONTRACT,
      value: 0n,
      input: utf8Bytes(`input ${i}`),
      chainId: 1n,
      groupId: 1n,
      extraData: new Uint8Array(0),
    };
    return withSender(signTransaction(fields, key, suite), from);
  });
}

/**
 * Makes a block of `count` transactions, the first a creation; `signers` are the positions of the
 * sealers that signed.
 */
export function provedBlock(
  suite: CryptoSuite,
  count: number,
  signers: readonly number[] = [3, 0, 2],
): ProvedBlock {
  const keys = [0, 1, 2, 3].map((i) => keyOf(`sealer ${i}`, suite));
  const transactions = transactionsOf(suite, count);
  const receipts = transactions.map((_, i) => ({
    root: `0x${"ab".repeat(32)}` as Hash,
    gasUsed: 21_000n,
    contractAddress: i === 0 ? CONTRACT : ZERO_ADDRESS,
    logsBloom: new Uint8Array(256).fill(i),
    status: i === 2 ? 22 : 0,
    output: utf8Bytes(`output ${i}`),
    remainGas: BigInt(i),
    logs: [{ address: CONTRACT, topics: [TOPIC], data: utf8Bytes("data") }],
  }));
  const hashes = receipts.map((it) => receiptHash(it, NEWEST_VERSION, suite));
  const rules = { version: NEWEST_VERSION, suite };
  const raw = new Uint8Array(0);
  const header = {
    ...genesisHeader("1-mark", 1_600_000_000_000n),
    number: 7,
    sealer: 1,
    extraData: [utf8Bytes("extra")],
    sealerList: keys.map((it) => nodeIdOf(suite.publicKey(it))),
    transactionsRoot: transactionsRoot(transactions, rules),
    receiptsRoot: receiptsRoot(
      hashes.map((hash) => ({ raw, hash })),
      rules,
    ),
  };
  const hash = headerHash(header, suite);
  const digest = Uint8Array.from(Buffer.from(hash.slice(2), "hex"));
  const seals = signers.map((index) => ({
    index,
    signature: suite.sign(digest, keys[index] ?? new Uint8Array(32)),
  }));
  const place = { blockHash: hash, blockNumber: header.number };
  const items = transactions.flatMap((transaction, index) => {
    const receipt = receipts[index];
    if (receipt === undefined) return [];
    const located = { transaction, ...place, index };
    const proofs = [transactions.map((it) => it.hash), hashes].map(
      (of) => presentProof(itemProof(of, index, suite)) as unknown as Proof,
    );
    const [txProof = [], receiptProof = []] = proofs;
    return [
      {
        transaction: {
          transaction: presentTransaction(located) as unknown as Transaction,
          txProof,
        },
        receipt: {
          transactionReceipt: presentReceipt({ ...located, receipt }) as unknown as Receipt,
          receiptProof,
        },
      },
    ];
  });
  const shown = presentHeader({ header, hash, seals }, true);
  return { header: shown as unknown as BlockHeader, sealers: header.sealerList, items };
}
