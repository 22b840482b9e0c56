/** Cases of transactions and the push of their receipts. Source: channel-protocol 6.1 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  type ChannelClient,
  requestText,
  type RpcAnswer,
} from "../../../support/channel/channel-client.ts";
import { frameBytes, newSeq, TYPE } from "../../../support/channel/channel-frames.ts";
import {
  type Call,
  EMITTER_CREATION,
  type PushedReceipt,
  type Visit,
} from "../../../support/channel/channel-place.ts";
import { answerOf, ask, askUntil } from "../../../support/process/dev-chain-process.ts";
import {
  fromHex,
  type Header,
  headerHash,
  receiptHash,
  rootOf,
  type Signed,
  word,
} from "../../../support/channel/outside-client.ts";
import { styledJson } from "../../../support/channel/styled-json.ts";
import { type RowCase, rowsOf } from "./row-case.ts";

const ZERO_HASH = `0x${"0".repeat(64)}`;
const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
const PROOF_METHOD = "sendRawTransactionAndGetProof";

/** Members of every receipt, in order. */
const MEMBERS = [
  ["blockHash", "blockNumber", "contractAddress", "from", "gasUsed", "input", "logs", "logsBloom"],
  ["output", "remainGas", "root", "status", "statusMsg", "to", "transactionHash"],
  ["transactionIndex"],
].flat();

/** A receipt that stands for a refusal, but for its status. */
const REFUSED = {
  blockHash: ZERO_HASH,
  blockNumber: "0x0",
  contractAddress: ZERO_ADDRESS,
  from: ZERO_ADDRESS,
  gasUsed: "0x0",
  input: "0x",
  logs: [],
  logsBloom: `0x${"0".repeat(512)}`,
  output: "0x",
  remainGas: "0x0",
  root: ZERO_HASH,
  to: ZERO_ADDRESS,
  transactionHash: ZERO_HASH,
  transactionIndex: "0x0",
};

/** Sends transactions in one write; gives the seqs. */
export async function sendTogether(
  client: ChannelClient,
  raws: readonly string[],
  groupId = 1,
): Promise<string[]> {
  const seqs = raws.map(newSeq);
  const frames = raws.map((raw, index) =>
    frameBytes(TYPE.rpc, requestText("sendRawTransaction", [groupId, raw]), seqs[index] ?? ""),
  );
  await client.sendBytes(Buffer.concat(frames));
  return seqs;
}

/** The answer to a request. */
export async function answerTo(client: ChannelClient, seq: string): Promise<RpcAnswer> {
  const { data } = await client.taken(TYPE.rpc, seq);
  return JSON.parse(data.toString()) as RpcAnswer;
}

/** The receipt that is pushed for a request. */
export async function receiptTo(client: ChannelClient, seq: string): Promise<PushedReceipt> {
  const { data, result } = await client.taken(TYPE.receiptPush, seq);
  assert.equal(result, 0);
  return JSON.parse(data.toString()) as PushedReceipt;
}

/** A refusal as a version shows it. */
export interface Refusal {
  /** Word of the error in versions 1 and 2. */
  readonly word: string;
  /** Status and its name in version 3. */
  readonly status: string;
  readonly statusMsg: string;
}

/** A session of versions 1 or 2 is told an error, and no receipt follows. */
export async function isRefused(
  client: ChannelClient,
  seq: string,
  { raw, hash }: Signed,
  { word: said, status, statusMsg }: Refusal,
): Promise<void> {
  const { error } = await answerTo(client, seq);
  assert.deepEqual([error?.code, error?.data], [-32_603, null], raw);
  const limit = said === "BlockLimitCheckFailed" ? "txBlockLimit=\\d+, " : "";
  const token = `${statusMsg}\\(${status}\\): ${said}, ${limit}txHash=${hash.slice(2, 10)}`;
  assert.match(error?.message ?? "", new RegExp(`^INTERNAL_ERROR: ${token}\\.\\.\\.$`));
}

/** A session of version 3 is told the hash, and then a receipt with the status. */
export async function isRefusedLater(
  client: ChannelClient,
  seq: string,
  { hash }: Signed,
  { status, statusMsg }: Refusal,
): Promise<void> {
  assert.equal((await answerTo(client, seq)).result, hash);
  const receipt = await receiptTo(client, seq);
  assert.deepEqual(receipt as object, { ...REFUSED, status, statusMsg });
}

/** Transactions to send in one write, of which the last is refused. */
type Prepared = readonly Signed[];

interface RefusalRow extends Refusal {
  readonly row: number;
  readonly test: string;
  readonly prepare: (visit: Visit, client: ChannelClient) => Promise<Prepared>;
}

async function twoWith(visit: Visit, client: ChannelClient, call: Call): Promise<Prepared> {
  const first = await visit.signed(client, { data: EMITTER_CREATION, ...call });
  return [first, await visit.signed(client, { data: `${EMITTER_CREATION}00`, ...call })];
}

function only(call: (head: number) => Call) {
  return async (visit: Visit, client: ChannelClient): Promise<Prepared> => {
    const head = Number(await client.result("getBlockNumber", 1));
    const wanted = { data: EMITTER_CREATION, blockLimit: BigInt(head + 500), ...call(head) };
    return [await visit.signed(client, wanted)];
  };
}

const REFUSALS: readonly RefusalRow[] = [
  {
    row: 5,
    test: "that waits already",
    word: "TransactionAlreadyKown",
    status: "0x2710",
    statusMsg: "AlreadyKnown",
    prepare: async (visit, client) => {
      const signed = await visit.signed(client, { data: EMITTER_CREATION });
      return [signed, signed];
    },
  },
  {
    row: 7,
    test: "whose nonce a block holds",
    word: "TransactionNonceCheckFail",
    status: "0xf",
    statusMsg: "NonceCheckFail",
    prepare: async (visit, client) => {
      const signed = await visit.signed(client, { data: EMITTER_CREATION });
      const [seq = ""] = await sendTogether(client, [signed.raw]);
      await answerTo(client, seq);
      await receiptTo(client, seq);
      return [signed];
    },
  },
  {
    row: 8,
    test: "whose nonce waits already",
    word: "TxPoolNonceCheckFail",
    status: "0xf",
    statusMsg: "NonceCheckFail",
    prepare: (visit, client) =>
      twoWith(visit, client, { nonce: BigInt(`0x${randomBytes(16).toString("hex")}`) }),
  },
  {
    row: 9,
    test: "whose last block is there",
    word: "BlockLimitCheckFailed",
    status: "0x10",
    statusMsg: "BlockLimitCheckFail",
    prepare: only((head) => ({ blockLimit: BigInt(Math.max(head - 1, 0)) })),
  },
  {
    row: 9,
    test: "whose last block is too far",
    word: "BlockLimitCheckFailed",
    status: "0x10",
    statusMsg: "BlockLimitCheckFail",
    prepare: only((head) => ({ blockLimit: BigInt(head + 5_000) })),
  },
  {
    row: 11,
    test: "of another chain",
    word: "InvalidChainId",
    status: "0x2712",
    statusMsg: "InvalidChainId",
    prepare: only(() => ({ chainId: 9n })),
  },
  {
    row: 12,
    test: "of another group",
    word: "InvalidGroupId",
    status: "0x2713",
    statusMsg: "InvalidGroupId",
    prepare: only(() => ({ groupId: 9n })),
  },
];

/** Runs a refusal in a version. */
async function refuse(visit: Visit, version: number, row: RefusalRow): Promise<void> {
  const client = await visit.open();
  if (version > 1) assert.equal(await client.handshake(version), version);
  const prepared = await row.prepare(visit, client);
  const seqs = await sendTogether(
    client,
    prepared.map(({ raw }) => raw),
  );
  const [seq = "", signed] = [seqs.at(-1), prepared.at(-1)];
  assert.ok(signed);
  const check = version === 3 ? isRefusedLater : isRefused;
  await check(client, seq, signed, row);
  for (const accepted of seqs.slice(0, -1)) await receiptTo(client, accepted);
  const late = client.unread.filter((frame) => frame.seq === seq);
  assert.deepEqual(late, [], "nothing more is told");
}

const REFUSAL_CASES = REFUSALS.map(
  (row): RowCase<Visit> => ({
    rows: ["6.1 text 4", ...rowsOf("6.1", row.row), "6.1 text 5", ...rowsOf("5.2", 6)],
    test: `a transaction ${row.test} is refused with ${row.word}, in version 3 by a receipt`,
    run: async (visit) => {
      for (const version of [1, 2, 3]) await refuse(visit, version, row);
    },
  }),
);

/** Bytes that are no transaction. */
const UNDECODABLE = ["0xzz", "zz", "0x", "0x01", "0xc0", `0x${"ff".repeat(40)}`];

/** A case of requests that every version refuses in its answer. */
function refusedAtOnce(
  row: number,
  test: string,
  [groupId, code, raws]: readonly [groupId: number, code: number, raws: readonly string[]],
): RowCase<Visit> {
  const run = async (visit: Visit) => {
    for (const version of [1, 3]) {
      const client = await visit.open();
      if (version > 1) await client.handshake(version);
      for (const raw of raws) {
        const { error } = await client.rpc("sendRawTransaction", groupId, raw);
        assert.equal(error?.code, code, raw);
      }
      await client.servesWhileAbstaining();
    }
  };
  return { rows: rowsOf("6.1", row), test, run };
}

async function headerOf(client: ChannelClient, number: string): Promise<Header> {
  const header = await client.result<Header>("getBlockHeaderByNumber", 1, number, false);
  assert.equal(headerHash(header), header.hash);
  return header;
}

/** Both proofs of a pushed receipt lead to the roots of its block's header. */
export async function provesItself(client: ChannelClient, receipt: PushedReceipt): Promise<void> {
  const { txProof, receiptProof, transactionHash, blockHash } = receipt;
  assert.ok(txProof && receiptProof, "both proofs are there");
  const header = await headerOf(client, receipt.blockNumber);
  assert.equal(header.hash, blockHash);
  const index = BigInt(receipt.transactionIndex);
  assert.equal(rootOf(index, fromHex(transactionHash), txProof), header.transactionsRoot);
  assert.equal(rootOf(index, receiptHash(receipt), receiptProof), header.receiptsRoot);
}

/** The cases. */
export const TRANSACTION_CASES: readonly RowCase<Visit>[] = [
  {
    rows: ["6.1 text 1", "6.1 step 1", "6.1 step 2", "6.1 step 3", "6.1 text 2"],
    test: "a transaction is answered with its hash, and then its receipt is pushed",
    run: async (visit) => {
      const [client, silent] = [await visit.open(), await visit.open()];
      const { raw, hash } = await visit.signed(client, { data: EMITTER_CREATION });
      const arrived = client.lengths.length;
      const seq = client.send(TYPE.rpc, requestText("sendRawTransaction", [1, raw]));
      const receipt = await receiptTo(client, seq);
      const [answer] = client.unread;
      assert.equal(answer?.type, TYPE.rpc, "the answer came before the push");
      assert.equal((await answerTo(client, seq)).result, hash);
      assert.equal(receipt.transactionHash, hash);
      assert.equal(client.lengths.length, arrived + 2);
      await silent.servesWhileAbstaining();
    },
  },
  {
    rows: ["6.1 text 3", ...rowsOf("4", 12), "4 text 2", ...rowsOf("9", 1)],
    test: "a pushed receipt is styled text with the sixteen members in order",
    run: async (visit) => {
      const client = await visit.open();
      const to = await visit.deploy(client);
      const data = `0x${word(7)}${word(8)}`;
      const { raw } = await visit.signed(client, { to, data });
      const seq = client.send(TYPE.rpc, requestText("sendRawTransaction", [1, raw]));
      const { data: text, result } = await client.taken(TYPE.receiptPush, seq);
      assert.equal(result, 0);
      const receipt = JSON.parse(text.toString()) as PushedReceipt;
      assert.deepEqual(Object.keys(receipt), MEMBERS);
      assert.equal(text.toString(), styledJson(receipt));
      assert.deepEqual(receipt.logs, [
        { address: to, data: "0x", topics: [`0x${word(7)}`, `0x${word(8)}`] },
      ]);
      const { rpc } = visit.node(0);
      const asked = await ask<object>(rpc, "getTransactionReceipt", 1, receipt.transactionHash);
      for (const [name, value] of Object.entries(asked))
        assert.deepEqual({ ...receipt }[name], value, name);
    },
  },
  {
    rows: ["6.1 text 3", "6.1 text 1", ...rowsOf("6", 3)],
    test: "with proofs asked for, both lead to the roots of the header",
    run: async (visit) => {
      const client = await visit.open();
      const plain = await visit.transact(client, { data: EMITTER_CREATION });
      assert.ok(!("txProof" in plain) && !("receiptProof" in plain));
      const call = { data: EMITTER_CREATION };
      const receipts = await Promise.all(
        Array.from({ length: 5 }, () => visit.transact(client, call, PROOF_METHOD)),
      );
      for (const receipt of receipts) await provesItself(client, receipt);
    },
  },
  {
    rows: [...rowsOf("6", 3), "6.1 text 2"],
    test: "a transaction that came over HTTP, or from a session that is gone, is pushed to nobody",
    run: async (visit) => {
      const client = await visit.open();
      const gone = await visit.open();
      const [first, second] = [await visit.signed(client), await visit.signed(client)];
      const { rpc } = visit.node(0);
      await answerOf(rpc, "sendRawTransaction", [1, first.raw]);
      const seq = gone.send(TYPE.rpc, requestText("sendRawTransaction", [1, second.raw]));
      assert.equal((await answerTo(gone, seq)).result, second.hash);
      await gone.close();
      for (const { hash } of [first, second]) {
        const once = () => client.result("getTransactionReceipt", 1, hash);
        await askUntil(once, (receipt) => receipt !== null);
      }
      await client.servesWhileAbstaining();
    },
  },
  ...REFUSAL_CASES,
  refusedAtOnce(2, "a transaction to an unknown group is refused at once in every version", [
    99,
    -40_001,
    ["0x01"],
  ]),
  refusedAtOnce(3, "bytes that are no transaction are refused at once in every version", [
    1,
    -32_603,
    UNDECODABLE,
  ]),
  {
    rows: ["5.2 text 2"],
    test: "the version that counts for a transaction is that at its arrival",
    run: async (visit) => {
      const client = await visit.open();
      const { raw } = await visit.signed(client, { data: EMITTER_CREATION, chainId: 9n });
      const [seq, shake] = [newSeq(), newSeq()];
      await client.sendBytes(
        Buffer.concat([
          frameBytes(TYPE.rpc, requestText("sendRawTransaction", [1, raw]), seq),
          frameBytes(TYPE.handshake, '{"maximumSupport":3}', shake),
        ]),
      );
      assert.equal((await answerTo(client, seq)).error?.code, -32_603);
      await client.taken(TYPE.handshake, shake);
      await client.servesWhileAbstaining();
    },
  },
];
