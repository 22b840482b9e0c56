/** The fault of this program itself: an invariant that does not hold, a case that cannot happen. */

/**
 * Thrown when the program is wrong; nobody catches it but the supervisor of the actor it ends.
 */
export class InvariantFault extends Error {
  override readonly name = "InvariantFault";
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
