import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Text } from "../../../core/bytes/byte-string.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { genesisBlock, prepareGenesis } from "../../../core/ledger/genesis-block.ts";
import { metaKey } from "../../../core/ledger/keys.ts";
import { version } from "../../../core/model/version.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";
import { BOB, GENESIS, openTestChain, SEALERS, SUITE } from "../../support/execution/test-chain.ts";

// rules: storage 6, 8, 13, tx-block-codec 10, 12.5, groups 6

const options = { suite: SUITE, version: version(2, 11, 1), genesis: GENESIS };

test("block 0 holds the mark of the group", () => {
  const { header } = genesisBlock(options);
  const [mark] = header.extraData;
  assert.ok(mark);
  assert.equal(utf8Text(mark), `1-${SEALERS.join(",")},-pbft-storage-0-1000-300000000-3`);
  assert.deepEqual([header.number, header.timestamp], [0, GENESIS.timestamp]);
});

test("an empty store gets block 0 once", async () => {
  const store = openMemoryStore();
  const first = await prepareGenesis(store, options);
  const { size } = store;
  const second = await prepareGenesis(store, options);
  assert.deepEqual(second, first);
  assert.equal(store.size, size);
});

// rules: storage 13.7
const FOREIGN = [
  { name: "another group", genesis: { groupId: 2 } },
  { name: "another sealer", genesis: { sealers: ["44".repeat(64) as NodeId] } },
  { name: "another time", genesis: { timestamp: 1n } },
  { name: "free storage", genesis: { freeStorage: true } },
] as const;
for (const { name, genesis } of FOREIGN) {
  test(`a store of ${name} is refused and left alone`, async () => {
    const store = { ...openMemoryStore(), folder: "/n/data/group1/block" };
    await prepareGenesis(store, options);
    const before = await store.range("\0", "\xff", 1_000);
    const other = { ...options, genesis: { ...GENESIS, ...genesis } };
    await assert.rejects(prepareGenesis(store, other), (reason) => {
      assert.ok(reason instanceof StoreFault && reason.kind === "foreign");
      return /it lies in \/n\/data\/group1\/block\. .* put back those .* move /.test(
        reason.message,
      );
    });
    assert.deepEqual(await store.range("\0", "\xff", 1_000), before);
  });
}

test("a store with another form of records is refused", async () => {
  const store = openMemoryStore();
  await prepareGenesis(store, options);
  await store.commit([{ key: metaKey("format"), value: new Uint8Array([0x39]) }], {
    durable: true,
  });
  await assert.rejects(
    prepareGenesis(store, options),
    (reason) => reason instanceof StoreFault && reason.kind === "version",
  );
});

function ids(store: ReturnType<typeof openMemoryStore>, table: string, key: string): number[] {
  return storedRows(store, table, key).map(({ id }) => id);
}

test("the rows of block 0 take the ids from 100002 on, tables by name", async () => {
  const store = openMemoryStore();
  await prepareGenesis(store, options);
  // _sys_config_ (three rows by key), _sys_consensus_ (two by node ID), _sys_current_state_, block,
  // number.
  assert.deepEqual(ids(store, "_sys_config_", "consensus_timeout"), [100_002]);
  assert.deepEqual(ids(store, "_sys_config_", "tx_count_limit"), [100_003]);
  assert.deepEqual(ids(store, "_sys_config_", "tx_gas_limit"), [100_004]);
  assert.deepEqual(ids(store, "_sys_consensus_", "node"), [100_005, 100_006]);
  assert.deepEqual(ids(store, "_sys_current_state_", "current_number"), [100_007]);
  const [counter] = storedRows(store, "_sys_current_state_", "current_id");
  assert.deepEqual([counter?.id, counter?.columns.get("value")], [1, "100009"]);
});

test("before 2.2.0 the ids begin with 2", async () => {
  const store = openMemoryStore();
  await prepareGenesis(store, { ...options, version: version(2, 1, 0) });
  assert.deepEqual(ids(store, "_sys_config_", "tx_count_limit"), [2]);
});

test("rows of the block store take ids between the tables of the state", async () => {
  const store = openMemoryStore();
  const chain = await openTestChain({ store });
  const counter = (): number =>
    Number(storedRows(store, "_sys_current_state_", "current_id")[0]?.columns.get("value"));
  const before = counter();
  await chain.block({ to: BOB }, { to: BOB });
  // nonces; two counters; block, header, number; two transactions.
  assert.equal(counter() - before, 1 + 2 + 3 + 2);
  assert.deepEqual(ids(store, "_sys_current_state_", "total_failed_transaction_count"), [
    before + 2,
  ]);
  assert.deepEqual(ids(store, "_sys_current_state_", "total_transaction_count"), [before + 3]);
  const after = counter();
  await chain.block();
  assert.equal(counter() - after, 4);
});
