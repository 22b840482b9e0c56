/** What a command of the console is: one row for parser, help, completion and documentation. */
import type { Session } from "./session.ts";

/** What Tab offers for a parameter. Source: console 2 */
export type CompletionKind =
  /** Contracts of `contracts/solidity`, and paths. */
  | "contract"
  /** `latest` and deployed addresses of the contract named before. */
  | "contractAddress"
  /** Functions of the contract named two words before. */
  | "contractFunction"
  /** Addresses of the key folder. */
  | "account"
  /** Addresses of the key folder, and files. */
  | "accountOrFile"
  /** `pem` and `p12`. */
  | "accountFormat"
  | "systemKey"
  | "boolean"
  | "endpoint"
  | "group"
  | "nodeId"
  | "command"
  | "file";

/** One parameter, in the order of the command line. */
export interface Parameter {
  readonly name: string;
  /** What it is, without a full stop: the line `* name -- text` of the usage. */
  /** What it does, one sentence without a full stop. */
  readonly says: string;
  readonly isOptional?: true;
  /** Form of its words, where one that was left out is noticed by the next word in its place. */
  readonly form?: RegExp;
  /** Only the last one: takes all words that follow, one at least unless it is optional. */
  readonly isMany?: true;
  readonly completes?: CompletionKind;
}

/** What a command has found or done. */
export interface Outcome {
  /** For people, as section 3 wants it; without the line break at the end. */
  readonly text: string;
  /** The same for programs: `data` of `--json`. Big integers become decimal texts. */
  readonly data: unknown;
  /** `code` of `--json`; 0 when absent. */
  readonly code?: number;
  /** `message` of `--json`; `success` when absent. */
  readonly message?: string;
}

/** A command. */
export interface ConsoleCommand {
  /** As it is documented; any case is understood when only one command is meant. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly says: string;
  readonly parameters: readonly Parameter[];
  readonly flags?: readonly Flag[];
  /** The line as it was typed is the one argument: SQL. Source: console 2 */
  readonly takesLine?: true;
  /** Makes sense only while a session lasts. Source: console 4 */
  readonly isInteractiveOnly?: true;
  /** Ctrl+C is how it is meant to end: it examines the signal itself. */
  readonly endsBySignal?: true;
  /** The line is kept out of the history: it may hold a password. */
  readonly isSecret?: true;
  /** The least Supported Version of the node, such as `2.3.0`. Source: console 2 */
  readonly since?: string;
  /**
   * Does it. The count of arguments fits the parameters; what they are, the command checks.
   * @throws ConsoleFault; the faults of the client are put into words by the caller
   */
  run(session: Session, args: readonly string[], flags: GivenFlags): Promise<Outcome>;
}

/** A switch or a named value of a command: `--label <text>`. It may stand anywhere. */
export interface Flag {
  /** With its dashes. */
  readonly name: string;
  readonly says: string;
  /** Name of the value; a switch when absent. */
  readonly value?: string;
}

/** The flags that were given, by their names with dashes; a switch is an empty text. */
export type GivenFlags = ReadonlyMap<string, string>;

/** Exit codes of the console. Source: console 6 */
export const EXIT = { done: 0, failed: 1, usage: 2, noConnection: 3 } as const;

/** An exit code of the console. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What is known of a failure next to its sentence. */
export interface FaultDetail {
  /** Of the node, a receipt or the tables of the interface; absent for a plain sentence. */
  readonly code?: number | undefined;
  /** Printed in place of code and message. */
  readonly text?: string;
  /** {@link EXIT}`.failed` when absent. */
  readonly exitCode?: ExitCode;
  /** Of the transaction that failed or whose fate is unknown. */
  readonly transactionHash?: string | undefined;
  /** What helps, printed on standard error behind the rest. */
  readonly hint?: string | undefined;
  /** `data` of `--json`. */
  readonly data?: unknown;
  readonly cause?: unknown;
}

/**
 * A command did not succeed. With a code it is printed as `{"code":..,"msg":..}`, without one as
 * the sentence alone. Source: console 3
 */
export class ConsoleFault extends Error {
  override readonly name = "ConsoleFault";
  readonly code: number | undefined;
  readonly text: string | undefined;
  readonly exitCode: ExitCode;
  readonly transactionHash: string | undefined;
  readonly hint: string | undefined;
  readonly data: unknown;

  /** What happened and the next step, and what is known next to it. */
  constructor(message: string, detail: FaultDetail = {}) {
    super(message, detail.cause === undefined ? {} : { cause: detail.cause });
    this.code = detail.code;
    this.text = detail.text;
    this.exitCode = detail.exitCode ?? EXIT.failed;
    this.transactionHash = detail.transactionHash;
    this.hint = detail.hint;
    this.data = detail.data ?? null;
  }
}

/** An argument that cannot be: nothing was sent. */
export function usageFault(message: string, code?: number): ConsoleFault {
  return new ConsoleFault(message, { code, exitCode: EXIT.usage });
}
