/**
 * The state as a block being executed sees it: opened tables over committed rows, a change log,
 * savepoints. Roll-back keeps what the recorded ledgers keep: opened tables, dirty rows, touched
 * marks. Source: storage 4
 */
import type { Change } from "./table.ts";
import type { Allowance } from "./table.ts";
import type { Looked } from "./table.ts";
import { ZERO_ADDRESS } from "../bytes/ids.ts";
import { invariant } from "../fault/invariant.ts";
import { version, type Version } from "../model/version.ts";
import { ACCESS_TABLE, systemTable, TABLES_TABLE } from "./system-tables.ts";
import type { ByteString } from "../bytes/byte-string.ts";
import { type RowSource, type TableSchema, textBytes } from "./table.ts";
import { Table } from "./live-table.ts";

interface OverlayOptions {
  readonly source: RowSource;
  readonly version: Version;
  /** Number of the block below: rows with a greater `enable_num` are not in force. */
  readonly parentNumber: number;
  /** `storage.enable_reconfirm_committee`. Source: execution 8 */
  readonly reconfirmCommittee?: boolean;
}

/**
 * Rows of `_sys_table_access_` for its own key below which nobody is refused. Source: execution 8
 */
const LEAST_COMMITTEE = 2;

/** The overlay of one block or one call. One class because it is a resource with identity. */
export class Overlay {
  readonly options: OverlayOptions;
  /**
   * What the operations on tables have taken so far, in units of 5 ns: some of them are free of
   * gas, so that a caller that runs them counts this. Only grows; roll-back does not take it back.
   */
  effort = 0;
  /**
   * Bytes of memory that the block keeps until it is done, by estimate: the same on every node.
   * Only grows; roll-back does not take it back.
   */
  held = 0;
  /** What the transaction that runs is held to; undefined between transactions. */
  allowance: Allowance | undefined;
  /** The rows that were examined last, unless they are large: a change follows a look. */
  readonly looked: Looked = { table: undefined, key: "", rows: [] };
  readonly #tables = new Map<ByteString, Table>();
  readonly #settlers: (() => void)[] = [];
  #log: Change[] = [];

  constructor(options: OverlayOptions) {
    this.options = options;
  }

  /** Position to roll back to. */
  savepoint(): number {
    return this.#log.length;
  }

  /**
   * Undoes every change since the savepoint, newest first. A savepoint beyond the end of the log
   * undoes nothing: an inner creation may have rolled back to the start of the transaction.
   * Source: storage 4.1; execution 3.1
   */
  rollback(savepoint: number): void {
    while (this.#log.length > savepoint) this.#log.pop()?.undo();
  }

  /** Ends a transaction: its changes can no longer be rolled back. */
  endTransaction(): void {
    this.#log = [];
  }

  /** Records a change so that a roll-back undoes it. */
  record(change: Change): void {
    this.#log.push(change);
  }

  /** Registers work to do before rows are hashed or written: text forms that are made late. */
  beforeReading(settle: () => void): void {
    this.#settlers.push(settle);
  }

  /** The opened tables, in the order of opening, with every row in its final form. */
  tables(): readonly Table[] {
    for (const settle of this.#settlers) settle();
    return [...this.#tables.values()];
  }

  /**
   * The table of that name, opened at most once; undefined when no such table exists. Opening a
   * table that is not a system table looks it up in `_sys_tables_`; opening reads the list of
   * permitted writers.
   */
  open(name: ByteString): Table | undefined {
    const opened = this.#tables.get(name);
    if (opened !== undefined) return opened;
    const schema = systemTable(name) ?? this.#registeredSchema(name);
    if (schema === undefined) return undefined;
    const table = new Table(schema, this);
    // The access table is in the list before its own rows are read, like every other table after.
    if (name === ACCESS_TABLE) this.#tables.set(name, table);
    try {
      table.permitted = this.#permittedWriters(name);
      this.held += textBytes(table.permitted);
    } catch (reason) {
      // An empty list would permit everybody.
      this.#tables.delete(name);
      throw reason;
    }
    this.#tables.set(name, table);
    return table;
  }

  /** A system table: always there. */
  systemTable(name: ByteString): Table {
    const table = this.open(name);
    invariant(table !== undefined, `${name} is a system table`);
    return table;
  }

  /**
   * Registers a table and opens it with an empty list of permitted writers, as the node does for
   * account tables. The caller has seen that {@link open} does not find it.
   */
  register(schema: TableSchema): Table {
    this.#insertSchema(schema);
    const table = new Table(schema, this);
    this.#tables.set(schema.name, table);
    return table;
  }

  /**
   * Registers a table for a user and opens it with its permission list.
   *
   * @returns undefined when the name is registered already
   */
  registerForUser(schema: TableSchema): Table | undefined {
    if (this.systemTable(TABLES_TABLE).select(schema.name).length > 0) return undefined;
    this.#insertSchema(schema);
    return this.open(schema.name);
  }

  /** True when the origin may write the table. Source: execution 8 */
  permits(table: Table, origin: string): boolean {
    const permitted = table.permitted;
    if (table.schema.name === ACCESS_TABLE) {
      return permitted.length < LEAST_COMMITTEE || permitted.includes(origin);
    }
    if (permitted.length === 0 || permitted.includes(origin)) return true;
    if (this.options.reconfirmCommittee !== true) return false;
    return this.systemTable(ACCESS_TABLE).permitted.length < LEAST_COMMITTEE;
  }

  /** True from a version on. */
  since(major: number, minor: number, patch: number): boolean {
    return this.options.version >= version(major, minor, patch);
  }

  #insertSchema(schema: TableSchema): void {
    const tables = this.systemTable(TABLES_TABLE);
    tables.insert(schema.name, [
      ["key_field", schema.keyField],
      ["value_field", schema.fields.join(",")],
    ]);
  }

  #registeredSchema(name: ByteString): TableSchema | undefined {
    const row = this.systemTable(TABLES_TABLE).select(name)[0];
    if (row === undefined) return undefined;
    return {
      name,
      keyField: row.columns.get("key_field") ?? "",
      fields: (row.columns.get("value_field") ?? "").split(","),
      hashed: true,
    };
  }

  #permittedWriters(name: ByteString): readonly string[] {
    const inForce = (row: { readonly columns: ReadonlyMap<string, string> }): boolean =>
      Number(row.columns.get("enable_num") ?? "0") <= this.options.parentNumber;
    return this.systemTable(ACCESS_TABLE)
      .select(name, { test: inForce })
      .map((row) => writerOf(row.columns.get("address") ?? ""));
  }
}

const HEX_TEXT = /^(?:0x)?([0-9a-fA-F]*)$/;
const ADDRESS_DIGITS = 40;

/**
 * The address that a list names: rows hold it as it was given, in either case and with or without
 * `0x`; hexadecimal text of another length is the zero address. Source: precompiles 8, 9
 */
function writerOf(text: ByteString): string {
  const digits = HEX_TEXT.exec(text)?.[1];
  if (digits === undefined) return text;
  return digits.length === ADDRESS_DIGITS ? `0x${digits.toLowerCase()}` : ZERO_ADDRESS;
}
