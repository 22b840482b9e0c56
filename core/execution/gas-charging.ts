/** Gas charging: who pays, the check before a transaction, the row after it. Source: execution 9 */
import { addressOfNumber } from "../bytes/hex.ts";
import type { Address } from "../bytes/ids.ts";
import { decimalText, parseDecimal } from "../bytes/byte-string.ts";
import { configValue } from "../ledger/state-rows.ts";
import { version, type Version } from "../model/version.ts";
import { ACCESS_TABLE, CONFIG_TABLE } from "../storage/system-tables.ts";
import { ROW_NORMAL, type RowSource } from "../storage/table.ts";
import { ACCOUNT_KEY, type Accounts } from "./accounts.ts";

/** What is sent to it is free: the committee must be able to act. Source: execution 9 */
const CHAIN_GOVERNANCE = addressOfNumber(0x1008);
const CHARGING_FROM = version(2, 9, 0);
/** A charger in `charger_list`: 40 digits and a comma. Source: precompiles 13 */
const CHARGER = /([0-9a-f]{40}),/g;

/** Charging in one block; absent where it is off. */
export class GasCharging {
  readonly #accounts: Accounts;
  readonly #source: RowSource;
  /** Chargers and committee members of the parent block; read when first asked for. */
  #free: ReadonlySet<string> | undefined;

  constructor(accounts: Accounts, source: RowSource) {
    this.#accounts = accounts;
    this.#source = source;
  }

  /** Whether a transaction is checked and pays; the others show no gas used. */
  pays(from: Address, to: Address | null): boolean {
    if (to === CHAIN_GOVERNANCE) return false;
    this.#free ??= freeAccounts(this.#source);
    return !this.#free.has(from);
  }

  /** Whether the sender has at least that much left; an account without a row has not. */
  affords(from: Address, base: bigint): boolean {
    const remain = this.#remain(from);
    return remain !== undefined && remain >= base;
  }

  /**
   * Takes the gas from the sender's row.
   *
   * @returns the gas used that the receipt shows: at most what the sender had
   */
  charge(from: Address, gasUsed: bigint): bigint {
    const remain = this.#remain(from) ?? 0n;
    const paid = gasUsed < remain ? gasUsed : remain;
    this.#accounts.get(from)?.update(ACCOUNT_KEY.remainGas, decimalText(remain - paid));
    return paid;
  }

  /** Nothing is taken from one who is refused, but the row of one who has something is written. */
  settle(from: Address): void {
    if ((this.#remain(from) ?? 0n) > 0n) this.charge(from, 0n);
  }

  #remain(from: Address): bigint | undefined {
    const text = this.#accounts.get(from)?.value(ACCOUNT_KEY.remainGas);
    return text === undefined ? undefined : parseDecimal(text);
  }
}

/** Whether transactions of the block after `parentNumber` are charged. */
export function isCharging(rows: RowSource, chain: Version, parentNumber: number): boolean {
  return chain >= CHARGING_FROM && configValue(rows, "enable_charge_mgr", parentNumber) === "on";
}

/** The chargers of the parent block, in ascending order. Source: precompiles 13 */
export function committedChargers(rows: RowSource): readonly Address[] {
  const lists = rows.rows(CONFIG_TABLE, "charger_list").filter(isNormal);
  const chargers = lists.flatMap((row) => [...(row.columns.get("value") ?? "").matchAll(CHARGER)]);
  return chargers.map(([, digits]) => `0x${digits}` as Address);
}

function freeAccounts(rows: RowSource): ReadonlySet<string> {
  const committee = rows.rows(ACCESS_TABLE, ACCESS_TABLE).filter(isNormal);
  return new Set([
    ...committedChargers(rows),
    ...committee.map((row) => row.columns.get("address") ?? ""),
  ]);
}

function isNormal({ status }: { readonly status: number }): boolean {
  return status === ROW_NORMAL;
}
