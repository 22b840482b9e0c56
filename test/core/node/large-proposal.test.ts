/** A proposal that could not be sent to those who miss it is not signed. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { ZERO_HASH } from "../../../core/bytes/ids.ts";
import { createCodec } from "../../../core/consensus/pbft/codec.ts";
import type { Effect } from "../../../core/consensus/pbft/effect.ts";
import type { Input } from "../../../core/consensus/pbft/input.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { SignedTransaction } from "../../../core/model/transaction.ts";
import { transactionsRoot } from "../../../core/model/roots.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { ConsensusHost, type ConsensusSurroundings } from "../../../core/node/consensus-host.ts";
import { PROPOSAL_BYTES_LIMIT, ProposalBook } from "../../../core/node/proposal-book.ts";
import type { ExecuteRequest } from "../../../core/ports/executor.ts";
import type { ProposalDefect } from "../../../core/txpool/proposal-check.ts";
import { createNodeClock } from "../../../runtimes/node/clock.ts";
import { smallChain, smallTransaction } from "../../support/small-chain.ts";

const suite = createStandardSuite();
const rules = { suite, version: NEWEST_VERSION };

/** A book with one complete proposal whose transactions are as large as told. */
function bookOf(sizes: readonly number[]) {
  const book = new ProposalBook(rules);
  const transactions = sizes.map((size, i): SignedTransaction => {
    const transaction = smallTransaction({ nonce: BigInt(i + 1) });
    return { ...transaction, raw: new Uint8Array(size) };
  });
  const { header } = smallChain()[0] ?? assert.fail();
  const proposed = {
    ...header,
    number: 1,
    stateRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    extraData: [],
    transactionsRoot: transactionsRoot(transactions, rules),
  };
  const hashes = transactions.map(({ hash }) => hash);
  const entry = book.add({ header: proposed, hashes }, (hash) =>
    transactions.find((transaction) => transaction.hash === hash),
  );
  assert.ok(entry);
  return { book, entry };
}

/** What the host does with the effect to execute it. */
async function execute(sizes: readonly number[], defect?: ProposalDefect) {
  const { book, entry } = bookOf(sizes);
  const inputs: Input[] = [];
  const executed: ExecuteRequest[] = [];
  const nothing = () => undefined;
  const surroundings: ConsensusSurroundings = {
    input: (input) => inputs.push(input),
    persist: async () => undefined,
    broadcast: nothing,
    send: nothing,
    wantsOutline: () => true,
    requestBody: nothing,
    executing: nothing,
    assemble: async () => entry,
    defectOf: () => defect,
    propose: nothing,
    afterWrite: () => assert.fail(),
    written: nothing,
    outlived: nothing,
    report: nothing,
    reject: nothing,
    fail: (cause) => assert.fail(String(cause)),
  };
  const host = new ConsensusHost({
    clock: createNodeClock(),
    log: { write: nothing },
    executor: {
      execute: async (request) => {
        executed.push(request);
        return { ok: false, reason: "badTransaction", heavy: undefined };
      },
      cancel: nothing,
      write: async () => undefined,
      call: () => assert.fail(),
      close: async () => undefined,
    },
    book,
    codec: createCodec({ chainId: 1, groupId: 1, suite }),
    surroundings,
  });
  const token = { height: 1, view: 0, proposal: entry.proposal };
  const effects: Effect[] = [{ type: "execute", token }];
  host.take(effects);
  await new Promise((resolve) => setImmediate(resolve));
  await host.stop();
  return { inputs, executed };
}

test("a proposal of more bytes than fit into a message of a block is refused unexecuted", async () => {
  const half = PROPOSAL_BYTES_LIMIT / 2;
  const { inputs, executed } = await execute([half, half + 1]);
  assert.equal(executed.length, 0);
  const [input] = inputs;
  assert.ok(input?.type === "executed" && input.executed === undefined);
});

test("a proposal of just so many bytes is executed", async () => {
  const half = PROPOSAL_BYTES_LIMIT / 2;
  const { executed } = await execute([half, half]);
  assert.equal(executed.length, 1);
});

test("a proposal with what admission refuses everywhere is refused unexecuted", async () => {
  const { inputs, executed } = await execute([100], "nonceUsed");
  assert.equal(executed.length, 0);
  const [input] = inputs;
  assert.ok(input?.type === "executed" && input.executed === undefined);
});
