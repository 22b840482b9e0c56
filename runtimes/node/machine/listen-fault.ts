/** What keeps a server from listening. */

/** Why a server does not listen. */
export type ListenProblem = "inUse" | "notAllowed" | "noSuchAddress" | "failed";

/** The server cannot listen; the message is one sentence that names host and port. */
export class ListenFault extends Error {
  override readonly name = "ListenFault";
  readonly problem: ListenProblem;
  /** The port that is meant; undefined when the message is of several. */
  readonly port: number | undefined;

  constructor(problem: ListenProblem, message: string, from: { cause: unknown; port?: number }) {
    super(message, { cause: from.cause });
    this.problem = problem;
    this.port = from.port;
  }
}
