/** chain-node as a target: the built `chain-node dev` in a process of its own. */
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { type TransactionFields, signTransaction } from "../../core/model/transaction.ts";
import { startChild, stopChild } from "./child.ts";
import { helloWorldBytecode, setCall, textOf } from "./hello-world.ts";
import { type HttpConnection, openConnection, rpc } from "./http-client.ts";
import type { Submission, Target } from "./target.ts";

/** Options of the process under test. */
export interface ChainTargetOptions {
  readonly nodes: number;
  readonly port: number;
  /** Further arguments of `chain-node dev`. */
  readonly args: readonly string[];
  readonly shareRecovery: boolean;
  /** Folder for a CPU profile of each thread; absent for none. */
  readonly profile: string | undefined;
}

interface Ready {
  readonly rpc: readonly string[];
  readonly accounts: readonly { readonly privateKey: string }[];
}

/** Deterministic private key of a benchmark sender. */
function senderKey(seed: number): Uint8Array {
  const key = new Uint8Array(32).fill(0x42);
  key[31] = seed & 0xff;
  key[30] = seed >> 8;
  return key;
}

const BLOCK_LIMIT_AHEAD = 900;

async function receiptOf(connection: HttpConnection, hash: string) {
  for (let tries = 0; tries < 600; tries++) {
    const receipt = await rpc(connection, "getTransactionReceipt", [1, hash]);
    if (receipt) return receipt as { status: string; contractAddress: string };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no receipt for ${hash}`);
}

/** First nonce of every run: the chain is fresh, and equal runs sign equal bytes. */
const FIRST_NONCE = 0x5eedn << 64n;

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

async function launch(options: ChainTargetOptions) {
  const profiling = options.profile ? ["--cpu-prof", `--cpu-prof-dir=${options.profile}`] : [];
  const fixed = ["dist/node/main.js", "dev", "--ephemeral", "--json", "--quiet"];
  const chosen = ["--nodes", `${options.nodes}`, "--port", `${options.port}`, ...options.args];
  const env = options.shareRecovery ? {} : { CHAIN_NODE_NO_SHARED_RECOVERY: "1" };
  const args = [...profiling, ...fixed, ...chosen];
  const started = await startChild(process.execPath, args, /"ready":true.*\n/, env);
  const ready = JSON.parse(started.output().trim().split("\n")[0] ?? "{}") as Ready;
  const stop = async () => {
    const code = await stopChild(started.child);
    if (code !== 0) throw new Error(`chain-node dev ended with ${code}: ${started.errors()}`);
  };
  return { pid: started.child.pid ?? 0, ready, stop };
}

/** Starts `chain-node dev` on a fresh ephemeral folder and deploys HelloWorld. */
export async function startChain(suite: CryptoSuite, options: ChainTargetOptions): Promise<Target> {
  const { pid, ready, stop } = await launch(options);
  const connection = await openConnection(ready.rpc[0] ?? "");
  const blockNumber = async () => Number(await rpc(connection, "getBlockNumber", [1]));
  const sign = createSign(suite);
  const creation = { to: null, input: hexBytes(helloWorldBytecode()) };
  const deployment = sign(creation, senderKey(0), await blockNumber());
  await connection.post(deployment.body);
  const { contractAddress } = await receiptOf(connection, deployment.hash);
  const sharing = options.shareRecovery ? "" : ", recovery not shared";
  return {
    name: `chain-node (${options.nodes} nodes${sharing})`,
    pid,
    urls: ready.rpc,
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
    requireSuccess: async (hash) => {
      const { status } = await receiptOf(connection, hash);
      if (status !== "0x0") throw new Error(`${hash} ended with status ${status}`);
    },
    stop: async () => {
      connection.close();
      await stop();
    },
  };
}
