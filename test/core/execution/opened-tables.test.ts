/** Below 2.5.0 a table that was only opened is 32 zero bytes in the state root. */
import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { test } from "vitest";
import { hashOf } from "../../../core/bytes/hex.ts";
import type { Address, Hash } from "../../../core/bytes/ids.ts";
import { version, type Version } from "../../../core/model/version.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { callsOf } from "../../support/execution/contract-calls.ts";
import { BOB, openTestChain, SUITE } from "../../support/execution/test-chain.ts";

// rules: tx-block-codec 12.4, storage 5

const CNS_INSERT = "insert(string,string,string,string)";

/** The root of that many tables of which none has changed. */
function unchanged(tables: number, hash: (data: Uint8Array) => Uint8Array = sha256): Hash {
  return hashOf(hash(new Uint8Array(32 * tables)));
}

const OLD: readonly Version[] = [version(2, 0, 0), version(2, 2, 0), version(2, 4, 0)];
for (const supported of OLD) {
  test(`every call of 0x1003 opens its table at ${supported}`, async () => {
    const chain = await openTestChain({ version: supported });
    const consensus = callsOf(0x1003);
    for (const sending of [
      consensus.sending("addSealer(string)", ["no id"]),
      consensus.sending("remove(string)", [""]),
      { to: consensus.address, input: "00000000" },
    ]) {
      // The table of tables for the sender, and the lists of writers.
      assert.equal((await chain.block(sending)).header.stateRoot, unchanged(3));
    }
    const config = callsOf(0x1000).sending("setValueByKey(string,string)", ["none", "1"]);
    assert.equal((await chain.block(config)).header.stateRoot, unchanged(2));
  });
}

for (const { supported, tables } of [
  { supported: version(2, 1, 0), tables: 3 },
  { supported: version(2, 2, 0), tables: 4 },
  { supported: version(2, 4, 0), tables: 4 },
]) {
  test(`a refused CNS insert opens ${tables} tables at ${supported}`, async () => {
    const chain = await openTestChain({ version: supported });
    const contract = await chain.deploy(assemble("stop"));
    const names = callsOf(0x1004);
    const insert = (name: string, ofVersion: string, address: string) =>
      names.sending(CNS_INSERT, [name, ofVersion, address, ""], BOB);
    await chain.block(insert("a", "1", contract));
    for (const refused of [
      insert("a", "1", contract),
      insert("a", "1", contract.slice(2)),
      insert("b", "v".repeat(129), contract),
    ]) {
      assert.equal((await chain.block(refused)).header.stateRoot, unchanged(tables));
    }
    const nobody = insert("a", "1", `0x${"77".repeat(20)}`);
    assert.equal((await chain.block(nobody)).header.stateRoot, unchanged(3));
  });
}

for (const supported of OLD) {
  test(`EXTCODECOPY of nothing opens the table of the account at ${supported}`, async () => {
    const chain = await openTestChain({ version: supported });
    const target = await chain.deploy(assemble("stop"));
    const copies = (address: Address, size: number): Promise<Address> =>
      chain.deploy(assemble(`${size} 0 0 ${BigInt(address)} extcodecopy`));
    const rootOf = async (to: Address): Promise<Hash> =>
      (await chain.block({ from: BOB, to })).header.stateRoot;
    assert.equal(await rootOf(await copies(target, 0)), unchanged(4));
    assert.equal(await rootOf(await copies(target, 1)), unchanged(4));
    assert.equal(await rootOf(await copies(BOB, 0)), unchanged(3));
    assert.equal(await rootOf(target), unchanged(3));
  });
}

test("2.4.1 hashes tables with the chain's hash, by the other rules of 2.4.0", async () => {
  const sending = { to: callsOf(0x1003).address, input: "00000000" };
  const old = await openTestChain({ version: version(2, 4, 0) });
  assert.equal((await old.block(sending)).header.stateRoot, unchanged(3));
  const chain = await openTestChain({ version: version(2, 4, 1) });
  assert.equal((await chain.block(sending)).header.stateRoot, unchanged(3, SUITE.hash));
});
