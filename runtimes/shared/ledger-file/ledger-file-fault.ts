/** What is wrong with a ledger file. */

/** A ledger file that cannot be read; the message names the line. */
export class LedgerFileFault extends Error {
  override readonly name = "LedgerFileFault";
}
