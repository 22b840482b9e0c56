import assert from "node:assert/strict";
import { test } from "vitest";
import { encodeCall } from "../../../core/abi/encode.ts";
import { addressOfNumber, idBytes } from "../../../core/bytes/hex.ts";
import { type Address, type Hash, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { verifyProof } from "../../../core/crypto/merkle.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { headerKey, receiptsKey } from "../../../core/ledger/keys.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import { receiptHash } from "../../../core/model/receipt.ts";
import { version } from "../../../core/model/version.ts";
import type { LedgerApi } from "../../../core/ports/ledger.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { assemble } from "../../support/execution/assembler.ts";
import {
  ALICE,
  BOB,
  GENESIS,
  initCode,
  openTestChain,
  rawTransaction,
  SEALERS,
  SUITE,
  type TestChain,
} from "../../support/execution/test-chain.ts";

// rules: storage 2, 7, 13, tx-block-codec 7, 8.4, 9

const STOP = assemble("stop");

/** A chain with blocks of 0, 1, 2 and 20 transactions. */
async function grownChain(): Promise<TestChain> {
  const chain = await openTestChain();
  await chain.block();
  await chain.block({ input: initCode(STOP) });
  await chain.block({ to: BOB }, { from: BOB, to: ALICE });
  await chain.block(...Array.from({ length: 20 }, () => ({ to: BOB })));
  return chain;
}

async function hashAt(ledger: Ledger, number: number): Promise<Hash> {
  const hash = await ledger.hashOf(number);
  assert.ok(hash);
  return hash;
}

test("a ledger has the shape that rpc and channel are written against", async () => {
  const { ledger } = await openTestChain();
  const api: LedgerApi = ledger;
  assert.equal(api.head().number, 0);
  assert.equal(api.genesisHash(), api.head().hash);
});

test("blocks are found by number and hash, with their transactions and receipts", async () => {
  const { ledger } = await grownChain();
  for (const [number, count] of [0, 0, 1, 2, 20].entries()) {
    const hash = await hashAt(ledger, number);
    const block = await ledger.block(hash);
    assert.deepEqual([block?.hash, block?.header.number], [hash, number]);
    assert.equal(block?.transactions.length, count);
    assert.equal(block?.receipts.length, count);
    if (number > 0) assert.equal(block?.header.parentHash, await hashAt(ledger, number - 1));
  }
});

test("what a block changed is in force before the head follows it", async () => {
  const chain = await openTestChain();
  const [first = ""] = SEALERS;
  const call = (address: number, signature: string, values: readonly string[]) => ({
    to: addressOfNumber(address),
    input: encodeCall(signature, values, SUITE.hash),
  });
  const request = chain.propose(
    [
      call(0x1003, "addObserver(string)", [first]),
      call(0x1000, "setValueByKey(string,string)", ["tx_count_limit", "77"]),
    ].map(rawTransaction),
  );
  const outcome = await chain.processor.execute(request);
  assert.ok(outcome.ok);
  await chain.processor.write(outcome.block.hash, []);
  assert.equal(chain.ledger.head().number, 0);
  const read = async () => [
    await chain.ledger.sealers(),
    await chain.ledger.observers(),
    await chain.ledger.systemConfig("tx_count_limit"),
  ];
  const between = await read();
  assert.deepEqual(between, [SEALERS.slice(1), [first], "77"]);
  chain.ledger.refresh();
  assert.deepEqual(await read(), between);
});

test("no receipt is shown of a block that is above the head", async () => {
  const chain = await openTestChain();
  const sent = rawTransaction({ to: BOB });
  const outcome = await chain.processor.execute(chain.propose([sent]));
  assert.ok(outcome.ok);
  await chain.processor.write(outcome.block.hash, []);
  assert.equal(await chain.ledger.receipt(sent.hash), undefined);
  assert.equal(await chain.ledger.transaction(sent.hash), undefined);
  const { number } = chain.ledger.refresh();
  assert.equal((await chain.ledger.receipt(sent.hash))?.blockNumber, number);
  assert.equal((await chain.ledger.transaction(sent.hash))?.blockNumber, number);
});

test("what is not in the ledger is undefined", async () => {
  const { ledger } = await grownChain();
  for (const number of [5, -1, 0.5, Number.NaN])
    assert.equal(await ledger.hashOf(number), undefined);
  assert.equal(await ledger.header(ZERO_HASH), undefined);
  assert.equal(await ledger.block(ZERO_HASH), undefined);
  assert.equal(await ledger.transaction(ZERO_HASH), undefined);
  assert.equal(await ledger.receipt(ZERO_HASH), undefined);
  assert.equal(await ledger.rawBody(ZERO_HASH), undefined);
  assert.equal(await ledger.rawReceipts(ZERO_HASH), undefined);
  assert.equal(await ledger.transactionAt(await hashAt(ledger, 3), 2), undefined);
  assert.equal(await ledger.transactionAt(ZERO_HASH, 0), undefined);
});

test("a transaction and its receipt are found by the transaction's hash", async () => {
  const chain = await openTestChain();
  const sent = [rawTransaction({ to: BOB }), rawTransaction({ from: BOB, input: initCode(STOP) })];
  const outcome = await chain.processor.execute(chain.propose(sent));
  assert.ok(outcome.ok);
  const { hash: blockHash } = outcome.block;
  await chain.processor.write(blockHash, []);
  chain.ledger.refresh();
  for (const [index, { hash, raw, from }] of sent.entries()) {
    const located = await chain.ledger.transaction(hash);
    assert.deepEqual(
      [located?.blockHash, located?.blockNumber, located?.index],
      [blockHash, 1, index],
    );
    assert.deepEqual([located?.transaction.raw, located?.transaction.from], [raw, from]);
    const receipt = await chain.ledger.receipt(hash);
    assert.equal(receipt?.receipt.status, index === 0 ? 26 : 0);
    assert.equal(receipt?.transaction.hash, hash);
    assert.deepEqual(await chain.ledger.transactionAt(blockHash, index), located);
  }
  const body = await chain.ledger.rawBody(blockHash);
  assert.deepEqual(
    body?.hashes,
    sent.map(({ hash }) => hash),
  );
  assert.deepEqual(
    body?.transactions,
    sent.map(({ raw }) => raw),
  );
});

test("proofs of transactions and receipts lead to the roots of the header", async () => {
  const { ledger } = await grownChain();
  for (const number of [2, 3, 4]) {
    const hash = await hashAt(ledger, number);
    const block = await ledger.block(hash);
    assert.ok(block);
    for (const index of block.transactions.keys()) {
      const [transaction, receipt] = [block.transactions[index], block.receipts[index]];
      assert.ok(transaction && receipt);
      const claims = [
        [
          block.header.transactionsRoot,
          transaction.hash,
          await ledger.transactionProof(hash, index),
        ],
        [
          block.header.receiptsRoot,
          receiptHash(receipt, version(2, 11, 1), SUITE),
          await ledger.receiptProof(hash, index),
        ],
      ] as const;
      for (const [root, item, proof] of claims) {
        const claim = { index, itemHash: idBytes(item), root: idBytes(root) };
        assert.ok(verifyProof(claim, proof, SUITE.hash), `block ${number}, item ${index}`);
      }
    }
  }
  assert.deepEqual(await ledger.transactionProof(await hashAt(ledger, 3), 2), []);
  assert.deepEqual(await ledger.receiptProof(ZERO_HASH, 0), []);
});

test("the proofs of a block share its hashes and its tree", async () => {
  const { store, version: chainVersion, ledger: written } = await grownChain();
  let hashed = 0;
  const hash = (bytes: Uint8Array) => {
    hashed++;
    return SUITE.hash(bytes);
  };
  const ledger = openLedger({ store, suite: { ...SUITE, hash }, version: chainVersion });
  const block = await hashAt(written, 4);
  const proveAll = async () => {
    for (let index = 0; index < 20; index++) {
      assert.equal((await ledger.transactionProof(block, index)).length, 3);
      assert.equal((await ledger.receiptProof(block, index)).length, 3);
    }
  };
  await proveAll();
  // 20 receipts, and twice two nodes and a top above 20 leaves; the rest is decoding.
  assert.ok(hashed <= 20 + 2 * 3 + 20, `${hashed} hashes`);
  hashed = 0;
  await proveAll();
  assert.equal(hashed, 0);
});

test("below 2.2.0 there are no proofs", async () => {
  const chain = await openTestChain({ version: version(2, 1, 0) });
  const { hash } = await chain.block({ to: BOB });
  assert.deepEqual(await chain.ledger.transactionProof(hash, 0), []);
});

test("totals count transactions and those that failed", async () => {
  const { ledger } = await grownChain();
  assert.deepEqual(await ledger.totals(), { number: 4, transactions: 23n, failed: 22n });
});

test("code is that of the contract; accounts without code have none", async () => {
  const chain = await openTestChain();
  const address = await chain.deploy(STOP);
  assert.deepEqual(await chain.ledger.code(address), STOP);
  // A sender who created a contract has a table, but no code.
  assert.equal((await chain.ledger.code(ALICE)).length, 0);
  assert.equal((await chain.ledger.code(BOB)).length, 0);
  assert.equal((await chain.ledger.code(`0x${"0".repeat(36)}1000` as Address)).length, 0);
});

test("the configuration of a new group is that of its genesis file", async () => {
  const { ledger } = await openTestChain({ genesis: { gasLimit: 7_000_000n } });
  assert.deepEqual(ledger.groupConfig(), {
    number: 0,
    txCountLimit: 1_000,
    txGasLimit: 7_000_000n,
    consensusTimeoutSeconds: 3,
    sealers: SEALERS,
    observers: [],
  });
  assert.equal(await ledger.systemConfig("tx_gas_limit"), "7000000");
  assert.equal(await ledger.systemConfig("absent"), undefined);
});

// rules: pbft 7
for (const [minor, recorded] of [
  [5, undefined],
  [6, "9"],
] as const) {
  test(`in 2.${minor}.0 the consensus_timeout of the genesis file is in force`, async () => {
    const options = { version: version(2, minor, 0), genesis: { consensusTimeoutSeconds: 9 } };
    const { ledger, store, version: inForce } = await openTestChain(options);
    assert.equal(await ledger.systemConfig("consensus_timeout"), recorded);
    assert.equal(ledger.groupConfig().consensusTimeoutSeconds, 9);
    // From 2.6.0 on what block 0 records counts; before, a reader without the file has the default.
    const genesis = { consensusTimeoutSeconds: 4 };
    const changed = openLedger({ store, suite: SUITE, version: inForce, genesis });
    assert.equal(changed.groupConfig().consensusTimeoutSeconds, recorded ? 9 : 4);
    const alone = openLedger({ store, suite: SUITE, version: inForce });
    assert.equal(alone.groupConfig().consensusTimeoutSeconds, recorded ? 9 : 3);
  });
}

test("nonces are read for a range of blocks, in block order", async () => {
  const { ledger } = await grownChain();
  const all = await ledger.nonces(0, 4);
  assert.deepEqual(
    all.map(({ number, nonces }) => [number, nonces.length]),
    [
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 20],
    ],
  );
  const block = await ledger.block(await hashAt(ledger, 4));
  assert.deepEqual(
    all[4]?.nonces,
    block?.transactions.map(({ nonce }) => nonce),
  );
  assert.deepEqual(
    (await ledger.nonces(3, 3)).map(({ number }) => number),
    [3],
  );
  assert.deepEqual(await ledger.nonces(4, 3), []);
});

test("nonces of more blocks than one range holds are all read", async () => {
  const chain = await openTestChain();
  for (let number = 1; number <= 300; number++) await chain.block();
  await chain.block({ to: BOB });
  const all = await chain.ledger.nonces(1, 301);
  assert.deepEqual(
    all.map(({ number }) => number),
    Array.from({ length: 301 }, (_, i) => i + 1),
  );
  assert.equal(all[300]?.nonces.length, 1);
});

test("the head moves when it is told, not by itself", async () => {
  const chain = await openTestChain();
  const watcher = openLedger({ store: chain.store, suite: SUITE, version: chain.version });
  const { hash } = await chain.block();
  assert.equal(watcher.head().number, 0);
  assert.equal(await watcher.hashOf(1), undefined);
  assert.deepEqual(watcher.refresh(), { number: 1, hash });
  assert.equal(await watcher.hashOf(1), hash);
  watcher.setHead({ number: 0, hash: watcher.genesisHash() });
  assert.equal(watcher.head().number, 0);
});

test("a ledger cannot be opened on an empty store", () => {
  const options = { store: openMemoryStore(), suite: SUITE, version: version(2, 11, 1) };
  assert.throws(() => openLedger(options), StoreFault);
});

test("records that do not decode are a corrupt store", async () => {
  const chain = await openTestChain();
  const { hash } = await chain.block({ to: BOB });
  const [{ hash: transaction } = { hash: ZERO_HASH }] =
    (await chain.ledger.block(hash))?.transactions ?? [];
  const broken = async (key: string): Promise<Ledger> => {
    const store = openMemoryStore(await allEntries(chain));
    await store.commit([{ key, value: new Uint8Array([1, 2, 3]) }], { durable: true });
    return openLedger({ store, suite: SUITE, version: chain.version });
  };
  await assert.rejects((await broken(headerKey(hash))).header(hash), StoreFault);
  await assert.rejects((await broken(receiptsKey(hash))).receipt(transaction), StoreFault);
});

async function allEntries({ store }: TestChain): Promise<(readonly [string, Uint8Array])[]> {
  const entries = await store.range("\0", "\xff", 10_000);
  return entries.map(({ key, value }) => [key, value] as const);
}

test("timestamps and seals are kept as they were written", async () => {
  const chain = await openTestChain();
  const outcome = await chain.processor.execute(chain.propose([]));
  assert.ok(outcome.ok);
  const seals = [
    { index: 1, signature: new Uint8Array(65).fill(9) },
    { index: 0, signature: new Uint8Array(65) },
  ];
  await chain.processor.write(outcome.block.hash, seals);
  const stored = await chain.ledger.header(outcome.block.hash);
  assert.deepEqual(stored?.seals, seals);
  assert.equal(stored?.header.timestamp, GENESIS.timestamp + 1n);
});
