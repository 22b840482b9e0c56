/** A transport that answers as a test says, and a client over it whose time the test moves. */
import assert from "node:assert/strict";
import { accountOf } from "../../../core/client/account.ts";
import { NodeFault, TransportFault } from "../../../core/client/client-fault.ts";
import { type Client, clientOver } from "../../../core/client/create-client.ts";
import type { Receipt } from "../../../core/client/rpc-objects.ts";
import type { RpcCall, Transport } from "../../../core/client/transport.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { createHandClock, type HandClock } from "../world/hand-clock.ts";
import { STANDARD_SUITE as STANDARD } from "../suites.ts";

/** What a method answers: a value, or a function of the parameters that may throw. */
export type Answers = Readonly<Record<string, unknown>>;

/** A transport of which all requests are known. */
export interface ToldTransport extends Transport {
  readonly calls: RpcCall[];
}

/** Nobody is reached. */
export function unreachable(): never {
  throw new TransportFault("nobody there");
}

/** A pool's refusal in the words of a node. */
export function refuse(words: string): () => never {
  return () => {
    throw new NodeFault(`INTERNAL_ERROR: ${words}`, { code: -32603, method: "sendRawTransaction" });
  };
}

/** A transport over answers; each may be a list that is used up from the front. */
export function toldTransport(answers: Answers, more: Partial<Transport> = {}): ToldTransport {
  const calls: RpcCall[] = [];
  const queues = new Map(
    Object.entries(answers).map(([name, answer]) => [
      name,
      Array.isArray(answer) ? [...answer] : [answer],
    ]),
  );
  return {
    calls,
    async request(call) {
      calls.push(call);
      const queue = queues.get(call.method);
      assert.ok(queue, `nobody expects ${call.method}`);
      const answer = queue.length > 1 ? queue.shift() : queue[0];
      return typeof answer === "function" ? answer(call.params) : answer;
    },
    ...more,
  };
}

/** Answers of a node of chain 1 at height 16. */
export const CHAIN: Answers = {
  getClientVersion: {
    "Chain Id": "1",
    "FISCO-BCOS Version": "2.12.0",
    "Supported Version": "2.11.1",
  },
  getBlockNumber: "0x10",
};

/** A client, its transport and its clock. */
export interface ToldClient {
  readonly client: Client;
  readonly transport: ToldTransport;
  readonly clock: HandClock;
  /** Lets the work go on, through all its pauses. */
  finish<T>(work: Promise<T>): Promise<T>;
}

/** Moved at once while work goes on; a step of a wait is longer. */
const STEP_MS = 20;
const MAX_STEPS = 20_000;

/** A client of group 1 with an account. */
export function toldClient(
  answers: Answers,
  more: Partial<Transport> = {},
  suite: CryptoSuite = STANDARD,
): ToldClient {
  const transport = toldTransport({ ...CHAIN, ...answers }, more);
  const clock = createHandClock();
  let drawn = 0;
  const entropy = { bytes: (count: number) => new Uint8Array(count).fill(++drawn) };
  const account = accountOf("11".repeat(32), suite);
  const client = clientOver({ transport, groupId: 1, suite, account }, { clock, entropy });
  const finish = async <T>(work: Promise<T>): Promise<T> => {
    let done = false;
    const settled = work.finally(() => {
      done = true;
    });
    settled.catch(() => undefined);
    for (let steps = 0; !done; steps++) {
      assert.ok(steps < MAX_STEPS, "the work never ends");
      for (let turn = 0; turn < 10 && !done; turn++) await Promise.resolve();
      if (!done) clock.move(STEP_MS);
    }
    return await settled;
  };
  return { client, transport, clock, finish };
}

/** A receipt of a transaction. */
export function receiptOf(hash: string, changes: Partial<Receipt> = {}): Receipt {
  const zeros = (digits: number) => `0x${"0".repeat(digits)}` as const;
  return {
    blockHash: zeros(64),
    blockNumber: "0x11",
    contractAddress: zeros(40),
    from: zeros(40),
    gasUsed: "0x1",
    input: "0x",
    logs: [],
    logsBloom: zeros(512),
    output: "0x",
    remainGas: "0x0",
    root: zeros(64),
    status: "0x0",
    statusMsg: "None",
    to: zeros(40),
    transactionHash: hash as Receipt["transactionHash"],
    transactionIndex: "0x0",
    ...changes,
  };
}
