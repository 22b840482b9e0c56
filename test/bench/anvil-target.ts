/** anvil as a target: 1 s blocks, no block gas limit, one sender per connection. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { hexBytes, toHex, toPrefixedHex } from "../../core/bytes/hex.ts";
import { encodeRlp } from "../../core/bytes/rlp.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { freePort, startChild, stopChild } from "./child.ts";
import { helloWorldBytecode, setCall, textOf } from "./hello-world.ts";
import { type HttpConnection, openConnection, rpc } from "./http-client.ts";
import type { Submission, Target } from "./target.ts";

/** anvil's default chain id. */
const CHAIN_ID = 31_337n;
/** Enough for a deployment and for a set(). */
const GAS = 1_000_000n;
const GAS_PRICE = 2_000_000_000n;

interface EthereumCall {
  readonly nonce: number;
  readonly to: Uint8Array;
  readonly data: Uint8Array;
}

/** Signs a legacy transaction under EIP-155; hex of the raw bytes and its hash. */
function signLegacy(
  call: EthereumCall,
  key: Uint8Array,
  suite: CryptoSuite,
): { raw: string; hash: string } {
  const fields = [BigInt(call.nonce), GAS_PRICE, GAS, call.to, 0n, call.data];
  const digest = suite.hash(encodeRlp([...fields, CHAIN_ID, 0n, 0n]));
  const signature = suite.sign(digest, key);
  const v = CHAIN_ID * 2n + 35n + BigInt(signature[64] ?? 0);
  const integer = (bytes: Uint8Array) => BigInt(`0x${toHex(bytes)}`);
  const raw = encodeRlp([
    ...fields,
    v,
    integer(signature.subarray(0, 32)),
    integer(signature.subarray(32, 64)),
  ]);
  return { raw: toPrefixedHex(raw), hash: toPrefixedHex(suite.hash(raw)) };
}

function submissionOf({ raw, hash }: { raw: string; hash: string }): Submission {
  return {
    hash,
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${raw}"]}`,
  };
}

async function receiptOf(connection: HttpConnection, hash: string) {
  for (let tries = 0; tries < 600; tries++) {
    const receipt = await rpc(connection, "eth_getTransactionReceipt", [hash]);
    if (receipt) return receipt as { status: string; contractAddress: string };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`anvil: no receipt for ${hash}`);
}

/** The native binary that the npm package ships. */
function anvilBinary(): string {
  const require = createRequire(join(process.cwd(), "package.json"));
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  return join(dirname(require.resolve(`${name}/package.json`)), "bin", "anvil");
}

/** Starts anvil with one funded account per connection and deploys HelloWorld. */
export async function startAnvil(suite: CryptoSuite, senders: number): Promise<Target> {
  const port = await freePort();
  const args = [
    "--port",
    `${port}`,
    "--host",
    "127.0.0.1",
    "--block-time",
    "1",
    "--accounts",
    `${senders}`,
  ];
  const started = await startChild(
    anvilBinary(),
    [...args, "--disable-block-gas-limit"],
    /Listening on/,
  );
  const keys = [...started.output().matchAll(/\(\d+\) 0x([0-9a-f]{64})/g)].map(([, hex]) =>
    hexBytes(hex ?? ""),
  );
  if (keys.length < senders)
    throw new Error(`anvil printed ${keys.length} keys, ${senders} wanted`);
  const url = `http://127.0.0.1:${port}`;
  const connection = await openConnection(url);
  const nonces = keys.map(() => 0);
  const next = (sender: number) => {
    const nonce = nonces[sender] ?? 0;
    nonces[sender] = nonce + 1;
    return nonce;
  };
  const key = (sender: number) => keys[sender] ?? new Uint8Array(32);
  const deploy = { nonce: next(0), to: new Uint8Array(0), data: hexBytes(helloWorldBytecode()) };
  const deployment = submissionOf(signLegacy(deploy, key(0), suite));
  await connection.post(deployment.body);
  const contract = hexBytes(
    (await receiptOf(connection, deployment.hash)).contractAddress.slice(2),
  );
  return {
    name: "anvil",
    pids: [started.child.pid ?? 0],
    nodes: 1,
    urls: [url],
    prepare: async (count, connections) =>
      Array.from({ length: count }, (_, i) => {
        const sender = i % connections;
        const call = { nonce: next(sender), to: contract, data: hexBytes(setCall(textOf(i))) };
        return submissionOf(signLegacy(call, key(sender), suite));
      }),
    blockNumber: async () => Number(await rpc(connection, "eth_blockNumber", [])),
    block: async (number) => {
      const block = await rpc(connection, "eth_getBlockByNumber", [
        `0x${number.toString(16)}`,
        false,
      ]);
      return { number, hashes: (block as { transactions: string[] }).transactions };
    },
    requireSuccess: async (hash) => {
      const { status } = await receiptOf(connection, hash);
      if (status !== "0x1") throw new Error(`anvil: ${hash} ended with status ${status}`);
    },
    stop: async () => {
      connection.close();
      await stopChild(started.child, "SIGTERM");
    },
  };
}
