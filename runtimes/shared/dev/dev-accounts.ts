/** The ten accounts of every dev chain: the same on every machine, known to everybody. */
import { toPrefixedHex } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";

/** A ready-made account. */
export interface DevAccount {
  readonly address: Address;
  /** 0x and 64 hexadecimal digits. Public: never use it for anything of value. */
  readonly privateKey: string;
}

const DEV_ACCOUNT_COUNT = 10;
/** Key i is the chain hash of this text and the decimal i. */
export const DEV_ACCOUNT_SEED = "chain-node dev account ";

/** Derives the accounts from {@link DEV_ACCOUNT_SEED}. */
export function devAccounts(suite: CryptoSuite): readonly DevAccount[] {
  return Array.from({ length: DEV_ACCOUNT_COUNT }, (_, i) => {
    const key = suite.hash(utf8Bytes(`${DEV_ACCOUNT_SEED}${i}`));
    return { address: suite.address(suite.publicKey(key)), privateKey: toPrefixedHex(key) };
  });
}
