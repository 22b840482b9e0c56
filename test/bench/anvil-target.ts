/** anvil as a target: 1 s blocks, no block gas limit. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { hexBytes, toHex, toPrefixedHex } from "../../core/bytes/hex.ts";
import { encodeRlp } from "../../core/bytes/rlp.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { createHttpTransport, type SendPost } from "../../core/client/http-transport.ts";
import type { Transport } from "../../core/client/transport.ts";
import { ReceiptWatch } from "../../runtimes/shared/benchmark/receipt-watch.ts";
import type { SignedBytes } from "../../runtimes/shared/benchmark/signing.ts";
import { createPosts } from "../../runtimes/tools/benchmark/adapter/http-post.ts";
import { RpcLane } from "../../runtimes/tools/benchmark/adapter/rpc-lane.ts";
import { endProcess, freePort } from "../support/process/dev-process.ts";
import { endWithUs } from "../support/runner/own-children.ts";
import { helloWorldBytecode, setCall, textOf } from "./hello-world.ts";
import { CLOCK } from "./load.ts";
import type { Target } from "./target.ts";

/** anvil's default chain id. */
const CHAIN_ID = 31_337n;
/** Enough for a deployment and for a set(). */
const GAS = 1_000_000n;
const GAS_PRICE = 2_000_000_000n;
const SENDERS = 32;
const MOST_OUTPUT = 200_000;

interface EthereumCall {
  readonly nonce: number;
  readonly to: Uint8Array;
  readonly data: Uint8Array;
}

/** Signs a legacy transaction under EIP-155. */
function signLegacy(call: EthereumCall, key: Uint8Array, suite: CryptoSuite): SignedBytes {
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
  return { raw, hash: toPrefixedHex(suite.hash(raw)) };
}

interface AnvilReceipt {
  readonly transactionHash: string;
  readonly status: string;
  readonly contractAddress: string;
}

/** Anvil as the benchmark tool asks our nodes: three of its methods under our names. */
function anvilTransport(url: string, send: SendPost): Transport {
  const anvil = createHttpTransport(url, send);
  const quantity = (text: unknown) => `0x${Number(text).toString(16)}`;
  return {
    async request({ method, params }) {
      if (method === "getBlockNumber")
        return await anvil.request({ method: "eth_blockNumber", params: [] });
      if (method === "sendRawTransaction")
        return await anvil.request({ method: "eth_sendRawTransaction", params: [params[1]] });
      const told = await anvil.request({
        method: "eth_getBlockReceipts",
        params: [quantity(params[1])],
      });
      const transactionReceipts = (told as readonly AnvilReceipt[]).map((receipt) => ({
        ...receipt,
        status: receipt.status === "0x1" ? "0x0" : "0x1",
        output: "0x",
      }));
      return { transactionReceipts };
    },
  };
}

/** The native binary that the npm package ships. */
function anvilBinary(): string {
  const require = createRequire(join(process.cwd(), "package.json"));
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  return join(dirname(require.resolve(`${name}/package.json`)), "bin", "anvil");
}

/** Resolves when anvil listens, with the keys that it has printed. */
function keysOf(child: ChildProcess): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        if (output.length < MOST_OUTPUT) output += chunk.toString();
        if (!/Listening on/.test(output)) return;
        resolve([...output.matchAll(/\(\d+\) 0x([0-9a-f]{64})/g)].map(([, hex = ""]) => hex));
      });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`anvil ended with ${code}: ${output}`)));
  });
}

async function launch() {
  const port = await freePort();
  const place = ["--port", `${port}`, "--host", "127.0.0.1", "--accounts", `${SENDERS}`];
  const child = spawn(anvilBinary(), [...place, "--block-time", "1", "--disable-block-gas-limit"]);
  endWithUs(child);
  const accounts = (await keysOf(child)).map((hex) => ({ key: hexBytes(hex), nonce: 0 }));
  if (accounts.length < SENDERS) throw new Error(`anvil printed ${accounts.length} keys`);
  return { child, accounts, url: `http://127.0.0.1:${port}` };
}

/** Starts anvil and deploys HelloWorld. */
export async function startAnvil(suite: CryptoSuite): Promise<Target> {
  const { child, accounts, url } = await launch();
  const posts = createPosts();
  const transport = anvilTransport(url, posts.send);
  const watch = new ReceiptWatch({ pick: () => transport, groupId: 1, clock: CLOCK });
  const lane = new RpcLane({ name: "anvil", transport, groupId: 1, watch });
  let turn = 0;
  const sign = (to: Uint8Array, data: Uint8Array): SignedBytes => {
    const account = accounts[turn++ % accounts.length] ?? { key: new Uint8Array(32), nonce: 0 };
    return signLegacy({ nonce: account.nonce++, to, data }, account.key, suite);
  };
  await watch.begin();
  const deployment = sign(new Uint8Array(0), hexBytes(helloWorldBytecode()));
  const call = { method: "eth_getTransactionReceipt", params: [deployment.hash] };
  if ((await lane.submit(deployment)).status !== 0) throw new Error("anvil: no HelloWorld");
  const told = await createHttpTransport(url, posts.send).request(call);
  const contract = hexBytes((told as AnvilReceipt).contractAddress.slice(2));
  return {
    name: "anvil",
    pids: [child.pid ?? 0],
    nodes: 1,
    prepare: async (count) =>
      Array.from({ length: count }, (_, i) => sign(contract, hexBytes(setCall(textOf(i))))),
    submit: (transaction) => lane.submit(transaction),
    blockNumber: async () =>
      Number(await transport.request({ method: "getBlockNumber", params: [] })),
    stop: async () => {
      watch.close();
      posts.close();
      await endProcess(child, "SIGTERM");
    },
  };
}
