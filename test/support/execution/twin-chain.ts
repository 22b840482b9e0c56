/** Compiled contracts on two machines at once: the executor, and the oracle next to it. */
import assert from "node:assert/strict";
import { decodeAbi } from "../../../core/abi/decode.ts";
import { type AbiValue, encodeAbi, encodeCall } from "../../../core/abi/encode.ts";
import { type AbiType, parseAbiTypes } from "../../../core/abi/type.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import type { BlockScope } from "../../../core/execution/block-scope.ts";
import { baseGas } from "../../../core/execution/executive.ts";
import { compareOutcomes } from "../../soak/fuzz/evm/run.ts";
import { EthereumOracle, MAPPED_SCHEDULES } from "./ethereum-oracle.ts";
import { addressOf, bytes, hex } from "./evm-host.ts";
import { type Ending, MappedExecutor } from "./mapped-execution.ts";
import { STANDARD_SUITE as suite } from "../suites.ts";

const GAS_LIMIT = 50_000_000n;
const TIMESTAMP = 1_700_000_000_000n;
const FIRST_NUMBER = 100;

/** Senders. */
export const ANN: Address = addressOf(0xa11);
export const BEN: Address = addressOf(0xb22);
export const EVE: Address = addressOf(0xe55);

/** What a transaction came to on both. */
export interface Sent {
  readonly status: number;
  readonly output: Uint8Array;
  /** `address [topics] data` without 0x before topics and data. */
  readonly logs: readonly string[];
}

/** Both machines with the same contracts; every transaction must end alike on them. */
export class TwinChain {
  /** NUMBER of the next transaction. */
  number = FIRST_NUMBER;
  /** Transactions so far. */
  sent = 0;
  readonly #ours: MappedExecutor;
  readonly #oracle: EthereumOracle;
  readonly #scope: BlockScope;

  private constructor(ours: MappedExecutor, oracle: EthereumOracle) {
    this.#ours = ours;
    this.#oracle = oracle;
    this.#scope = ours.open({ ...this.#frame(ANN, null, bytes("")), codes: new Map() });
  }

  static async open(): Promise<TwinChain> {
    const [schedule] = MAPPED_SCHEDULES;
    assert.ok(schedule);
    const blockHash = (): Uint8Array => new Uint8Array(32).fill(0xbb);
    const oracle = await EthereumOracle.open(schedule, blockHash);
    await oracle.reset(new Map());
    return new TwinChain(new MappedExecutor(schedule, { suite, blockHash }), oracle);
  }

  /** Creates a contract; its address. */
  async create(
    bytecode: string,
    types: readonly string[] = [],
    values: readonly AbiValue[] = [],
    from: Address = ANN,
  ): Promise<Address> {
    const input = bytes(bytecode + hex(encodeAbi(typesOf(types), values)));
    const { outcome } = await this.#send(from, null, input);
    assert.equal(outcome.status, 0, `creation: ${hex(outcome.output)}`);
    return outcome.contractAddress;
  }

  /** Calls a function by its signature, or with raw data. */
  async send(
    to: Address,
    call: readonly [signature: string, ...values: AbiValue[]] | Uint8Array,
    from: Address = ANN,
  ): Promise<Sent> {
    const input = call instanceof Uint8Array ? call : callData(call);
    const { outcome, logs } = await this.#send(from, to, input);
    return { status: outcome.status, output: outcome.output, logs };
  }

  /** What a function returns. */
  async get(
    to: Address,
    call: readonly [signature: string, ...values: AbiValue[]],
    returns: readonly string[],
    from: Address = ANN,
  ): Promise<AbiValue[]> {
    const { status, output } = await this.send(to, call, from);
    assert.equal(status, 0, `${call[0]}: ${hex(output)}`);
    return decode(returns, output);
  }

  /** The reason with which a function reverts. */
  async reason(
    to: Address,
    call: readonly [signature: string, ...values: AbiValue[]],
    from: Address = ANN,
  ): Promise<string> {
    const { status, output } = await this.send(to, call, from);
    assert.equal(status, 22, `${call[0]} reverts`);
    if (hex(output.subarray(0, 4)) === PANIC)
      return `panic ${decode(["uint256"], output.subarray(4))[0]}`;
    if (hex(output.subarray(0, 4)) !== ERROR) return hex(output);
    return String(decode(["string"], output.subarray(4))[0]);
  }

  async #send(from: Address, to: Address | null, input: Uint8Array): Promise<Ending> {
    const frame = this.#frame(from, to, input);
    const ours = this.#ours.send(this.#scope, frame);
    const gas = GAS_LIMIT - baseGas(frame);
    const expected = await this.#oracle.run({ ...frame, gas });
    // What was destroyed by earlier transactions is reported by our rows only.
    const destroyed = ours.destroyed.filter((one) => expected.destroyed.includes(one));
    compareOutcomes(frame, { ...ours, destroyed }, expected);
    this.sent++;
    return ours;
  }

  #frame(from: Address, to: Address | null, input: Uint8Array) {
    return {
      from,
      to,
      input,
      gasPrice: 1n,
      gasField: 1n,
      gasLimit: GAS_LIMIT,
      number: this.number ?? FIRST_NUMBER,
      timestamp: TIMESTAMP,
    };
  }
}

/** Selectors of Error(string) and Panic(uint256). */
const ERROR = "08c379a0";
const PANIC = "4e487b71";

/** Data of a call. */
export function callData([signature, ...values]: readonly [string, ...AbiValue[]]): Uint8Array {
  return encodeCall(signature, values, suite.hash);
}

/** What a contract returned. */
export function decode(types: readonly string[], output: Uint8Array): AbiValue[] {
  const decoded = decodeAbi(typesOf(types), output);
  assert.ok(decoded.ok, `not ${types.join()}: ${hex(output)}`);
  return decoded.values;
}

/** A topic or a word of data. */
export function word(value: bigint | Address): string {
  return BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");
}

/** The chain hash of a text or of bytes, in hexadecimal digits. */
export function hashOf(data: string | Uint8Array): string {
  return hex(suite.hash(new Uint8Array(Buffer.from(data))));
}

function typesOf(types: readonly string[]): AbiType[] {
  const parsed = parseAbiTypes(types);
  assert.ok(parsed, `types: ${types.join()}`);
  return parsed;
}
