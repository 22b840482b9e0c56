/** The gas schedule: which instructions exist and what they cost. Source: execution 7 */
import { type Version, version } from "../../model/version.ts";

/** Prices and switches that a compatibility version and the free storage flag select. */
export interface Schedule {
  /** From 2.6.0 on; Constantinople before. */
  readonly istanbul: boolean;
  /** Longest code that a creation may leave, in bytes. */
  readonly maxCodeBytes: number;
  readonly sload: number;
  /** SSTORE of the value that is there already. */
  readonly storeUnchanged: number;
  /** SSTORE that turns zero into something. */
  readonly storeAdded: number;
  /** SSTORE of another value, zero included. */
  readonly storeModified: number;
  /** CREATE and CREATE2 without the price of hashing the init code. */
  readonly create: number;
  /** CALL and CALLCODE that carry value. */
  readonly callValue: number;
  /** What a call that carries value is given on top. */
  readonly callStipend: number;
  /** Whether a CALL that carries value pays {@link NEW_ACCOUNT_GAS} for an absent account. */
  readonly chargesNewAccount: boolean;
  /** BALANCE and EXTCODEHASH. */
  readonly accountRead: number;
  /** Status and gas left after a store that the permission table forbids. Source: execution 5 */
  readonly denialKeepsGas: boolean;
  /** Whether code deposit is charged, not only checked. */
  readonly chargesDeposit: boolean;
  /** Whether the free storage column of execution 7 applies. */
  readonly freeStorage: boolean;
}

/** Price of a byte of deployed code. Source: execution 3 */
export const DEPOSIT_GAS_PER_BYTE = 200;
/** What a creation of an account by a CALL with value costs below 2.5.0. */
export const NEW_ACCOUNT_GAS = 25_000;
/** Refund of an SSTORE that turns something into zero. Source: execution 5 */
export const STORE_REFUND = 15_000;
/** Refund of a self-destructed account. Source: execution 5 */
export const SELF_DESTRUCT_REFUND = 24_000;
/** SSTORE fails from Istanbul on when no more than this is left. */
export const STORE_SENTRY = 2_300;
/** Deepest frame. Source: execution 4 */
export const MAX_DEPTH = 1_024;
/** Highest stack. */
export const MAX_STACK = 1_024;

/** The schedule of a chain. Source: execution 7 */
export function gasSchedule(supported: Version, options: { freeStorage: boolean }): Schedule {
  const istanbul = supported >= version(2, 6, 0);
  const free = options.freeStorage && supported >= version(2, 4, 0);
  const plain = {
    sload: 200,
    storeUnchanged: istanbul ? 800 : 5_000,
    storeAdded: 20_000,
    storeModified: 5_000,
    create: 32_000,
    callValue: 9_000,
    callStipend: 2_300,
  };
  const freeStorage = {
    sload: 1_200,
    storeUnchanged: istanbul ? 800 : 1_200,
    storeAdded: 1_200,
    storeModified: 1_200,
    create: 16_000,
    callValue: 0,
    callStipend: 5,
  };
  return {
    ...(free ? freeStorage : plain),
    istanbul,
    maxCodeBytes: supported <= version(2, 0, 0) ? 0x6000 : 0x40000,
    chargesNewAccount: supported < version(2, 5, 0),
    accountRead: istanbul ? 700 : 400,
    denialKeepsGas: istanbul,
    chargesDeposit: !free,
    freeStorage: free,
  };
}

/** Gas of a memory of that many 32-byte words. Source: execution 7 */
export function memoryGas(words: number): number {
  return 3 * words + Math.floor((words * words) / 512);
}
