/**
 * Faults of what this program computes: an invariant that does not hold, a case that cannot happen,
 * results that a quorum did not find.
 */

/**
 * Thrown when the program is wrong; no caller catches it but the supervisor of the actor it ends.
 */
export class InvariantFault extends Error {
  override readonly name = "InvariantFault";
}

/**
 * A block that a quorum has certified gives other results on this node. Either rows of its ledger
 * are not what was written, or its program is another one: the ledger that is built anew from peers
 * tells which. Source: decision 30
 */
export class ResultFault extends Error {
  override readonly name = "ResultFault";
}

/**
 * Ends the computation unless the condition holds.
 *
 * @throws InvariantFault with the message when the condition is false
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantFault(message);
}

/** Marks a branch that the types rule out; does not compile while a case is missing. */
export function unreachable(value: never): never {
  throw new InvariantFault(`unreachable case: ${String(value)}`);
}
