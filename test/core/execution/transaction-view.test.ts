import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { addressOf } from "../../../core/bytes/hex.ts";
import { viewTransaction } from "../../../core/execution/transaction-view.ts";
import { decodeTransaction, encodeTransaction } from "../../../core/model/transaction.ts";
import { ALICE, rawTransaction, SUITE } from "../../support/execution/test-chain.ts";
import { decodeRlp } from "../../support/codecs/rlp-tree.ts";

// rules: tx-block-codec 2.1

const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const fields = fc.record({
  nonce: uint,
  gasPrice: uint,
  gas: uint,
  blockLimit: uint,
  to: fc.option(fc.uint8Array({ minLength: 20, maxLength: 20 }).map(addressOf)),
  value: uint,
  input: fc.uint8Array({ maxLength: 300 }),
  chainId: uint,
  groupId: uint,
  extraData: fc.uint8Array({ maxLength: 40 }),
});

test("the view of a transaction agrees with its full decoding", () => {
  fc.assert(
    fc.property(fields, (transaction) => {
      const raw = encodeTransaction(transaction, new Uint8Array(65).fill(3, 0, 64));
      const view = viewTransaction(raw, ALICE);
      const decoded = decodeTransaction(raw, SUITE);
      assert.ok(view && decoded.ok);
      const { to, gasPrice, gas, value, input, nonce } = decoded.transaction;
      assert.deepEqual(
        { to: view.to, gasPrice: view.gasPrice, gas: view.gas, value: view.value, from: view.from },
        { to, gasPrice, gas, value, from: ALICE },
      );
      assert.deepEqual([...view.input], [...input]);
      const item = decodeRlp(view.nonceRlp);
      assert.ok(item instanceof Uint8Array);
      assert.equal(BigInt(`0x0${Buffer.from(item).toString("hex")}`), nonce);
    }),
  );
});

test("a transaction that was cut is none", () => {
  const { raw } = rawTransaction({ to: ALICE, input: "00112233" });
  for (let length = 0; length < raw.length; length++) {
    assert.equal(viewTransaction(raw.subarray(0, length), ALICE), undefined);
  }
});
