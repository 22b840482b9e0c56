/** Cases of transactions that only limited groups refuse or drop. Source: channel-protocol 6.1 */
import assert from "node:assert/strict";
import type { ChannelClient } from "../../../support/channel/channel-client.ts";
import { type FolderPlace, GROUP } from "../../../support/channel/channel-folder-place.ts";
import { EMITTER_CREATION, type Visit } from "../../../support/channel/channel-place.ts";
import type { Signed } from "../../../support/channel/outside-client.ts";
import { type RowCase, rowsOf } from "./row-case.ts";
import {
  answerTo,
  isRefused,
  isRefusedLater,
  receiptTo,
  type Refusal,
  sendTogether,
} from "./transactions.ts";

type Place = Visit<FolderPlace>;

/** In one write, one to a block: the last comes too late for the blocks that it names. */
const FILLERS = 40;
/** As many blocks may pass before the last is admitted: its sender is recovered next to them. */
const BLOCKS_AHEAD = 36;
/** This many at once are not all recovered next to other work: the thread for it starts. */
const WARMING = 12;

async function inVersion(visit: Place, version: number, node = 0): Promise<ChannelClient> {
  const client = await visit.open(node);
  if (version > 1) assert.equal(await client.handshake(version), version);
  return client;
}

function refusedAs(
  version: number,
  client: ChannelClient,
  [seq, signed, refusal]: readonly [seq: string, signed: Signed, refusal: Refusal],
): Promise<void> {
  const check = version === 3 ? isRefusedLater : isRefused;
  return check(client, seq, signed, refusal);
}

/** Transactions to a group in one write, of which the last is refused in both ways. */
async function lastRefused(
  visit: Place,
  [groupId, count]: readonly [groupId: number, count: number],
  refusal: Refusal,
): Promise<void> {
  for (const version of [1, 3]) {
    const client = await inVersion(visit, version);
    const signed: Signed[] = [];
    const call = { data: EMITTER_CREATION, groupId: BigInt(groupId) };
    for (let made = 0; made < count; made++) signed.push(await visit.signed(client, call));
    const raws = signed.map(({ raw }) => raw);
    const seqs = await sendTogether(client, raws, groupId);
    const [seq = "", last] = [seqs.at(-1), signed.at(-1)];
    assert.ok(last);
    await refusedAs(version, client, [seq, last, refusal]);
    for (const accepted of seqs.slice(0, -1)) await receiptTo(client, accepted);
  }
}

/** A transaction that its block comes too late for; gives it with its seq. */
async function dropped(visit: Place, client: ChannelClient): Promise<readonly [string, Signed]> {
  const call = { data: EMITTER_CREATION };
  const several = async (count: number): Promise<Signed[]> => {
    const signed: Signed[] = [];
    for (let made = 0; made < count; made++) signed.push(await visit.signed(client, call));
    return signed;
  };
  // The thread that recovers signatures starts with its first batch: blocks pass meanwhile.
  const first = await sendTogether(
    client,
    (await several(WARMING)).map(({ raw }) => raw),
  );
  for (const seq of first) await receiptTo(client, seq);
  const fillers = await several(FILLERS);
  const head = Number(await client.result("getBlockNumber", 1));
  const short = await visit.signed(client, { ...call, blockLimit: BigInt(head + BLOCKS_AHEAD) });
  const raws = [...fillers, short].map(({ raw }) => raw);
  const seqs = await sendTogether(client, raws);
  for (const seq of seqs.slice(0, -1)) await receiptTo(client, seq);
  return [seqs.at(-1) ?? "", short];
}

/** The cases. */
export const REFUSAL_CASES: readonly RowCase<Place>[] = [
  {
    rows: rowsOf("6.1", 1),
    test: "a node that is not in the group refuses its transactions",
    run: async (visit) => {
      const signer = await visit.open(0);
      const signed = await visit.signed(signer, { data: EMITTER_CREATION });
      const first = await inVersion(visit, 1, 1);
      const [seq = ""] = await sendTogether(first, [signed.raw]);
      assert.equal((await answerTo(first, seq)).error?.code, -40_009);
      const third = await inVersion(visit, 3, 1);
      const [later = ""] = await sendTogether(third, [signed.raw]);
      const statusMsg = "RequestNotBelongToTheGroup";
      await isRefusedLater(third, later, signed, { word: "", status: "0x2714", statusMsg });
    },
  },
  {
    rows: rowsOf("6.1", 10),
    test: "a full pool refuses",
    run: (visit) =>
      lastRefused(visit, [GROUP.full, 2], {
        word: "TransactionPoolIsFull",
        status: "0x1c",
        statusMsg: "TxPoolIsFull",
      }),
  },
  {
    rows: rowsOf("6.1", 13),
    test: "a pool without memory refuses",
    lane: "group 3",
    run: async (visit) => {
      const statusMsg = "OverGroupMemoryLimit";
      const refusal = { word: statusMsg, status: "0x2716", statusMsg };
      const client = await visit.open();
      // The group takes three requests in a second.
      const signed = await visit.signed(client, {
        data: EMITTER_CREATION,
        groupId: BigInt(GROUP.forgetful),
      });
      for (const version of [1, 3]) {
        const session = await inVersion(visit, version);
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        const [seq = ""] = await sendTogether(session, [signed.raw], GROUP.forgetful);
        await refusedAs(version, session, [seq, signed, refusal]);
      }
    },
  },
  {
    rows: [...rowsOf("6.1", 15), "6.1 step 3"],
    test: "a transaction whose blocks have passed while it waited is pushed as refused",
    lane: "group 1",
    run: async (visit) => {
      for (const version of [1, 3]) {
        const client = await inVersion(visit, version);
        const [seq, signed] = await dropped(visit, client);
        const late = { word: "", status: "0x1d", statusMsg: "TransactionRefused" };
        await isRefusedLater(client, seq, signed, late);
      }
    },
  },
];
