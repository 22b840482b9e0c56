/** What a benchmark does with a chain-node, however its nodes run: sign, deploy, watch. */
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { signTransaction, type TransactionFields } from "../../core/model/transaction.ts";
import { helloWorldBytecode, setCall, textOf } from "./hello-world.ts";
import { type HttpConnection, openConnection, rpc } from "./http-client.ts";
import type { Submission, Target } from "./target.ts";

/** The part of a target that asks a node. */
export type ChainClient = Pick<Target, "prepare" | "blockNumber" | "block" | "requireSuccess"> & {
  /** Transactions of the chain so far. */
  transactionCount(): Promise<number>;
  close(): void;
};

const BLOCK_LIMIT_AHEAD = 900;
/** First nonce of every run: the chain is fresh, and equal runs sign equal bytes. */
const FIRST_NONCE = 0x5eedn << 64n;

/** Deterministic private key of a benchmark sender. */
function senderKey(seed: number): Uint8Array {
  const key = new Uint8Array(32).fill(0x42);
  key[31] = seed & 0xff;
  key[30] = seed >> 8;
  return key;
}

async function receiptOf(connection: HttpConnection, hash: string) {
  for (let tries = 0; tries < 600; tries++) {
    const receipt = await rpc(connection, "getTransactionReceipt", [1, hash]);
    if (receipt) return receipt as { status: string; contractAddress: string };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no receipt for ${hash}`);
}

type Sign = (
  fields: Pick<TransactionFields, "to" | "input">,
  key: Uint8Array,
  head: number,
) => Submission;

function createSign(suite: CryptoSuite): Sign {
  let nonce = FIRST_NONCE;
  return (fields, key, head) => {
    nonce += 1n;
    const common = {
      nonce,
      gasPrice: 300_000_000n,
      gas: 300_000_000n,
      blockLimit: BigInt(head + BLOCK_LIMIT_AHEAD),
      value: 0n,
      chainId: 1n,
      groupId: 1n,
      extraData: new Uint8Array(0),
    };
    const transaction = signTransaction({ ...common, ...fields }, key, suite);
    const raw = toPrefixedHex(transaction.raw);
    return {
      hash: transaction.hash,
      body: `{"jsonrpc":"2.0","id":1,"method":"sendRawTransaction","params":[1,"${raw}"]}`,
    };
  };
}

/** Connects to a node of a fresh chain and deploys HelloWorld. */
export async function openChainClient(suite: CryptoSuite, url: string): Promise<ChainClient> {
  const connection = await openConnection(url);
  const blockNumber = async () => Number(await rpc(connection, "getBlockNumber", [1]));
  const sign = createSign(suite);
  const creation = { to: null, input: hexBytes(helloWorldBytecode()) };
  const deployment = sign(creation, senderKey(0), await blockNumber());
  await connection.post(deployment.body);
  const { contractAddress } = await receiptOf(connection, deployment.hash);
  return {
    prepare: async (count, connections) => {
      const head = await blockNumber();
      return Array.from({ length: count }, (_, i) => {
        const input = hexBytes(setCall(textOf(i)));
        const to = contractAddress as TransactionFields["to"];
        return sign({ to, input }, senderKey(i % connections), head);
      });
    },
    blockNumber,
    block: async (number) => {
      const block = await rpc(connection, "getBlockByNumber", [1, `${number}`, false]);
      return { number, hashes: (block as { transactions: string[] }).transactions };
    },
    transactionCount: async () => {
      const answer = await rpc(connection, "getTotalTransactionCount", [1]);
      return Number((answer as { txSum: string }).txSum);
    },
    requireSuccess: async (hash) => {
      const { status } = await receiptOf(connection, hash);
      if (status !== "0x0") throw new Error(`${hash} ended with status ${status}`);
    },
    close: () => connection.close(),
  };
}
