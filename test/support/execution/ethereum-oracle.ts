/**
 * The library interpreter as an oracle: Ethereum with the prices of this chain, and with the few
 * rules of the world around the interpreter that no price expresses.
 */
import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import {
  createEVM,
  type EVM,
  type EVMResult,
  type ExecResult,
  type Message,
  paramsEVM,
} from "@ethereumjs/evm";
import { SimpleStateManager } from "@ethereumjs/statemanager";
import { Account, Address as LibraryAddress, createAddressFromString } from "@ethereumjs/util";
import type { Address } from "../../../core/bytes/ids.ts";
import { version, type Version } from "../../../core/model/version.ts";
import { hex } from "./evm-host.ts";

/** A schedule of this chain, and the Ethereum whose prices are the same. */
export interface MappedSchedule {
  readonly name: string;
  readonly version: Version;
  readonly freeStorage: boolean;
  readonly hardfork: Hardfork;
  /** Prices that differ from the library's, by the number under which it keeps them. */
  readonly prices: Readonly<Record<number, Readonly<Record<string, number>>>>;
  /** The highest of the precompiled contracts 1 to 9 that both have. */
  readonly precompiled: number;
}

/**
 * What differs from the plain hard fork, as data. That no original value of a slot is remembered is
 * in {@link OracleState}. Source: execution 4, 7
 */
export const MAPPED_SCHEDULES: readonly MappedSchedule[] = [
  {
    name: "2.11.1",
    version: version(2, 11, 1),
    freeStorage: false,
    hardfork: Hardfork.Istanbul,
    prices: { 1: { callNewAccountGas: 0 }, 1679: { sloadGas: 200 } },
    precompiled: 9,
  },
  {
    name: "2.4.0",
    version: version(2, 4, 0),
    freeStorage: false,
    hardfork: Hardfork.Petersburg,
    // The Ethereum contracts cost nothing below 2.5.0.
    prices: {
      1: {
        ecRecoverGas: 0,
        sha256Gas: 0,
        sha256WordGas: 0,
        ripemd160Gas: 0,
        ripemd160WordGas: 0,
        identityGas: 0,
        identityWordGas: 0,
      },
    },
    precompiled: 4,
  },
  {
    name: "2.11.1 free storage",
    version: version(2, 11, 1),
    freeStorage: true,
    hardfork: Hardfork.Istanbul,
    prices: {
      1: {
        callNewAccountGas: 0,
        callValueTransferGas: 0,
        callStipendGas: 5,
        createGas: 16_000,
        createDataGas: 0,
      },
      1013: { create2Gas: 16_000 },
      1679: {
        sloadGas: 1_200,
        sstoreInitEIP2200Gas: 1_200,
        sstoreCleanEIP2200Gas: 1_200,
      },
    },
    precompiled: 9,
  },
];

/** A message of the oracle's world, of depth 0. */
export interface OracleMessage {
  readonly from: Address;
  /** Null for a creation. */
  readonly to: Address | null;
  readonly gas: bigint;
  readonly gasPrice: bigint;
  readonly input: Uint8Array;
  readonly number: number;
  readonly timestamp: bigint;
}

/** What the oracle says. */
export interface OracleOutcome {
  /** Undefined for success, else the library's name of the failure. */
  readonly failure: string | undefined;
  readonly gasLeft: bigint;
  readonly refund: bigint;
  readonly output: string;
  readonly logs: readonly string[];
  readonly slots: readonly string[];
  /** `address nonce codehash` of every account that is not empty. */
  readonly accounts: readonly string[];
  readonly destroyed: readonly string[];
  readonly trace: Trace;
}

/** A log entry as text. */
export function logText(address: string, topics: readonly string[], data: string): string {
  return `${address} [${topics.join()}] ${data}`;
}

/** A message that begins. */
export interface Begun {
  readonly depth: number;
  readonly kind: string;
  readonly gas: number | bigint;
  readonly sender: string;
  readonly target: string;
  readonly input: Uint8Array;
}

/**
 * Messages in the order in which they begin and end. What a broken one did is forgotten: a block of
 * instructions that cannot be paid is not begun here, and begun on Ethereum. Source: execution 7.1
 */
export class Trace {
  readonly lines: string[] = [];
  /** Messages below the first one, and the deepest of them. */
  nested = 0;
  depth = 0;
  readonly #open: number[] = [];

  begin({ depth, kind, gas, sender, target, input }: Begun): void {
    this.lines.push(`${depth} ${kind} ${gas} ${sender} ${target} ${hex(input)}`);
    this.#open.push(this.lines.length);
    if (depth > 0) this.nested++;
    this.depth = Math.max(this.depth, depth);
  }

  end(result: "done" | "reverted" | "broken", gasUsed: number | bigint, output: string): void {
    const from = this.#open.pop() ?? 0;
    if (result === "broken") this.lines.length = from;
    this.lines.push(`${result} ${gasUsed} ${output}`);
  }
}

const REVERT = "revert";
const INVALID = 0xfe;
const EMPTY_CODE_HASH = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";

/** State of the library with what this chain does otherwise. */
class OracleState extends SimpleStateManager {
  /** No original values: a store examines the current one only. Source: execution 7.1 */
  withoutOriginals(): void {
    this.originalStorageCache.get = (address, key) => this.getStorage(address, key);
  }

  /** A creation leaves the slots of an account alone that is there already. */
  override clearStorage(): Promise<void> {
    return Promise.resolve();
  }

  /** The library clears what was destroyed in another place, after the transaction. */
  clear(address: `0x${string}`): void {
    this.accountStack[0]?.set(address, new Account(0n, 0n));
    this.codeStack[0]?.delete(address);
  }

  empty(): void {
    this.accountStack = [new Map()];
    this.codeStack = [new Map()];
    this.storageStack = [new Map()];
  }
}

/** What is reached of the library's private parts. */
interface Inside {
  readonly _opcodeMap: readonly { opHandler: (...args: readonly unknown[]) => unknown }[];
}

/** The oracle of one schedule. */
export class EthereumOracle {
  /** How often each opcode was executed. */
  readonly executed: Float64Array = new Float64Array(256);
  readonly #evm: EVM;
  readonly #state: OracleState;
  #trace = new Trace();
  #places = new Map<Address, LibraryAddress>();

  private constructor(evm: EVM, state: OracleState) {
    this.#evm = evm;
    this.#state = state;
    this.#listen();
    this.#count();
  }

  static async open(
    schedule: MappedSchedule,
    blockHash: (number: number) => Uint8Array,
  ): Promise<EthereumOracle> {
    const { hardfork, prices } = schedule;
    const common = createCustomCommon({ chainId: 0 }, Mainnet, { hardfork });
    const state = new OracleState({ common });
    state.withoutOriginals();
    const params: Record<number, Record<string, number | string | null>> = structuredClone(
      paramsEVM,
    );
    for (const [place, changes] of Object.entries(prices)) {
      params[Number(place)] = { ...params[Number(place)], ...changes };
    }
    const evm = await createEVM({
      common,
      params,
      stateManager: state,
      allowUnlimitedContractSize: true,
      blockchain: {
        getBlock: (number: number) => Promise.resolve({ hash: () => blockHash(number) }),
        putBlock: () => Promise.resolve(),
        shallowCopy: () => undefined as never,
      } as never,
    });
    return new EthereumOracle(evm, state);
  }

  /** Empties the world and gives it contracts. */
  async reset(codes: ReadonlyMap<Address, Uint8Array>): Promise<void> {
    this.#state.empty();
    this.#evm.journal.cleanJournal();
    for (const [address, code] of codes) {
      const place = this.#place(address);
      await this.#state.putAccount(place, new Account(0n, 0n));
      await this.#state.putCode(place, code);
    }
  }

  async run(message: OracleMessage): Promise<OracleOutcome> {
    this.#trace = new Trace();
    const { execResult } = await this.#evm.runCall({
      caller: this.#place(message.from),
      gasLimit: message.gas,
      gasPrice: message.gasPrice,
      data: message.input,
      // A call leaves the sender's nonce alone.
      skipNonceIncrement: message.to !== null,
      // The library asks a block for its header only.
      block: { header: header(message) } as never,
      ...(message.to === null ? {} : { to: this.#place(message.to) }),
    });
    const failure = execResult.exceptionError?.error;
    const destroyed = [...(execResult.selfdestruct?.keys() ?? [])].sort();
    for (const address of destroyed) this.#state.clear(address);
    return {
      failure,
      gasLeft: message.gas - execResult.executionGasUsed,
      refund: failure === undefined ? (execResult.gasRefund ?? 0n) : 0n,
      output: outputOf(execResult, message.to === null),
      logs: (execResult.logs ?? []).map(([address, topics, data]) =>
        logText(`0x${hex(address)}`, topics.map(hex), hex(data)),
      ),
      slots: this.#slots(),
      accounts: this.#accounts(),
      destroyed,
      trace: this.#trace,
    };
  }

  #place(address: Address): LibraryAddress {
    const known = this.#places.get(address);
    if (known !== undefined) return known;
    const place = createAddressFromString(address);
    this.#places.set(address, place);
    return place;
  }

  #slots(): string[] {
    const slots: string[] = [];
    for (const [place, value] of this.#state.storageStack[0] ?? []) {
      const [address = "", slot = ""] = place.split("_");
      const number = BigInt(`0x${hex(value)}0`) >> 4n;
      if (number !== 0n) slots.push(`${address} ${BigInt(slot)} ${number}`);
    }
    return slots.sort();
  }

  #accounts(): string[] {
    const accounts: string[] = [];
    for (const [address, account] of this.#state.accountStack[0] ?? []) {
      if (account === undefined) continue;
      const code = hex(account.codeHash);
      if (account.nonce === 0n && code === EMPTY_CODE_HASH) continue;
      accounts.push(`${address} ${account.nonce} ${code}`);
    }
    return accounts.sort();
  }

  #listen(): void {
    const { events } = this.#evm;
    const kinds: ("create" | "built in" | "call")[] = [];
    events.on("beforeMessage", (message: Message) => {
      const isBuiltIn = message.to !== undefined && isEthereumContract(message.codeAddress);
      kinds.push(message.to === undefined ? "create" : isBuiltIn ? "built in" : "call");
      this.#trace.begin({
        depth: message.depth,
        kind: message.to === undefined ? "create" : message.isStatic ? "static" : "call",
        gas: message.gasLimit,
        sender: message.caller.toString(),
        target: message.to === undefined ? "" : message.codeAddress.toString(),
        input: message.data,
      });
    });
    events.on("afterMessage", ({ execResult }: EVMResult) => {
      const kind = kinds.pop();
      const output = outputOf(execResult, kind === "create");
      const error = execResult.exceptionError?.error;
      // The library says that a pairing reverts of which nothing is left.
      const reverted = error === REVERT && kind !== "built in";
      const result = error === undefined ? "done" : reverted ? "reverted" : "broken";
      this.#trace.end(result, execResult.executionGasUsed, output);
    });
    // Contracts begin with nonce 0 here: one is added after this event. Source: execution 3
    events.on("newContract", ({ address }) => {
      const account = this.#state.accountStack.at(-1)?.get(address.toString());
      if (account !== undefined) account.nonce = -1n;
    });
  }

  #count(): void {
    const { executed } = this;
    const { _opcodeMap: opcodes } = this.#evm as unknown as Inside;
    opcodes.forEach((entry, opcode) => {
      const handler = entry.opHandler;
      // What is not defined shares one entry and is never executed.
      if (entry === opcodes[INVALID]) return;
      entry.opHandler = (...args) => {
        executed[opcode] = (executed[opcode] ?? 0) + 1;
        return handler(...args);
      };
    });
  }
}

/** A creation that succeeds and a frame that breaks return nothing to anybody. */
function outputOf({ exceptionError, returnValue }: ExecResult, isCreation: boolean): string {
  const returns = exceptionError === undefined ? !isCreation : exceptionError.error === REVERT;
  return returns ? hex(returnValue) : "";
}

/** What a contract may ask of the block; this chain knows no more than number and time. */
function header({ number, timestamp }: OracleMessage): object {
  const zero = new LibraryAddress(new Uint8Array(20));
  return {
    number: BigInt(number),
    timestamp,
    coinbase: zero,
    difficulty: 0n,
    gasLimit: 0n,
    cliqueSigner: () => zero,
    prevRandao: new Uint8Array(32),
    baseFeePerGas: undefined,
    getBlobGasPrice: () => undefined,
  };
}

function isEthereumContract({ bytes }: LibraryAddress): boolean {
  const last = bytes[19] ?? 0;
  return last > 0 && last < 10 && bytes.subarray(0, 19).every((byte) => byte === 0);
}
