/** Contracts that are known, and those that every chain has. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { selectorOf } from "../../../core/abi/encode.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import { signatureOf } from "../../../core/client/abi-item.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { functionsOf, isReadOnly, readAbi } from "../../../core/client/abi-list.ts";
import {
  RegistryFullFault,
  ContractRegistry,
  type KnownContract,
  MOST_CONTRACTS,
} from "../../../web/data/contracts.ts";
import { PRECOMPILED, precompiledAt } from "../../../web/data/precompiled.ts";
import { readData } from "../../support/ledger/data-files.ts";
import { keptTexts } from "../kept-texts.ts";

function contract(address: string, more: Partial<KnownContract> = {}): KnownContract {
  return { chain: "0xc1", address, label: "l", name: "n", abi: [], at: 1, ...more };
}

test("contracts are kept for each chain apart, the latest first", () => {
  const registry = new ContractRegistry(keptTexts());
  let changes = 0;
  const stop = registry.onChange(() => changes++);
  registry.keep(contract("0xA1"));
  registry.keep(contract("0xb2", { at: 2 }));
  registry.keep(contract("0xa1", { chain: "0xc2", label: "other" }));
  stop();
  registry.forget("0xc1", "0xB2");
  assert.equal(changes, 3);
  assert.deepEqual(
    registry.list("0xc1").map(({ address }) => address),
    ["0xa1"],
  );
  assert.equal(registry.find("0xc2", "0xA1")?.label, "other");
});

test("what does not read as a contract is passed over", () => {
  const texts = keptTexts();
  texts.setItem("chain-node.contract.0xc1.0x1", "{");
  texts.setItem("chain-node.contract.0xc1.0x2", '{"address":"0x2"}');
  assert.deepEqual(new ContractRegistry(texts).list("0xc1"), []);
});

test("a full book refuses more, and forgets nothing for it", () => {
  const registry = new ContractRegistry(keptTexts());
  for (let i = 0; i < MOST_CONTRACTS; i++) registry.keep(contract(`0x${i}`));
  assert.throws(() => registry.keep(contract("0xff")), RegistryFullFault);
  registry.keep(contract("0x0", { label: "again" }));
  assert.equal(registry.list("0xc1").length, MOST_CONTRACTS);
  assert.throws(() => new ContractRegistry(keptTexts(10)).keep(contract("0x1")), RegistryFullFault);
});

test("an ABI is read as a list, and out of what compilers and tools write", () => {
  const abi = [{ type: "function", name: "f", inputs: [{ name: "a", type: "uint256" }] }];
  assert.deepEqual(readAbi(JSON.stringify(abi)), abi);
  assert.deepEqual(readAbi(JSON.stringify({ contractName: "C", abi })), abi);
  for (const bad of ["", "{}", "[1]", '[{"type":"function","inputs":[{"name":"a"}]}]']) {
    assert.equal(readAbi(bad), undefined, bad);
  }
});

test("functions of compilers of all ages are distinguished by whether they read", () => {
  const old = { type: "function", name: "old", constant: true };
  const view = { type: "function", name: "view", stateMutability: "view" };
  const write = { type: "function", name: "write", stateMutability: "payable" };
  assert.deepEqual([old, view, write].map(isReadOnly), [true, true, false]);
  assert.deepEqual(
    functionsOf([old, write, view]).map(({ name }) => name),
    ["write", "old", "view"],
  );
});

test("the precompiled contracts have the published selectors", () => {
  const { hash } = createStandardSuite();
  const { cases } = JSON.parse(readData("vectors/exec-selectors.json")) as {
    cases: { contract: string; methods: Record<string, [string, string]> }[];
  };
  for (const { name, abi } of PRECOMPILED) {
    const methods = cases.find((it) => it.contract === name)?.methods ?? {};
    const wanted = Object.values(methods).map(([selector]) => selector);
    const own = abi.map((item) => toHex(selectorOf(signatureOf(item), hash)));
    assert.deepEqual(own.toSorted(), wanted.toSorted(), name);
  }
});

test("a precompiled contract is found by its address in any writing", () => {
  assert.equal(precompiledAt(`0x${"0".repeat(36)}1003`)?.name, "Consensus");
  assert.equal(precompiledAt(`0x${"0".repeat(36)}5006`.toUpperCase())?.name, "Crypto");
  assert.equal(precompiledAt(`0x${"1".repeat(40)}`), undefined);
});
