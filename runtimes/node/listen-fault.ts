/** What keeps a server from listening. */

/** Why a server does not listen. */
export type ListenProblem = "inUse" | "notAllowed" | "noSuchAddress" | "failed";

/** The server cannot listen; the message is one sentence that names host and port. */
export class ListenFault extends Error {
  override readonly name = "ListenFault";
  readonly problem: ListenProblem;

  constructor(problem: ListenProblem, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.problem = problem;
  }
}
