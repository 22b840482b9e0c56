/**
 * A running node, asked over JSON-RPC by the way in that its platform has; it remembers every code
 * of the interface that its answers have shown.
 */
import assert from "node:assert/strict";
import { type AbiValue, encodeCall } from "../../core/abi/encode.ts";
import { decodeAbi } from "../../core/abi/decode.ts";
import { addressOfNumber, hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { Address } from "../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { TRANSACTION_STATUS } from "../../core/fault/transaction-status.ts";
import type { GenesisConfig, GroupTuning } from "../../core/model/config.ts";
import { signTransaction } from "../../core/model/transaction.ts";
import type { RunningNode } from "../../core/node/create-node.ts";
import type { Network } from "../../core/ports/network.ts";
import type { Store } from "../../core/ports/store.ts";
import { jsonGroupFormat } from "../../runtimes/shared/group-text.ts";
import type { MemoryHub } from "../../runtimes/shared/memory-network.ts";
import {
  genesisOf,
  GroupMachine,
  identityOf,
  immediateHub,
} from "../support/world/group-machine.ts";
import type { Reply } from "../support/rpc-node.ts";
import { STANDARD_SUITE as suite } from "../support/suites.ts";

/** Of accounts and node IDs; nodes have the suite of their place. */
/** How long a case waits for a block. */
const WAIT_MS = 240_000;
const STRING = { kind: "string" } as const;

/** The way in to a node. */
export interface WayIn {
  ask(method: string, params: readonly unknown[]): Promise<Reply>;
  close(): Promise<void>;
}

/** The platform that nodes run on. */
export interface EntryPlace {
  readonly suite: CryptoSuite;
  openWay(node: RunningNode): Promise<WayIn>;
  /** Where a group's data are; in memory when absent. */
  openStore?(): Promise<Store>;
}

/** How an entry differs from a node that seals alone. */
export interface EntryOptions {
  readonly genesis?: Partial<GenesisConfig>;
  readonly tuning?: Partial<GroupTuning>;
  readonly hub?: MemoryHub;
  readonly index?: number;
  /** Sealers by the index of their machine; the entry's own alone when absent. */
  readonly sealers?: readonly number[];
  readonly network?: (network: Network) => Network;
}

/** What may be chosen of a transaction. */
export interface Sent {
  readonly to?: Address;
  readonly input?: Uint8Array;
  /** Which account; 1 when absent. */
  readonly from?: number;
  readonly nonce?: bigint;
  readonly blockLimit?: bigint;
  readonly chainId?: bigint;
  readonly groupId?: bigint;
}

/** What is examined of a receipt or of the answer to a call. */
export interface Shown {
  readonly status: number;
  readonly output: Uint8Array;
  readonly contractAddress: Address;
}

/** Texts that stand for a code of 7.5 in failed receipts. Source: precompiles 3 */
const TEXTS: readonly (readonly [pattern: RegExp, code: number])[] = [
  [/^tableName length overflow/, -50_002],
  [/^table field name length overflow/, -50_003],
  [/^total table field name length overflow/, -50_004],
  [/^size of value\/key greater than255$/, -50_005],
  [/^size of value\/key greater than16777215$/, -50_006],
  [/^duplicate field:/, -50_007],
  [/^Invalid field /, -50_008],
];
/** Words that stand for a status of 7.3 in refusals of bytes. Source: rpc-semantics 8 */
const WORDS: Readonly<Record<string, number>> = {
  BadRLP: TRANSACTION_STATUS.BadRLP,
  InvalidTransactionFormat: TRANSACTION_STATUS.InvalidFormat,
  InvalidSignature: TRANSACTION_STATUS.InvalidSignature,
};

let nextNonce = 1n;

/** Key of an account. */
function keyOf(account: number): Uint8Array {
  return new Uint8Array(32).fill(0x60 + account);
}

/** Address of an account. */
export function account(number: number): Address {
  return suite.address(suite.publicKey(keyOf(number)));
}

/** ID of the machine with an index. */
export function nodeOf(index: number): string {
  return identityOf(suite, index).nodeId;
}

/** A signed transaction as sendRawTransaction takes it. */
export function signed(sent: Sent = {}): string {
  const fields = {
    nonce: sent.nonce ?? nextNonce++,
    gasPrice: 1n,
    gas: 300_000_000n,
    blockLimit: sent.blockLimit ?? 500n,
    to: sent.to ?? null,
    value: 0n,
    input: sent.input ?? Uint8Array.of(0x00),
    chainId: sent.chainId ?? 1n,
    groupId: sent.groupId ?? 1n,
    extraData: new Uint8Array(0),
  };
  return toPrefixedHex(signTransaction(fields, keyOf(sent.from ?? 1), suite).raw);
}

/** The entry. One class because it is a node with a way in. */
export class Entry {
  readonly machine: GroupMachine;
  /** Codes that answers have shown, as `7.3 22`. */
  readonly seen: Set<string>;
  readonly #place: EntryPlace;
  #way: WayIn | undefined;

  private constructor(machine: GroupMachine, seen: Set<string>, place: EntryPlace) {
    this.machine = machine;
    this.seen = seen;
    this.#place = place;
  }

  static async open(
    place: EntryPlace,
    seen: Set<string>,
    options: EntryOptions = {},
  ): Promise<Entry> {
    const { index = 0, sealers = [index], hub = immediateHub(), network } = options;
    const ids = sealers.map((it) => identityOf(suite, it).nodeId);
    const fixed = [{ ...genesisOf(1, ids), ...options.genesis }];
    const format = jsonGroupFormat({ minBlockGenerationTimeMs: 0, ...options.tuning });
    const folders = { config: "conf/", data: "data/" };
    const machine = new GroupMachine({
      suite: place.suite,
      index,
      hub,
      fixed,
      node: { groups: { folders, format, fixed } },
      ...(network === undefined ? {} : { changeNetwork: network }),
      ...(place.openStore === undefined ? {} : { openKept: place.openStore }),
    });
    const entry = new Entry(machine, seen, place);
    await entry.start();
    return entry;
  }

  async start(): Promise<void> {
    await this.machine.start();
    this.#way = await this.#place.openWay(this.machine.node);
  }

  async close(): Promise<void> {
    await this.#way?.close();
    await this.machine.stop();
  }

  /** Asks a method and notes the codes of the answer. */
  async ask(method: string, ...params: readonly unknown[]): Promise<Reply> {
    assert.ok(this.#way, "the node serves");
    const reply = await this.#way.ask(method, params);
    this.#noteRefusal(reply.error?.message ?? "");
    const code = member(reply.result, "code");
    if (typeof code === "string") this.seen.add(`7.4 ${Number(code)}`);
    return reply;
  }

  /** Sends a transaction and waits for its receipt. */
  async send(sent: Sent): Promise<Shown> {
    const { result, error } = await this.ask("sendRawTransaction", 1, signed(sent));
    assert.equal(error, undefined);
    const until = performance.now() + WAIT_MS;
    while (performance.now() < until) {
      const receipt = (await this.ask("getTransactionReceipt", 1, result)).result;
      if (receipt !== null) return this.#noted(receipt, sent.to);
      await new Promise((resume) => setTimeout(resume, 2));
    }
    return assert.fail("no block took the transaction");
  }

  /** Runs a call without a transaction. */
  async call(to: Address, input: Uint8Array): Promise<Shown> {
    const request = { from: account(1), to, value: "0x0", data: toPrefixedHex(input) };
    return this.#noted((await this.ask("call", 1, request)).result, to);
  }

  /** Calls a method of a system contract in a transaction. */
  run(contract: number, signature: string, ...values: readonly AbiValue[]): Promise<Shown> {
    return this.runAs(1, contract, signature, ...values);
  }

  /** The same from another account. */
  runAs(
    from: number,
    contract: number,
    ...call: readonly [signature: string, ...values: AbiValue[]]
  ): Promise<Shown> {
    const [signature, ...values] = call;
    const input = encodeCall(signature, values, suite.hash);
    return this.send({ from, to: addressOfNumber(contract), input });
  }

  /** Creates a contract without code to run: STOP. */
  async deploy(from = 1): Promise<Address> {
    // PUSH1 1, DUP1, PUSH1 9, RETURNDATASIZE, CODECOPY, RETURNDATASIZE, RETURN, STOP
    const input = hexBytes("60018060093d393df300");
    return (await this.send({ from, input })).contractAddress;
  }

  #noted(result: unknown, to: Address | undefined): Shown {
    const status = Number(member(result, "status"));
    const output = hexBytes(String(member(result, "output")));
    this.seen.add(`7.3 ${status}`);
    if (status !== 0) this.#noteText(output);
    else if (to !== undefined && isSystemContract(to)) this.#noteCode(output);
    const contractAddress = String(member(result, "contractAddress")) as Address;
    return { status, output, contractAddress };
  }

  #noteCode(output: Uint8Array): void {
    if (output.length === 0) return;
    const word = BigInt(toPrefixedHex(output.subarray(0, 32)));
    const code = Number(BigInt.asIntN(256, word));
    if (code <= 0) this.seen.add(`7.5 ${code}`);
  }

  #noteText(output: Uint8Array): void {
    const decoded = decodeAbi([STRING], output.subarray(4));
    if (!decoded.ok) return;
    const [, code] = TEXTS.find(([pattern]) => pattern.test(String(decoded.values[0]))) ?? [];
    if (code !== undefined) this.seen.add(`7.5 ${code}`);
  }

  #noteRefusal(message: string): void {
    const status = /\w+\(0x([0-9a-f]+)\): /.exec(message)?.[1];
    if (status !== undefined) this.seen.add(`7.3 ${Number.parseInt(status, 16)}`);
    for (const [word, number] of Object.entries(WORDS))
      if (message.includes(word)) this.seen.add(`7.3 ${number}`);
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function isSystemContract(to: Address): boolean {
  const number = BigInt(to);
  return number >= 0x1000n && number < 0x6000n;
}
