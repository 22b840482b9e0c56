/** The fault of a ledger whose rows are not those of the others. */

/**
 * A block that a quorum has certified gives other results on this node. Either rows of its ledger
 * are not what was written, or its program is another one: the ledger that is built anew from peers
 * tells which. Source: decision 30
 */
export class ResultFault extends Error {
  override readonly name = "ResultFault";
}
