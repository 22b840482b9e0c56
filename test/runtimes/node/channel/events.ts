/** Cases of event-log filters. Source: channel-protocol 7.3 */
import assert from "node:assert/strict";
import type { ChannelClient } from "../../../support/channel/channel-client.ts";
import { newSeq, PUSH_SEQ, topicData, TYPE } from "../../../support/channel/channel-frames.ts";
import type { PushedReceipt, Visit } from "../../../support/channel/channel-place.ts";
import { word } from "../../../support/channel/outside-client.ts";
import { WORKED_SEQ, workedFrame } from "../../../support/channel/worked-frames.ts";
import { type RowCase, rowsOf } from "./row-case.ts";

/** A filter as a client asks for it. */
export type Wanted = Readonly<Record<string, unknown>>;

/** What is pushed for a filter. */
interface EventPush {
  readonly filterID: string;
  readonly logs: readonly PushedLog[] | null;
  readonly result: number;
}

interface PushedLog {
  readonly address: string;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly data: string;
  readonly logIndex: string;
  readonly topics: readonly string[];
  readonly transactionHash: string;
  readonly transactionIndex: string;
}

/** python-sdk installs its callback after the answer. */
const LEAST_WAIT_MS = 100;
/** A client that was kept from reading sees answer and push at once; three times it does not. */
const TRIES = 3;
const MOST_BLOCKS_PER_STEP = 3;

/** A topic that holds a number. */
function topic(value: number): string {
  return `0x${word(value)}`;
}

/** A filter for any log from the height of now on. */
function anyLog(changes: Wanted = {}): Wanted {
  return {
    filterID: newSeq(),
    groupID: "1",
    fromBlock: "latest",
    toBlock: "latest",
    addresses: [],
    topics: [],
    ...changes,
  };
}

function without(filter: Wanted, name: string): Wanted {
  const { [name]: _, ...rest } = filter;
  return rest;
}

/** Registers or unregisters; gives the code. */
export async function codeOf(client: ChannelClient, type: number, filter: Wanted): Promise<number> {
  const answer = await client.ask(type, topicData("", JSON.stringify(filter)));
  const [, code] = /^\u0001\{"result":(-?\d+)\}\n$/.exec(answer.data.toString("latin1")) ?? [];
  assert.equal(answer.result, 0);
  assert.ok(code !== undefined, answer.data.toString());
  return Number(code);
}

async function register(client: ChannelClient, filter: Wanted): Promise<void> {
  assert.equal(await codeOf(client, TYPE.register, filter), 0, JSON.stringify(filter));
}

/** The next push of a filter. */
async function nextPush(client: ChannelClient, filter: Wanted): Promise<EventPush> {
  const read = (data: Buffer) => JSON.parse(data.toString()) as EventPush;
  const frame = await client.take(
    ({ type, data }) => type === TYPE.eventPush && read(data).filterID === filter["filterID"],
  );
  assert.deepEqual([frame.seq, frame.result], [PUSH_SEQ, 0]);
  const push = read(frame.data);
  assert.equal(frame.data.toString(), `${JSON.stringify(push)}\n`, "one line and a newline");
  return push;
}

/** First topics of the logs of a closed range, step by step, until it is completed. */
async function stepsOf(client: ChannelClient, filter: Wanted): Promise<string[][]> {
  const steps: string[][] = [];
  for (;;) {
    const { logs, result } = await nextPush(client, filter);
    if (logs === null) {
      assert.equal(result, 1);
      return steps;
    }
    assert.equal(result, 0);
    steps.push(logs.map((log) => log.topics[0] ?? ""));
  }
}

/** Emits two topics; gives the receipt. */
function emit(
  visit: Visit,
  client: ChannelClient,
  [contract, first, second]: readonly [contract: string, first: number, second: number],
): Promise<PushedReceipt> {
  return visit.transact(client, { to: contract, data: `0x${word(first)}${word(second)}` });
}

/** Emits pairs one block after the other; gives the range of the blocks. */
async function emitAll(
  visit: Visit,
  client: ChannelClient,
  pairs: readonly (readonly [first: number, second: number])[],
) {
  const contract = await visit.deploy(client);
  const numbers: number[] = [];
  for (const [first, second] of pairs)
    numbers.push(Number((await emit(visit, client, [contract, first, second])).blockNumber));
  const range = { fromBlock: `${Math.min(...numbers)}`, toBlock: `${Math.max(...numbers)}` };
  return { contract, range, numbers };
}

/** Topics of a filter, and which of the pairs (1, 5), (2, 5), (3, 6) it takes. */
const MATCHES: readonly (readonly [topics: unknown, first: readonly number[]])[] = [
  [[], [1, 2, 3]],
  [[topic(2)], [2]],
  [topic(2), [2]],
  [
    [null, topic(5)],
    [1, 2],
  ],
  [[[topic(1), topic(3)]], [1, 3]],
  [
    [
      [topic(1), topic(2)],
      [topic(6), topic(5)],
    ],
    [1, 2],
  ],
  [
    [null, null, null, null],
    [1, 2, 3],
  ],
  [[null, null, topic(5)], []],
  [[topic(9)], []],
];

/** Registrations that are refused, with their codes. */
const REFUSED: readonly (readonly [code: number, changes: Wanted])[] = [
  [-41_001, { filterID: "" }],
  [-41_001, { filterID: 5 }],
  [-41_001, { groupID: 0 }],
  [-41_001, { groupID: 32_768 }],
  [-41_001, { groupID: "x" }],
  [-41_001, { fromBlock: "soon" }],
  [-41_001, { addresses: ["xyz"] }],
  [-41_001, { addresses: 7 }],
  [-41_001, { topics: [null, null, null, null, null] }],
  [-41_001, { topics: 7 }],
  [-41_002, { groupID: "99" }],
  [-41_002, { groupID: 99, fromBlock: "9", toBlock: "3" }],
  [-41_003, { fromBlock: "9", toBlock: "3" }],
  [-41_003, { fromBlock: "latest", toBlock: "0" }],
];

/** The cases. */
export const EVENT_CASES: readonly RowCase<Visit>[] = [
  {
    rows: [...rowsOf("7.3", 8, 9), "7.3 text 1", "7.3 text 4", ...rowsOf("4", 4), "4 text 2"],
    test: "a closed range is pushed, then its completion, and nothing more",
    run: async (visit) => {
      const client = await visit.open();
      const contract = await visit.deploy(client);
      const receipt = await emit(visit, client, [contract, 1, 2]);
      const at = String(Number(receipt.blockNumber));
      const filter = anyLog({ fromBlock: at, toBlock: at, addresses: [contract] });
      await register(client, filter);
      const log = {
        address: contract,
        blockHash: receipt.blockHash,
        blockNumber: at,
        data: "0x",
        logIndex: "0x0",
        topics: [topic(1), topic(2)],
        transactionHash: receipt.transactionHash,
        transactionIndex: receipt.transactionIndex,
      };
      const { filterID } = filter;
      assert.deepEqual(await nextPush(client, filter), { filterID, logs: [log], result: 0 });
      assert.deepEqual(await nextPush(client, filter), { filterID, logs: null, result: 1 });
      await emit(visit, client, [contract, 1, 2]);
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: [...rowsOf("7.3", 3, 4), "7.3 text 2", "7.3 text 4", ...rowsOf("4", 14)],
    test: "an open range is pushed block after block, blocks without a match are not",
    run: async (visit) => {
      const [client, sender] = [await visit.open(), await visit.open()];
      const contract = await visit.deploy(sender);
      const open = { addresses: contract, timeout: 600 };
      const filters = [anyLog(open), without(anyLog(open), "fromBlock")];
      filters.push(without(without(anyLog(open), "toBlock"), "fromBlock"));
      for (const filter of filters) await register(client, filter);
      for (const value of [1, 2]) {
        await emit(visit, sender, [contract, value, value]);
        await visit.deploy(sender);
        for (const filter of filters) {
          const { logs } = await nextPush(client, filter);
          assert.deepEqual(
            logs?.map(({ topics }) => topics),
            [[topic(value), topic(value)]],
          );
        }
      }
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: [...rowsOf("7.3", 5, 6), "7.3 text 3"],
    test: "address and topics at their positions decide, any of the alternatives",
    run: async (visit) => {
      const client = await visit.open();
      const { contract, range } = await emitAll(visit, client, [
        [1, 5],
        [2, 5],
        [3, 6],
      ]);
      for (const [topics, expected] of MATCHES) {
        const upper = contract.toUpperCase().replace("0X", "0x");
        const filter = anyLog({ ...range, topics, addresses: [`0x${"1".repeat(40)}`, upper] });
        await register(client, filter);
        const steps = await stepsOf(client, filter);
        assert.deepEqual(steps.flat(), expected.map(topic), JSON.stringify(topics));
      }
    },
  },
  {
    rows: ["7.3 text 4"],
    test: "blocks that wait are examined three at a time, in their order",
    run: async (visit) => {
      const client = await visit.open();
      const pairs = Array.from({ length: 7 }, (_, index) => [index, index] as const);
      const { contract, range, numbers } = await emitAll(visit, client, pairs);
      const filter = anyLog({ ...range, addresses: [contract] });
      await register(client, filter);
      const steps = await stepsOf(client, filter);
      assert.deepEqual(
        steps.flat(),
        pairs.map(([first]) => topic(first)),
      );
      const isDense = Math.max(...numbers) - Math.min(...numbers) === pairs.length - 1;
      if (isDense)
        assert.deepEqual(
          steps.map(({ length }) => length),
          [MOST_BLOCKS_PER_STEP, MOST_BLOCKS_PER_STEP, 1],
        );
      for (const { length } of steps) assert.ok(length <= MOST_BLOCKS_PER_STEP);
    },
  },
  {
    rows: ["7.3 text 7"],
    test: "the first push leaves a tenth of a second after the answer at the earliest",
    run: async (visit) => {
      const client = await visit.open();
      const { contract, range } = await emitAll(visit, client, [[1, 1]]);
      for (let tried = 0; tried < TRIES; tried++) {
        const filter = anyLog({ ...range, addresses: [contract] });
        // From the question on: on a busy machine its answer may be read late.
        const start = performance.now();
        const asked = client.send(TYPE.register, topicData("", JSON.stringify(filter)));
        await client.taken(TYPE.register, asked);
        await nextPush(client, filter);
        const waited = performance.now() - start;
        assert.ok(waited >= 0.9 * LEAST_WAIT_MS, `${waited} ms`);
        await nextPush(client, filter);
      }
    },
  },
  {
    rows: [...rowsOf("7.3", 1, 4), ...rowsOf("7.3", 11, 13), "7.3 text 2", "7.3 text 6"],
    test: "a filter that lacks something, or is of no group or range, is refused by its code",
    run: async (visit) => {
      const client = await visit.open();
      await visit.deploy(client);
      for (const [code, changes] of REFUSED) {
        const filter = anyLog(changes);
        assert.equal(await codeOf(client, TYPE.register, filter), code, JSON.stringify(filter));
      }
      for (const name of ["filterID", "groupID", "addresses", "topics"]) {
        const filter = without(anyLog(), name);
        assert.equal(await codeOf(client, TYPE.register, filter), -41_001, name);
      }
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: [...rowsOf("7.3", 2, 4), ...rowsOf("7.3", 7)],
    test: "groups as numbers, heights in hexadecimal and a timeout are taken",
    run: async (visit) => {
      const client = await visit.open();
      await client.sendBytes(workedFrame("H18"));
      const { data } = await client.taken(TYPE.register, WORKED_SEQ);
      assert.equal(data.toString("latin1"), '\u0001{"result":0}\n');
      await register(client, anyLog({ groupID: 1, timeout: 5, fromBlock: "0x1", toBlock: "0x2" }));
      await register(client, anyLog({ groupID: "1", addresses: `0x${"1".repeat(40)}` }));
    },
  },
  {
    rows: ["7.3 text 5", ...rowsOf("4", 5), ...rowsOf("7.3", 8)],
    test: "an unregistered filter is pushed nothing more; an unknown one is unregistered too",
    run: async (visit) => {
      const client = await visit.open();
      const contract = await visit.deploy(client);
      const filter = anyLog({ addresses: [contract] });
      await register(client, filter);
      await emit(visit, client, [contract, 1, 1]);
      await nextPush(client, filter);
      assert.equal(await codeOf(client, TYPE.unregister, filter), 0);
      await emit(visit, client, [contract, 2, 2]);
      assert.equal(await codeOf(client, TYPE.unregister, anyLog()), 0);
      await client.servesWhileAbstaining();
      const unfit = { filterID: newSeq(), groupID: "1" };
      assert.equal(await codeOf(client, TYPE.unregister, unfit), -41_001);
      assert.equal(await codeOf(client, TYPE.unregister, anyLog({ groupID: 99 })), -41_002);
    },
  },
  {
    rows: ["7.3 text 5"],
    test: "a session neither unregisters nor hears the filter of another",
    run: async (visit) => {
      const [client, other] = [await visit.open(), await visit.open()];
      const contract = await visit.deploy(client);
      const filter = anyLog({ addresses: [contract] });
      await register(client, filter);
      assert.equal(await codeOf(other, TYPE.unregister, filter), 0);
      await emit(visit, client, [contract, 3, 3]);
      assert.equal((await nextPush(client, filter)).logs?.length, 1);
      await other.servesWhileAbstaining();
    },
  },
  {
    rows: ["7.3 text 4"],
    test: "a filter dies with its session, and its name can be used again",
    run: async (visit) => {
      const [client, second] = [await visit.open(), await visit.open()];
      const contract = await visit.deploy(second);
      const filter = anyLog({ addresses: [contract] });
      await register(client, filter);
      await client.close();
      await register(second, filter);
      await emit(visit, second, [contract, 4, 4]);
      assert.equal((await nextPush(second, filter)).logs?.length, 1);
      await second.servesWhileAbstaining();
    },
  },
];
