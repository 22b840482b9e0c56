/** What one block puts into the store, item by item, and that it is one batch. */
// rules: storage 7
import assert from "node:assert/strict";
import { test } from "vitest";
import { idBytes } from "../../../core/bytes/hex.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import { openRlpList } from "../../../core/bytes/rlp.ts";
import { createAddress } from "../../../core/crypto/contract-address.ts";
import {
  bodyKey,
  headerKey,
  noncesKey,
  numberKey,
  receiptsKey,
  transactionKey,
} from "../../../core/ledger/keys.ts";
import {
  decodeBody,
  decodeHeaderRecord,
  decodePlace,
  decodeReceiptTable,
} from "../../../core/ledger/records.ts";
import type { Header, Seal } from "../../../core/model/header.ts";
import { decodeReceipt } from "../../../core/model/receipt.ts";
import { decodeTransaction } from "../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import type { Store, StoreWrite } from "../../../core/ports/store.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { decodeRows } from "../../../core/storage/row-codec.ts";
import { accountTable, CURRENT_STATE_TABLE, rowsKey } from "../../../core/storage/system-tables.ts";
import { assemble } from "../../support/execution/assembler.ts";
import {
  ALICE,
  BOB,
  initCode,
  openTestChain,
  type RawTransaction,
  rawTransaction,
  SUITE,
} from "../../support/execution/test-chain.ts";

const SEALS: readonly Seal[] = [{ index: 1, signature: new Uint8Array(65).fill(5) }];

/** What one block hands to the store. */
interface Written {
  /** Batches since the genesis block. */
  readonly batches: readonly (readonly StoreWrite[])[];
  readonly sent: readonly RawTransaction[];
  readonly hash: Hash;
  readonly header: Header;
}

/** Writes block 1: a creation with a slot, a creation of another sender, a call of nobody. */
async function writeBlock(): Promise<Written> {
  const batches: (readonly StoreWrite[])[] = [];
  const inner = openMemoryStore();
  const store: Store = {
    ...inner,
    commit: (writes, options) => {
      batches.push(writes);
      return inner.commit(writes, options);
    },
  };
  const chain = await openTestChain({ store });
  batches.length = 0;
  const sent = [
    rawTransaction({ input: assemble("7 3 sstore") }),
    rawTransaction({ from: BOB, input: initCode(assemble("stop")) }),
    rawTransaction({ to: BOB }),
  ];
  const outcome = await chain.processor.execute(chain.propose(sent));
  assert.ok(outcome.ok);
  const { hash, header } = outcome.block;
  await chain.processor.write(hash, SEALS);
  return { batches, sent, hash, header };
}

const { batches, sent, hash, header } = await writeBlock();
const batch = new Map(batches.flat().map(({ key, value }) => [key, value]));

/** What the batch has under a key. */
function written(key: string): Uint8Array {
  const value = batch.get(key);
  assert.ok(value, `the batch has ${JSON.stringify(key)}`);
  return value;
}

/** The `value` column of the one row of a table and key. */
function row(table: string, key: string): string | undefined {
  const rows = decodeRows(key, written(rowsKey(table, key)));
  assert.equal(rows.length, 1);
  return rows[0]?.columns.get("value");
}

test("a block is one batch, and no key is in it twice", () => {
  assert.equal(batches.length, 1);
  assert.equal(batch.size, batches[0]?.length);
});

// rules: storage 7.1
test("the batch of a block has the rows that its transactions changed", () => {
  for (const sender of [ALICE, BOB])
    assert.equal(row(accountTable(sender, NEWEST_VERSION), "nonce"), "1");
  const contract = createAddress(ALICE, 0, SUITE.hash);
  assert.equal(row(accountTable(contract, NEWEST_VERSION), "3"), "7");
});

// rules: storage 7.2
test("the batch of a block has its hash by number, its header with seals, its body", () => {
  assert.deepEqual(written(numberKey(1)), idBytes(hash));
  const record = decodeHeaderRecord(written(headerKey(hash)));
  assert.deepEqual(record.header, header);
  assert.deepEqual(record.seals, SEALS);
  assert.equal(record.transactionCount, sent.length);
  assert.deepEqual(decodeBody(written(bodyKey(record.unexecuted))), {
    transactions: sent.map(({ raw }) => raw),
    senders: sent.map(({ from }) => from),
  });
  const receipts = decodeReceiptTable(written(receiptsKey(hash)));
  assert.deepEqual(
    receipts.map((receipt) => decodeReceipt(receipt, NEWEST_VERSION)?.status),
    [0, 0, 26],
  );
});

// rules: storage 7.3
test("the batch of a block has number and index of every transaction", () => {
  for (const [index, transaction] of sent.entries())
    assert.deepEqual(decodePlace(written(transactionKey(transaction.hash))), { number: 1, index });
});

// rules: storage 7.4
test("the batch of a block has the nonces of its transactions", () => {
  const nonces = openRlpList(written(noncesKey(1)));
  assert.ok(nonces);
  const expected = sent.map(({ raw }) => {
    const decoded = decodeTransaction(raw, SUITE);
    assert.ok(decoded.ok);
    return decoded.transaction.nonce;
  });
  assert.deepEqual(
    expected.map(() => nonces.uint()),
    expected,
  );
  assert.ok(nonces.complete());
});

// rules: storage 7.5
test("the batch of a block has the counters, the last row id among them", () => {
  const counter = (key: string) => row(CURRENT_STATE_TABLE, key);
  assert.equal(counter("current_number"), "1");
  assert.equal(counter("total_transaction_count"), "3");
  assert.equal(counter("total_failed_transaction_count"), "1");
  const ids = [...batch]
    .filter(([key]) => key.startsWith("r"))
    .flatMap(([key, value]) =>
      decodeRows(key.slice(key.indexOf("\0") + 1), value ?? new Uint8Array(0)),
    )
    .map(({ id }) => id);
  assert.equal(counter("current_id"), String(Math.max(...ids)));
});
