/** A block on committed rows whose every frame is watched: what a failing one leaves behind. */
import assert from "node:assert/strict";
import { encodeCall } from "../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../core/bytes/hex.ts";
import { type Address, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { ACCOUNT_KEY } from "../../../core/execution/accounts.ts";
import { type BlockScope, openBlockScope } from "../../../core/execution/block-scope.ts";
import { type ChainRules, createChainRules } from "../../../core/execution/chain-rules.ts";
import {
  type Entry,
  type EvmHost,
  type FrameResult,
  type Message,
  WorkExceeded,
} from "../../../core/execution/evm/message.ts";
import {
  executeTransaction,
  type ExecutableTransaction,
  type Outcome,
} from "../../../core/execution/executive.ts";
import { StateHost } from "../../../core/execution/state-host.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { accountTable, systemTable, TABLES_TABLE } from "../../../core/storage/system-tables.ts";
import {
  ROW_NORMAL,
  type RowSource,
  type StoredRow,
  type TableSchema,
} from "../../../core/storage/table.ts";
import { HostDelegate } from "./host-delegate.ts";
import { STANDARD_SUITE as suite } from "../suites.ts";

/** Who sends what lasts, and who sends what fails. */
export const ALICE: Address = `0x${"a1".repeat(20)}` as Address;
export const CAROL: Address = `0x${"ca".repeat(20)}` as Address;
/** `tx_gas_limit` unless a test says otherwise. */
export const GAS_LIMIT = 1_000_000n;

/** A transaction of a test. */
export interface Sent {
  readonly from: Address;
  readonly to: Address | null;
  readonly input: Uint8Array;
}

/** What goes wrong on purpose. */
export interface Injection {
  /** The work of the transaction is used up at this operation of the host, from 1 on. */
  readonly exceedsAt?: number;
  /** The frame that ends as this one, from 1 on, fails with the status. */
  readonly failsAt?: { readonly frame: number; readonly status: number };
  readonly gasLimit?: bigint;
}

/** What was seen of a run. */
export interface Run {
  readonly outcome: Outcome;
  /** Operations of the host. */
  readonly operations: number;
  /** Frames that ended. */
  readonly frames: number;
  /** How every message ended: what a change of the gas changes. */
  readonly course: string;
}

/** A block being executed, on the same committed rows each time. */
export class JournalWorld {
  readonly scope: BlockScope;
  readonly #rules: ChainRules;
  readonly #source: CommittedRows;
  #host: WatchingHost | undefined;
  /** Objects that were made, failed transactions included. */
  #objects = 0;

  constructor(base: JournalBase, { watches = true }: { readonly watches?: boolean } = {}) {
    this.#source = base.rows;
    if (!watches) {
      this.#rules = base.rules;
      this.scope = open(base.rules, base.rows, GAS_LIMIT);
      return;
    }
    this.#rules = {
      ...base.rules,
      evm: {
        execute: (context, message) => {
          assert.ok(this.#host, "a transaction runs");
          this.#host.inner = context.host;
          return base.rules.evm.execute({ ...context, host: this.#host }, message);
        },
      },
    };
    this.scope = open(this.#rules, base.rows, GAS_LIMIT);
    const { register } = this.scope;
    Object.assign(this.scope, {
      register: (object: Parameters<typeof register>[0]) => {
        this.#objects++;
        return register(object);
      },
    });
  }

  /** Runs a transaction and checks every frame of it that fails. */
  run({ from, to, input }: Sent, injection: Injection = {}): Run {
    const host = new WatchingHost(this, injection);
    this.#host = host;
    const { gasLimit = GAS_LIMIT } = injection;
    const call: ExecutableTransaction = { from, to, input, value: 0n, gasPrice: 1n, gas: 1n };
    const outcome = executeTransaction({ ...this.scope, gasLimit }, call);
    const { operations, frames, course } = host;
    return { outcome, operations, frames, course: [...course, outcome.status].join() };
  }

  /**
   * Every row that differs from the committed ones, as text. Open tables, touched marks and places
   * of withdrawn rows are not in it: a roll-back keeps them. Source: storage 4.1
   */
  rows(): string[] {
    const lines: string[] = [];
    for (const table of this.scope.overlay.tables()) {
      const { name, keyField } = table.schema;
      const keys = new Set(this.#source.keys(name));
      for (const { columns } of table.newRows) keys.add(columns.get(keyField) ?? "");
      for (const key of keys) {
        const now = texts(table.select(key));
        if (now !== texts(this.#source.rows(name, key))) lines.push(`${name} ${key} ${now}`);
      }
    }
    return lines.sort();
  }

  /** Tables that were made and whose making was undone: open, and registered nowhere. */
  ghosts(): TableSchema[] {
    const { overlay } = this.scope;
    const registered = overlay.systemTable(TABLES_TABLE);
    return overlay
      .tables()
      .map(({ schema }) => schema)
      .filter(({ name }) => !systemTable(name) && registered.select(name).length === 0);
  }

  /** Gives this block what another one kept of transactions that failed there. */
  keepWhatIsKept(other: JournalWorld): void {
    const { overlay, accounts, register } = this.scope;
    const open = new Set(overlay.tables().map(({ schema }) => schema.name));
    for (const schema of other.ghosts()) {
      if (open.has(schema.name)) continue;
      const savepoint = overlay.savepoint();
      overlay.register(schema);
      overlay.rollback(savepoint);
    }
    while (this.#objects < other.#objects) {
      register({ run: () => new Uint8Array(0) });
    }
    const nonce = other.scope.accounts.get(CAROL)?.nonce() ?? 0n;
    const account = accounts.get(CAROL);
    if (account?.nonce() !== nonce) account?.update(ACCOUNT_KEY.nonce, nonce.toString());
    overlay.endTransaction();
  }
}

/** Passes on what the executive does, breaks it where the injection says, and examines failures. */
class WatchingHost extends HostDelegate {
  operations = 0;
  frames = 0;
  readonly course: string[] = [];
  readonly #world: JournalWorld;
  readonly #injection: Injection;
  readonly #open: Sight[] = [];

  constructor(world: JournalWorld, injection: Injection) {
    super();
    this.#world = world;
    this.#injection = injection;
  }

  override storeSlot(...all: Parameters<EvmHost["storeSlot"]>): ReturnType<EvmHost["storeSlot"]> {
    const change = super.storeSlot(...all);
    this.#step();
    return change;
  }

  override log(...all: Parameters<EvmHost["log"]>): void {
    super.log(...all);
    this.#step();
  }

  override selfDestruct(...all: Parameters<EvmHost["selfDestruct"]>): void {
    super.selfDestruct(...all);
    this.#step();
  }

  override enter(message: Message): Entry {
    const before = this.#look(message);
    const entry = super.enter(message);
    if (entry.result === undefined) this.#open.push(before);
    else this.#ended(before, message, entry.result);
    this.#step();
    return entry;
  }

  override leave(message: Message, result: FrameResult): FrameResult {
    this.frames++;
    const { failsAt } = this.#injection;
    const isHit = failsAt?.frame === this.frames && result.status === 0;
    const forced = isHit ? { ...result, status: failsAt.status, output: NOTHING } : result;
    const left = super.leave(message, forced);
    const before = this.#open.pop();
    assert.ok(before);
    this.#ended(before, message, left);
    this.#step();
    return left;
  }

  #step(): void {
    this.operations++;
    if (this.operations === this.#injection.exceedsAt) throw new WorkExceeded();
  }

  #look({ sender }: Message): Sight {
    const { inner } = this;
    assert.ok(inner instanceof StateHost);
    const account = this.#world.scope.accounts.get(sender);
    return {
      rows: this.#world.rows(),
      nonce: account?.nonce() ?? 0n,
      counts: account === undefined || account.value(ACCOUNT_KEY.nonce) !== undefined,
      logs: inner.logs.length,
      refund: inner.refund(),
      destroyed: inner.destroyed().length,
    };
  }

  /**
   * A message that failed has changed nothing but the nonce of a creator. Source: execution 3, 5
   */
  #ended(before: Sight, message: Message, { status }: FrameResult): void {
    this.course.push(`${message.depth}:${status}`);
    if (status === 0) return;
    const after = this.#look(message);
    const isCreation = message.kind.startsWith("create");
    const counted = isCreation && before.counts ? 1n : 0n;
    assert.equal(after.nonce, before.nonce + counted, "nonce of the creator");
    const without = isCreation ? message.sender : undefined;
    assert.deepEqual(withoutNonce(after.rows, without), withoutNonce(before.rows, without));
    const { logs, refund, destroyed } = before;
    assert.deepEqual(
      { logs: after.logs, refund: after.refund, destroyed: after.destroyed },
      { logs, refund, destroyed },
    );
  }
}

const NOTHING = new Uint8Array(0);

/** What can be seen of a block. */
interface Sight {
  readonly rows: readonly string[];
  readonly nonce: bigint;
  /** Whether there is a nonce to count in: not when the creation of the creator was undone. */
  readonly counts: boolean;
  readonly logs: number;
  readonly refund: number;
  readonly destroyed: number;
}

/** Rows without what a creation writes before its savepoint: the creator's account and nonce. */
export function withoutNonce(rows: readonly string[], creator: Address | undefined): string[] {
  if (creator === undefined) return [...rows];
  const table = accountTable(creator, NEWEST_VERSION);
  const keys = new Set<string>(ACCOUNT_ROWS);
  return rows.filter((row) => {
    const [name = "", key = ""] = row.split(" ");
    if (name === "_sys_tables_") return key !== table;
    return name !== table || !keys.has(key);
  });
}

/** Rows that an account has from its first nonce on. */
const ACCOUNT_ROWS: readonly string[] = [
  ACCOUNT_KEY.balance,
  ACCOUNT_KEY.codeHash,
  ACCOUNT_KEY.code,
  ACCOUNT_KEY.nonce,
  ACCOUNT_KEY.alive,
];

function texts(rows: readonly { readonly columns: ReadonlyMap<string, string> }[]): string {
  return JSON.stringify(rows.map(({ columns }) => [...columns].sort()));
}

/** Committed rows of a test. */
interface CommittedRows extends RowSource {
  keys(table: string): readonly string[];
}

/** What the blocks of a test stand on. */
export interface JournalBase {
  readonly rules: ChainRules;
  readonly rows: CommittedRows;
}

const NUMBER = 7;

function open(rules: ChainRules, source: RowSource, gasLimit: bigint): BlockScope {
  return openBlockScope(rules, {
    source,
    parentNumber: NUMBER - 1,
    parentHash: ZERO_HASH,
    number: NUMBER,
    timestamp: 1_700_000_000_000n,
    gasLimit,
    charging: false,
    blockHash: () => new Uint8Array(32),
  });
}

/** Commits contracts, some slots of theirs, a table with rows and two users. */
export function commitBase(codes: ReadonlyMap<Address, Uint8Array>): JournalBase {
  const rules = createChainRules({ suite, version: NEWEST_VERSION, freeStorage: false });
  const scope = open(rules, { rows: () => [] }, GAS_LIMIT);
  for (const [address, bytes] of codes) {
    const account = scope.accounts.create(address, "0");
    scope.accounts.setCode(address, bytes);
    for (const slot of ["0", "2"]) account.insert(slot, "1");
    account.insert(ACCOUNT_KEY.authority, ALICE.slice(2));
  }
  // Senders have accounts: the table of one that is undone stays open without rows.
  for (const sender of [ALICE, CAROL]) scope.accounts.create(sender, "0");
  const calls: readonly [number, string, readonly (string | bigint)[]][] = [
    [0x1001, "createTable(string,string,string)", ["base", "k", "a,b"]],
    [0x1002, "insert(string,string,string,string)", ["base", "one", '{"a":"1","b":"2"}', ""]],
    [0x1002, "insert(string,string,string,string)", ["base", "two", '{"a":"3","b":"4"}', ""]],
    [0x5002, "userSave(string,uint256)", ["ann", 100n]],
    [0x5002, "userSave(string,uint256)", ["ben", 100n]],
  ];
  for (const [to, signature, values] of calls) {
    const input = encodeCall(signature, values, suite.hash);
    const call = { from: ALICE, to: addressOfNumber(to), input, value: 0n, gasPrice: 1n, gas: 1n };
    assert.equal(executeTransaction(scope, call).status, 0, signature);
  }
  return { rules, rows: commit(scope) };
}

function commit(scope: BlockScope): CommittedRows {
  const tables = new Map<string, Map<string, StoredRow[]>>();
  let id = 100_000;
  for (const { schema, newRows } of scope.overlay.tables()) {
    const rows = new Map<string, StoredRow[]>();
    for (const { status, withdrawn, columns } of newRows) {
      if (withdrawn || status !== ROW_NORMAL) continue;
      const key = columns.get(schema.keyField) ?? "";
      const row = { id: id++, number: 1, status, columns: new Map(columns) };
      rows.set(key, [...(rows.get(key) ?? []), row]);
    }
    tables.set(schema.name, rows);
  }
  return {
    rows: (table, key) => tables.get(table)?.get(key) ?? [],
    keys: (table) => [...(tables.get(table)?.keys() ?? [])],
  };
}
