/**
 * Transactions until their receipts are known: pushed over the channel, and polled over HTTP; the
 * same chain, one after the other.
 */
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { type Frame, MESSAGE_TYPE } from "../../core/channel/frame.ts";
import { ChannelLink, linkTarget, nextSeq } from "../support/channel/channel-link.ts";
import { type ChannelProcess, startChannelProcess } from "../support/channel/channel-process.ts";
import { openChainClient } from "./chain-client.ts";
import { openConnection } from "./http-client.ts";
import { quantile } from "./load.ts";
import { usageOf } from "./process-usage.ts";
import type { Submission } from "./target.ts";

/** Figures of one way. */
export interface ChannelRow {
  readonly way: string;
  readonly count: number;
  readonly tps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all nodes together. */
  readonly cpuMsPerTransaction: number;
}

/** What is measured. */
export interface ChannelBench {
  readonly suite: CryptoSuite;
  readonly nodes: number;
  readonly count: number;
  readonly connections: number;
  readonly say: (line: string) => void;
}

/** Transactions of a connection whose receipts are awaited at one time. */
const OUTSTANDING = 10;
/** How often a client without pushes asks for its receipt. */
const POLL_MS = 50;
/** Share of the transactions that warm the chain up. */
const WARM_SHARE = 0.2;
const PATIENCE_MS = 60_000;

/** Sends one transaction; resolves when its receipt says that it succeeded. */
type Way = (submission: Submission, lane: number) => Promise<void>;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function measure(
  name: string,
  way: Way,
  submissions: readonly Submission[],
  { lanes, pid }: { readonly lanes: number; readonly pid: number },
): Promise<ChannelRow> {
  const latencies: number[] = [];
  const before = usageOf([pid]);
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let i = lane; i < submissions.length; i += lanes) {
        const submission = submissions[i];
        if (!submission) return;
        const sent = performance.now();
        await way(submission, lane);
        latencies.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const cpu = usageOf([pid]).cpuSeconds - before.cpuSeconds;
  return {
    way: name,
    count: submissions.length,
    tps: submissions.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMsPerTransaction: (cpu * 1000) / submissions.length,
  };
}

/** One HTTP connection for each lane: a request at a time. */
async function overHttp({ urls }: ChannelProcess, lanes: number) {
  const connections = await Promise.all(
    Array.from({ length: lanes }, (_, i) => openConnection(urls[i % urls.length] ?? "")),
  );
  const way: Way = async ({ body, hash }, lane) => {
    const connection = connections[lane];
    const answer = await connection?.post(body);
    if (!answer?.includes(hash)) throw new Error(`refused: ${answer}`);
    const params = `[1,"${hash}"]`;
    const ask = `{"jsonrpc":"2.0","id":1,"method":"getTransactionReceipt","params":${params}}`;
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const receipt = (await connection?.post(ask)) ?? "";
      if (receipt.includes('"status":"0x0"')) return;
      if (!receipt.includes('"result":null')) throw new Error(`failed: ${receipt}`);
      if (performance.now() > deadline) throw new Error(`no receipt for ${hash}`);
      await sleep(POLL_MS);
    }
  };
  return { way, close: () => connections.forEach((connection) => connection.close()) };
}

/** What waits for a push, by seq. */
type Pushes = Map<string, (frame: Frame) => void>;

async function overChannel({ channels, sdk }: ChannelProcess, connections: number) {
  const pushes: Pushes = new Map();
  const keyOf = (seq: Uint8Array) => Buffer.from(seq).toString("latin1");
  const links = await Promise.all(
    Array.from({ length: connections }, (_, i) =>
      ChannelLink.open(linkTarget(channels[i % channels.length] ?? "", sdk)),
    ),
  );
  for (const link of links) {
    link.onPush = (frame) => {
      // The answer with the hash comes first; the receipt has the same seq.
      if (frame.type === MESSAGE_TYPE.receiptPush) pushes.get(keyOf(frame.seq))?.(frame);
    };
  }
  const way: Way = async ({ body, hash }, lane) => {
    const seq = nextSeq();
    const link = links[lane % links.length];
    const frame = await new Promise<Frame>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no receipt for ${hash}`)), PATIENCE_MS);
      pushes.set(keyOf(seq), (push) => {
        clearTimeout(timer);
        resolve(push);
      });
      link?.send({ type: MESSAGE_TYPE.rpc, seq, result: 0, data: Buffer.from(body) });
    });
    pushes.delete(keyOf(seq));
    const text = Buffer.from(frame.data).toString("utf8");
    if (!text.includes('"status" : "0x0"')) throw new Error(`failed: ${text}`);
  };
  return { way, close: () => links.forEach((link) => link.close()) };
}

/** Both ways, twice: the first round finds a chain that has just begun. */
export async function measureChannel(bench: ChannelBench): Promise<readonly ChannelRow[]> {
  const { suite, nodes, count, connections, say } = bench;
  const chain = await startChannelProcess(nodes);
  const client = await openChainClient(suite, chain.url);
  const lanes = connections * OUTSTANDING;
  const rows: ChannelRow[] = [];
  const http = await overHttp(chain, lanes);
  const channel = await overChannel(chain, connections);
  const options = { lanes, pid: chain.pid };
  try {
    const warm = await client.prepare(Math.ceil(count * WARM_SHARE), lanes);
    await measure("warm-up", channel.way, warm, options);
    for (const [name, { way }] of [
      [`HTTP, polled every ${POLL_MS} ms`, http],
      ["channel, receipt pushed", channel],
    ] as const) {
      say(`${name}: signing ${count} transactions`);
      const submissions = await client.prepare(count, lanes);
      rows.push(await measure(name, way, submissions, options));
    }
  } finally {
    http.close();
    channel.close();
    client.close();
    await chain.stop();
  }
  return rows;
}
