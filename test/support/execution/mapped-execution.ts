/**
 * The executor next to Ethereum: one transaction by the executive over an overlay, where the rules
 * that Ethereum does not have are asserted on the way and then replaced by what Ethereum does.
 */
import assert from "node:assert/strict";
import { TRANSACTION_STATUS } from "../../../core/fault/transaction-status.ts";
import { type Address, ZERO_HASH } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { ACCOUNT_KEY } from "../../../core/execution/accounts.ts";
import { type BlockScope, openBlockScope } from "../../../core/execution/block-scope.ts";
import { type ChainRules, createChainRules } from "../../../core/execution/chain-rules.ts";
import { DEPOSIT_GAS_PER_BYTE } from "../../../core/execution/evm/gas.ts";
import type { createEvm } from "../../../core/execution/evm/interpreter.ts";
import {
  createWork,
  type Entry,
  type FrameResult,
  type Message,
} from "../../../core/execution/evm/message.ts";
import { executeTransaction, type Outcome } from "../../../core/execution/executive.ts";
import { ROW_NORMAL } from "../../../core/storage/table.ts";
import { logText, type MappedSchedule, Trace } from "./ethereum-oracle.ts";
import { hex } from "./evm-host.ts";
import { HostDelegate } from "./host-delegate.ts";

/** A transaction for both sides. */
export interface SceneTransaction {
  readonly from: Address;
  /** Null for a creation. */
  readonly to: Address | null;
  readonly input: Uint8Array;
  readonly gasPrice: bigint;
  /** The client's gas field. */
  readonly gasField: bigint;
  /** `tx_gas_limit`. */
  readonly gasLimit: bigint;
  readonly number: number;
}

/** A world of contracts and one transaction. */
export interface Scene extends SceneTransaction {
  readonly codes: ReadonlyMap<Address, Uint8Array>;
  readonly timestamp: bigint;
}

/** What a transaction left. */
export interface Ending {
  readonly outcome: Outcome;
  readonly logs: readonly string[];
  readonly slots: readonly string[];
  /** `address nonce codehash` of every account that is not empty. */
  readonly accounts: readonly string[];
  readonly destroyed: readonly string[];
  readonly trace: Trace;
  /** Rules of this chain that were asserted and then mapped away. */
  readonly mapped: readonly MappedRule[];
}

/** A rule of this chain that Ethereum does not have. */
export type MappedRule =
  | "out of gas gives all gas back"
  | "an Ethereum contract that is not paid gives all gas back"
  | "a call of an account without code fails"
  | "a failed constructor pays for its data"
  | "an unpaid deposit leaves the gas"
  | "free storage examines the deposit only"
  | "a creation at an address that was rolled back has no rows";

/** The one rule that cannot be mapped: such a scene is not compared. */
export const FREE_DEPOSIT = "free storage examines the deposit only" satisfies MappedRule;

/** Status values that only hosts give. Source: interface 7.3 */
const OUT_OF_GAS_BASE = 8;
const CALL_ADDRESS_ERROR = 26;
const EMPTY = new Uint8Array(0);

/** The executor for one schedule; its caches of frames and programs serve every scene. */
export class MappedExecutor {
  readonly #rules: ChainRules;
  readonly #blockHash: (number: number) => Uint8Array;
  #host: MappedHost | undefined;

  constructor(
    schedule: MappedSchedule,
    options: {
      readonly suite: CryptoSuite;
      readonly blockHash: (number: number) => Uint8Array;
      /** Another interpreter: one with a fault, in tests of the comparison. */
      readonly createEvm?: typeof createEvm;
    },
  ) {
    const rules = createChainRules({
      suite: options.suite,
      version: schedule.version,
      freeStorage: schedule.freeStorage,
    });
    const { schedule: prices } = rules;
    const evm = options.createEvm?.({ schedule: prices, hash: options.suite.hash }) ?? rules.evm;
    this.#blockHash = options.blockHash;
    this.#rules = {
      ...rules,
      // Ethereum has no system contracts.
      registry: new Map(),
      evm: {
        execute: (context, message) => {
          assert.ok(this.#host, "a scene runs");
          this.#host.inner = context.host;
          // The bound of work may strike where Ethereum only runs out of gas: a block that cannot
          // be finished is paid in advance, and counted, at every level of a recursion.
          const work = createWork(Number.MAX_SAFE_INTEGER - 1);
          return evm.execute({ ...context, work, host: this.#host }, message);
        },
      },
    };
  }

  /** Runs the transaction of a scene in a world of its own. */
  run(scene: Scene): Ending {
    return this.send(this.open(scene), scene);
  }

  /** Runs a transaction in an opened world; what it changes lasts. */
  send(scope: BlockScope, transaction: SceneTransaction): Ending {
    const { from, to, gasPrice, gasField: gas, gasLimit, input, number } = transaction;
    const host = new MappedHost(scope);
    this.#host = host;
    const call = { from, to, gasPrice, gas, value: 0n, input };
    const outcome = executeTransaction({ ...scope, gasLimit, number }, call);
    return {
      outcome,
      logs: outcome.logs.map(({ address, topics, data }) =>
        logText(
          address,
          topics.map((topic) => topic.slice(2)),
          hex(data),
        ),
      ),
      ...stateOf(scope),
      trace: host.trace,
      mapped: host.mapped,
    };
  }

  /** A world with the contracts of a scene. */
  open({ codes, gasLimit, number, timestamp }: Scene): BlockScope {
    const scope = openBlockScope(this.#rules, {
      source: { rows: () => [] },
      parentNumber: number - 1,
      parentHash: ZERO_HASH,
      number,
      timestamp,
      gasLimit,
      charging: false,
      blockHash: this.#blockHash,
    });
    for (const [address, code] of codes) {
      scope.accounts.create(address, "0");
      scope.accounts.setCode(address, code);
    }
    scope.overlay.endTransaction();
    return scope;
  }
}

/** The host of the executive, with Ethereum's rules where they differ. */
class MappedHost extends HostDelegate {
  readonly trace = new Trace();
  readonly mapped: MappedRule[] = [];
  readonly #scope: BlockScope;

  constructor(scope: BlockScope) {
    super();
    this.#scope = scope;
  }

  override enter(message: Message): Entry {
    const isCreation = message.kind.startsWith("create");
    this.trace.begin({
      ...message,
      kind: isCreation ? "create" : message.isStatic ? "static" : "call",
      target: isCreation ? "" : message.codeAddress,
    });
    const entry = this.inner.enter(message);
    if (entry.result !== undefined) {
      const result = this.#withoutFrame(message, entry.result);
      // A caller that fails without a frame breaks.
      this.#end(message, result, "broken");
      return { ...entry, result };
    }
    if (isCreation) this.#giveRows(entry.message.recipient);
    return entry;
  }

  override leave(message: Message, result: FrameResult): FrameResult {
    const left = this.inner.leave(message, result);
    const isCreation = message.kind.startsWith("create");
    const mapped = isCreation ? this.#created(result, left) : this.#frame(message, left);
    this.#end(
      message,
      mapped,
      mapped.status === TRANSACTION_STATUS.RevertInstruction ? "reverted" : "broken",
    );
    return mapped;
  }

  #end(message: Message, result: FrameResult, failure: "reverted" | "broken"): void {
    const { status, gasLeft, output } = result;
    const ending = status === TRANSACTION_STATUS.None ? "done" : failure;
    this.trace.end(ending, message.gas - gasLeft, hex(output));
  }

  #withoutFrame(message: Message, result: FrameResult): FrameResult {
    if (result.status === CALL_ADDRESS_ERROR) {
      assert.equal(result.gasLeft, message.gas);
      this.mapped.push("a call of an account without code fails");
      return { ...result, status: TRANSACTION_STATUS.None, output: EMPTY };
    }
    if (result.status === OUT_OF_GAS_BASE) {
      assert.equal(result.gasLeft, message.gas);
      this.mapped.push("an Ethereum contract that is not paid gives all gas back");
      return { ...result, gasLeft: 0 };
    }
    if (result.created !== undefined) this.#giveRows(result.created);
    return result;
  }

  #frame(message: Message, result: FrameResult): FrameResult {
    if (result.status !== TRANSACTION_STATUS.OutOfGas) return result;
    assert.equal(result.gasLeft, message.gas);
    assert.equal(result.output.length, 0);
    this.mapped.push("out of gas gives all gas back");
    return { ...result, gasLeft: 0 };
  }

  /** What a creation leaves whose init code ended as `result`. Source: execution 3 */
  #created(result: FrameResult, left: FrameResult): FrameResult {
    const { chargesDeposit, maxCodeBytes } = this.#scope.rules.schedule;
    const bytes = result.output.length;
    const price = bytes * DEPOSIT_GAS_PER_BYTE;
    const isRefused = bytes > maxCodeBytes || price > result.gasLeft;
    const expected = isRefused ? TRANSACTION_STATUS.OutOfGas : result.status;
    assert.equal(left.status, expected);
    assert.equal(left.gasLeft, result.gasLeft - (isRefused || !chargesDeposit ? 0 : price));
    if (result.status !== TRANSACTION_STATUS.None) {
      if (bytes > 0) this.mapped.push("a failed constructor pays for its data");
      if (result.status !== TRANSACTION_STATUS.OutOfGas) return result;
      this.mapped.push("out of gas gives all gas back");
      return { ...result, gasLeft: 0 };
    }
    if (!isRefused) return left;
    const rule = chargesDeposit ? "an unpaid deposit leaves the gas" : FREE_DEPOSIT;
    this.mapped.push(rule);
    return { ...left, gasLeft: 0 };
  }

  /**
   * A creation at an address that was rolled back in the same block finds the table but not its
   * rows; Ethereum has nothing of the kind. Source: execution 3
   */
  #giveRows(address: Address): void {
    const account = this.#scope.accounts.get(address);
    if (account === undefined || account.value(ACCOUNT_KEY.nonce) !== undefined) return;
    this.mapped.push("a creation at an address that was rolled back has no rows");
    account.insert(ACCOUNT_KEY.balance, "0");
    account.insert(ACCOUNT_KEY.codeHash, this.#scope.accounts.emptyCodeHash);
    account.insert(ACCOUNT_KEY.code, "");
    account.insert(ACCOUNT_KEY.nonce, "0");
    account.insert(ACCOUNT_KEY.alive, "true");
  }
}

/** Slots and accounts of the overlay, as the oracle names them. */
function stateOf({
  overlay,
  accounts,
}: BlockScope): Pick<Ending, "slots" | "accounts" | "destroyed"> {
  const state = { slots: [] as string[], accounts: [] as string[], destroyed: [] as string[] };
  for (const { schema, newRows } of overlay.tables()) {
    if (!schema.name.startsWith("c_")) continue;
    const address = `0x${schema.name.slice(2)}`;
    const facts = new Map<string, string>();
    for (const { status, withdrawn, columns } of newRows) {
      if (withdrawn || status !== ROW_NORMAL) continue;
      const [key = "", value = ""] = [columns.get("key"), columns.get("value")];
      if (!/^[0-9]+$/.test(key)) facts.set(key, value);
      else if (value !== "0") state.slots.push(`${address} ${key} ${value}`);
    }
    const nonce = facts.get(ACCOUNT_KEY.nonce) ?? "0";
    const code = facts.get(ACCOUNT_KEY.codeHash) ?? accounts.emptyCodeHash;
    if (facts.get(ACCOUNT_KEY.alive) === "false") state.destroyed.push(address);
    else if (nonce !== "0" || code !== accounts.emptyCodeHash) {
      const bytes = accounts.codeHashOfRow(code);
      assert.ok(bytes);
      state.accounts.push(`${address} ${nonce} ${hex(bytes)}`);
    }
  }
  state.slots.sort();
  state.accounts.sort();
  state.destroyed.sort();
  return state;
}
