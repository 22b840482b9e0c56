/** The vector files about the interpreter and the Ethereum precompiled contracts. */
// rules: sm-suite 3, execution 7, execution 14, precompiles 17
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { afterAll } from "vitest";
import type { Address } from "../../core/bytes/ids.ts";
import type { HashFunction } from "../../core/crypto/merkle.ts";
import { gasSchedule } from "../../core/execution/evm/gas.ts";
import { createEvm } from "../../core/execution/evm/interpreter.ts";
import type { FrameResult, Message } from "../../core/execution/evm/message.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { modexpGas } from "../../core/execution/precompiled/ethereum/05-modexp.ts";
import { createEthereumPrecompiles } from "../../core/execution/precompiled/ethereum/registry.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import {
  bytes,
  callMessage,
  createMessage,
  createTestHost,
  hex,
  type TestHost,
  testContext,
} from "../support/execution/evm-host.ts";
import { NATIONAL } from "./vector-suites.ts";
import { readVectors, tallyText, type VectorSuite, vectorTests } from "./shared-vectors.ts";

interface Expectation {
  readonly status: "success" | "failure" | number;
  readonly output?: string;
  readonly storage?: Readonly<Record<string, string>>;
  readonly receiptStatus?: number;
  readonly runtimeCode?: string;
  readonly codeGone?: boolean;
  readonly gasUsed?: string;
  readonly parts?: { readonly execution: number; readonly codeDeposit?: number };
}

interface Step {
  readonly data?: string;
  readonly input?: string;
  readonly static?: boolean;
  readonly expect: Expectation;
  readonly child?: Child;
}

interface Child {
  readonly addressSlot: string;
  readonly storage: Readonly<Record<string, string>>;
}

interface EvmRow extends Step {
  readonly name: string;
  readonly kind: "run" | "create" | "transactions" | "receipt";
  readonly suite?: "sm";
  readonly code?: string;
  readonly gas?: number;
  readonly create?: Step | true;
  readonly then?: readonly Step[];
  readonly derivedExecutionGas?: number;
}

const GAS = 100_000_000;
const schedule = gasSchedule(NEWEST_VERSION, { freeStorage: false });
const CONTRACT = `0x${"c0".repeat(20)}` as Address;

interface Chain {
  readonly host: TestHost;
  execute(message: Message): FrameResult;
}

/** A chain of one contract: the host, and what runs on it. */
function startChain(hash: HashFunction = keccak_256): Chain {
  const host = createTestHost();
  const evm = createEvm({ schedule, hash });
  return { host, execute: (message) => evm.execute(testContext(host), message) };
}

function checkStorage(host: TestHost, address: Address, storage: Expectation["storage"]): void {
  for (const [slot, value] of Object.entries(storage ?? {})) {
    const stored = host.accounts.get(address)?.slots.get(BigInt(slot)) ?? 0n;
    assert.equal(stored, BigInt(value), `slot ${slot}`);
  }
}

function checkStep(host: TestHost, contract: Address, step: Step, result: FrameResult): void {
  const { expect, child } = step;
  assert.equal(result.status === 0, expect.status === "success" || expect.status === 0);
  if (expect.receiptStatus !== undefined) assert.equal(result.status, expect.receiptStatus);
  if (expect.output !== undefined) assert.equal(`0x${hex(result.output)}`, expect.output);
  checkStorage(host, contract, expect.storage);
  if (expect.codeGone) assert.ok(host.destroyed.has(contract));
  if (child) {
    const slot = host.accounts.get(contract)?.slots.get(BigInt(child.addressSlot)) ?? 0n;
    const address = `0x${slot.toString(16).padStart(40, "0")}` as Address;
    checkStorage(host, address, child.storage);
  }
}

function runSteps(row: EvmRow, init: Uint8Array, first: Step): void {
  const { host, execute } = startChain(row.suite === "sm" ? NATIONAL.hash : keccak_256);
  const gas = row.gas ?? GAS;
  const created = execute(createMessage(init, { gas }));
  const contract = created.created ?? CONTRACT;
  const code = host.accounts.get(contract)?.code ?? new Uint8Array(0);
  // The output of a creation is its code, which the host stores.
  const { output, ...expected } = first.expect;
  checkStep(host, contract, { ...first, expect: expected }, created);
  const shown = expected.runtimeCode ?? output;
  if (shown !== undefined && shown !== "0x") assert.equal(`0x${hex(code)}`, shown);
  const used = gas - created.gasLeft - 200 * code.length;
  if (row.derivedExecutionGas !== undefined) assert.equal(used, row.derivedExecutionGas);
  for (const step of row.then ?? []) {
    const input = bytes(step.data ?? step.input ?? "0x");
    const changes = { gas, input, isStatic: step.static === true };
    checkStep(host, contract, step, execute(callMessage(contract, changes)));
  }
}

function runCode(row: EvmRow): void {
  const { host, execute } = startChain();
  host.deploy(CONTRACT, bytes(row.code ?? "0x"));
  const gas = row.gas ?? GAS;
  const result = execute(callMessage(CONTRACT, { gas }));
  checkStep(host, CONTRACT, row, result);
  if (row.derivedExecutionGas !== undefined) {
    assert.equal(gas - result.gasLeft, row.derivedExecutionGas);
  }
}

/**
 * The documented deployment is the SM build; the standard one differs in selectors and their order.
 */
const SM_DISPATCH = "80633590b49f14610051578063b11b6883146100ba57";
const STANDARD_DISPATCH = "806306fdde03146100ba5780634ed3885e1461005157";

function runDeployment({ input, expect }: EvmRow): void {
  const { host, execute } = startChain();
  const result = execute(createMessage(bytes(input ?? "0x"), { gas: GAS }));
  const { execution = 0, codeDeposit = 0 } = expect.parts ?? {};
  assert.equal(GAS - result.gasLeft, execution + codeDeposit);
  const contract = result.created ?? CONTRACT;
  assert.equal(`0x${hex(host.code(contract))}`, expect.runtimeCode);
  checkStorage(host, contract, expect.storage);
}

/**
 * The slot holds the text already: the first call sets it, the second one is the documented one.
 */
function runSecondSet(deployment: EvmRow, { input = "0x", expect }: EvmRow): void {
  const { host, execute } = startChain();
  const build = deployment.input?.replace(SM_DISPATCH, STANDARD_DISPATCH) ?? "0x";
  const { created = CONTRACT } = execute(createMessage(bytes(build), { gas: GAS }));
  const message = callMessage(created, { input: bytes(input), gas: GAS });
  assert.notEqual(GAS - execute(message).gasLeft, expect.parts?.execution);
  const before = new Map(host.accounts.get(created)?.slots);
  assert.equal(GAS - execute(message).gasLeft, expect.parts?.execution);
  assert.deepEqual(host.accounts.get(created)?.slots, before);
}

function evmVectors(suite: VectorSuite): void {
  const { cases } = readVectors<{ cases: readonly EvmRow[] }>("exec-evm.json");
  for (const row of cases.filter(({ kind }) => kind !== "receipt")) {
    if (row.kind === "run") suite.row(row.name, () => runCode(row));
    else if (row.kind === "create") {
      suite.row(row.name, () => runSteps(row, bytes(row.code ?? "0x"), row));
    } else {
      const first = row.create as Step;
      suite.row(row.name, () => runSteps(row, bytes(first.input ?? "0x"), first));
    }
  }
  const [deployment, call] = cases.filter(({ kind }) => kind === "receipt");
  if (deployment === undefined || call === undefined) throw new RangeError("two receipts expected");
  suite.row(deployment.name, () => runDeployment(deployment));
  suite.row(call.name, () => runSecondSet(deployment, call));
}

interface PrecompileRow {
  readonly name: string;
  readonly address: string;
  readonly input: string;
  readonly success?: boolean;
  readonly output?: string;
  readonly gas?: string;
}

function precompileVectors(suite: VectorSuite): void {
  const { cases } = readVectors<{ cases: readonly PrecompileRow[] }>("exec-eth-precompiles.json");
  const contracts = createEthereumPrecompiles(createStandardSuite(), NEWEST_VERSION);
  for (const row of cases) {
    suite.row(`precompiled contract ${row.address}: ${row.name}`, () => {
      const address = `0x${row.address.slice(2).padStart(40, "0")}` as Address;
      const contract = contracts.get(address);
      assert.ok(contract);
      const input = bytes(row.input);
      if (row.gas !== undefined) {
        const exact = row.address === "0x05" ? modexpGas(input) : BigInt(contract.cost(input));
        assert.equal(exact, BigInt(row.gas));
      }
      if (row.success === undefined) return;
      const output = contract.run(input);
      const expected = row.success ? row.output : undefined;
      assert.equal(output && `0x${hex(output)}`, expected);
    });
  }
}

const tally = vectorTests((suite) => {
  evmVectors(suite);
  precompileVectors(suite);
});
afterAll(() => console.log(`evm: ${tallyText(tally)}`));
