/** What the transactions of a proposal may keep in memory until it is written. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { Accounts, READ_SLOTS_LIMIT } from "../../../core/execution/accounts.ts";
import { LIMBS } from "../../../core/execution/slot-words.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { Overlay } from "../../../core/storage/overlay.ts";
import { assemble } from "../../support/assembler.ts";
import { openOverlay } from "../../support/overlays.ts";
import { BOB, openTestChain, rawTransaction, SUITE } from "../../support/test-chain.ts";

// rules: pbft 16.3.8, execution 13, README 21

/** Stores as many fresh slots as the first word of the input says, from the second word on. */
const STORER = assemble(`
  32 calldataload 0 calldataload
  again: dup1 iszero @done jumpi
  1 swap1 sub
  dup2 dup1 swap1 sstore
  swap1 1 add swap1
  @again jump
  done: stop
`);
/** Logs as many zero bytes as the first word of the input says. */
const LOGGER = assemble("0 calldataload 0 log0 stop");

const word = (value: number) => value.toString(16).padStart(64, "0");
/** A call that stores slots that no other one stores. */
let nextSlot = 1;
function storing(slots: number): string {
  nextSlot += slots;
  return word(slots) + word(nextSlot);
}

const LIMIT = 100_000;

async function open() {
  const chain = await openTestChain({ processor: { heldLimit: LIMIT } });
  const storer = await chain.deploy(STORER);
  const logger = await chain.deploy(LOGGER);
  const store = (slots: number) => rawTransaction({ to: storer, input: storing(slots) });
  const log = (bytes: number) => rawTransaction({ to: logger, input: word(bytes) });
  const plain = () => rawTransaction({ to: BOB });
  return { chain, store, log, plain };
}

test("a proposal that would keep too much is refused, and names who passed the bound", async () => {
  const { chain, store, plain } = await open();
  const transactions = [plain(), store(40), store(40), store(40), store(40), plain()];
  const request = { ...chain.propose(transactions), undecided: true };
  const outcome = await chain.processor.execute(request);
  assert.deepEqual(outcome, { ok: false, reason: "tooHeavy", heavy: transactions[3]?.hash });
  // Those before it fit, and make a block.
  const fitting = { ...chain.propose(transactions.slice(0, 3)), undecided: true };
  assert.ok((await chain.processor.execute(fitting)).ok);
});

test("what is decided is executed whatever it keeps", async () => {
  const { chain, store } = await open();
  const outcome = await chain.processor.execute(chain.propose([store(200), store(200)]));
  assert.ok(outcome.ok);
  await chain.processor.write(outcome.block.hash, []);
  assert.equal(chain.ledger.refresh().number, 3);
});

test("one that keeps too much by itself is refused with others and executed alone", async () => {
  const { chain, store, plain } = await open();
  const large = store(400);
  const beside = { ...chain.propose([large, plain()]), undecided: true };
  const outcome = await chain.processor.execute(beside);
  assert.deepEqual(outcome, { ok: false, reason: "tooHeavy", heavy: large.hash });
  const alone = { ...chain.propose([large]), undecided: true };
  assert.ok((await chain.processor.execute(alone)).ok);
});

test("logs and outputs are kept too", async () => {
  const { chain, log, plain } = await open();
  const transactions = [log(20_000), log(20_000), log(20_000), plain()];
  const request = { ...chain.propose(transactions), undecided: true };
  const outcome = await chain.processor.execute(request);
  assert.deepEqual(outcome, { ok: false, reason: "tooHeavy", heavy: transactions[2]?.hash });
});

test("slots that were only read are forgotten at a limit, changed ones are not", () => {
  const asked: string[] = [];
  const source = {
    rows: (table: string, key: string) => {
      if (table.startsWith("c_")) asked.push(key);
      return [];
    },
  };
  const overlay = new Overlay({ source, version: NEWEST_VERSION, parentNumber: 5 });
  const account = new Accounts({ overlay, suite: SUITE }).create(BOB, "0");
  const words = new Uint32Array(2 * LIMBS);
  const read = (slot: number): number => {
    words.fill(0);
    words[0] = slot;
    account.loadSlot(words, 0);
    return words[0] ?? 0;
  };
  words[0] = 1;
  words[LIMBS] = 77;
  account.storeSlot(words, 0, LIMBS);
  const before = overlay.savepoint();
  words[LIMBS] = 78;
  account.storeSlot(words, 0, LIMBS);
  for (let slot = 2; slot <= READ_SLOTS_LIMIT + 10; slot++) read(slot);
  asked.length = 0;
  assert.equal(read(1), 78);
  assert.deepEqual(asked, [], "the changed slot is still known");
  overlay.rollback(before);
  assert.equal(read(1), 77, "and its change can be undone");
  read(READ_SLOTS_LIMIT + 10);
  assert.deepEqual(asked, [], "so is what was read last");
  read(2);
  assert.deepEqual(asked, ["2"]);
});

test("the text that a change keeps counts as work, whatever the number of rows", () => {
  const overlay = openOverlay();
  const table = overlay.open("u_t");
  assert.ok(table);
  const effortOf = (change: () => void): number => {
    const before = overlay.effort;
    change();
    return overlay.effort - before;
  };
  const insert = (bytes: number) => effortOf(() => table.insert("key", [["a", "x".repeat(bytes)]]));
  assert.equal(insert(1_010) - insert(10), 8_000);
  const update = (bytes: number) => effortOf(() => table.update("key", [["a", "y".repeat(bytes)]]));
  assert.equal(update(1_010) - update(10), 8_000);
  const none = effortOf(() => table.update("other", [["a", "y".repeat(1_000)]]));
  assert.equal(none, 0);
});
