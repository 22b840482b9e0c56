/** Transactions and answers of many megabytes, through each of the interfaces of a node. */
import assert from "node:assert/strict";
import { randomFillSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeCall } from "../../../core/abi/encode.ts";
import type { Transport } from "../../../core/client/transport.ts";
import { httpTransport } from "../../../runtimes/shared/client/web-transports.ts";
import { channelTransport } from "../../../runtimes/node/client/channel-transport.ts";
import { webSocketTransport } from "../../../runtimes/node/client/client.ts";
import { createSender, deployment, type SignedCall } from "../sender.ts";
import { STANDARD_SUITE } from "../suites.ts";
import { growingPauses, request, waitForReceipt } from "./dev-process.ts";
import type { NodeProcess, ProcessChain } from "./node-processes.ts";

/** A way into a node. */
export interface Entry {
  readonly name: "http" | "websocket" | "channel";
  readonly transport: Transport;
}

/** What is asked of a transaction, and whose answer holds all of it. */
export const READS = ["getTransactionByHash", "getTransactionReceipt", "getBlockByHash"] as const;

const TIMEOUT_MS = 240_000;
const SYSTEM_CONFIG = `0x${"0".repeat(36)}1000`;
/** The most that it may be: 68 for each of 30,000,000 bytes is below. */
const GAS_LIMIT = "2147483647";
const STOP = Uint8Array.of(0);

const send = createSender(STANDARD_SUITE);

/** Where SDKs reach a node. */
export async function channelPortOf({ folder }: NodeProcess): Promise<number> {
  const config = await readFile(join(folder, "config.ini"), "utf8");
  return Number(/^\s*channel_listen_port\s*=\s*(\d+)/m.exec(config)?.[1]);
}

/** The interfaces of a node of a chain. */
export async function entriesOf(chain: ProcessChain, node: NodeProcess): Promise<readonly Entry[]> {
  const port = await channelPortOf(node);
  const file = (name: string) => readFile(join(chain.folder, "agency", "sdk", name));
  const [ca, cert, key] = await Promise.all([file("ca.crt"), file("sdk.crt"), file("sdk.key")]);
  const place = { host: "127.0.0.1", port, ca, cert, key, timeoutMs: TIMEOUT_MS };
  const limit = { timeoutMs: TIMEOUT_MS };
  return [
    { name: "http", transport: httpTransport(node.url, limit) },
    { name: "websocket", transport: webSocketTransport(node.url.replace("http", "ws"), limit) },
    { name: "channel", transport: channelTransport(place) },
  ];
}

/** Puts a contract on the chain and gives its address. */
export async function deployed({ url }: NodeProcess, code: Uint8Array): Promise<string> {
  const head = Number(await request(url, "getBlockNumber", [1]));
  const { raw, hash } = send({ head, input: deployment(code) });
  await request(url, "sendRawTransaction", [1, raw]);
  return (await waitForReceipt(url, hash, TIMEOUT_MS)).contractAddress;
}

/** A contract that does nothing: what it is called with may be anything. */
export function deployedStop(node: NodeProcess): Promise<string> {
  return deployed(node, STOP);
}

/** Lets transactions have as much gas as their bytes cost. */
export async function raiseGasLimit({ url }: NodeProcess): Promise<void> {
  const values = ["tx_gas_limit", GAS_LIMIT];
  const input = encodeCall("setValueByKey(string,string)", values, STANDARD_SUITE.hash);
  const { raw, hash } = send({ to: SYSTEM_CONFIG, input, head: 0 });
  await request(url, "sendRawTransaction", [1, raw]);
  const { status } = await waitForReceipt(url, hash, TIMEOUT_MS);
  assert.equal(status, "0x0", "the gas limit is raised");
}

/** A transaction with this many bytes of input, none of which can be packed. */
export async function longTransaction(
  { url }: NodeProcess,
  to: string,
  bytes: number,
): Promise<SignedCall> {
  const head = Number(await request(url, "getBlockNumber", [1]));
  return send({ head, to, input: randomFillSync(new Uint8Array(bytes)) });
}

/** Hands it in through an interface, and waits until a node has it in a block; gives the number. */
export async function committed(
  { transport }: Entry,
  { raw, hash }: SignedCall,
  { url }: NodeProcess,
): Promise<number> {
  let seen = Number(await request(url, "getBlockNumber", [1]));
  const said = await transport.request({ method: "sendRawTransaction", params: [1, raw] });
  assert.equal(said, hash);
  const end = performance.now() + TIMEOUT_MS;
  for (const pause = growingPauses(); ; await pause()) {
    const head = Number(await request(url, "getBlockNumber", [1]));
    for (; seen <= head; seen++) {
      const block = await request(url, "getBlockByNumber", [1, `${seen}`, false]);
      if ((block as { transactions: readonly string[] }).transactions.includes(hash)) return seen;
    }
    assert.ok(performance.now() < end, `${hash} is in a block within ${TIMEOUT_MS} ms`);
  }
}

/** Reads it back: the answer as it is parsed. */
export async function read(
  { transport }: Entry,
  method: (typeof READS)[number],
  { hash, blockHash }: { readonly hash: string; readonly blockHash: string },
): Promise<unknown> {
  const params = method === "getBlockByHash" ? [1, blockHash, true] : [1, hash];
  return await transport.request({ method, params });
}

/** The input of a transaction as an answer to {@link READS} has it. */
export function inputIn(answer: unknown, hash: string): string {
  const { transactions, input = "" } = answer as {
    readonly transactions?: readonly { readonly hash: string; readonly input: string }[];
    readonly input?: string;
  };
  return transactions?.find((it) => it.hash === hash)?.input ?? input;
}
