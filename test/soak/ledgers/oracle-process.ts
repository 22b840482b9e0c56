/**
 * The oracle of test/oracle in a process of its own: it shares nothing with what it judges. Started
 * by its path and kept for all ledgers of a run.
 */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../../support/runner/root.ts";

/** What the oracle is asked for a chain. */
export interface OracleChain {
  readonly version: string;
  readonly free: boolean;
  readonly sm: boolean;
}

/** A transaction as the generators write it; accounts are numbers. */
export interface OracleTransaction {
  readonly from?: number;
  /** Absent: a creation. */
  readonly to?: string;
  readonly data: string;
  readonly gas?: number | string;
  readonly value?: number;
}

/** A block as the generators write it. */
export interface OracleBlock {
  readonly txs: readonly OracleTransaction[];
}

/** A transaction that the oracle has no rules for. */
export interface LeftOut {
  readonly block: number;
  readonly index: number;
  readonly reason: string;
}

/** A ledger by the oracle's rules. */
export interface OracleLedger {
  /** One block each, in the form of a recorded ledger. */
  readonly lines: readonly string[];
  /** Text of the genesis file. */
  readonly genesis: string;
  readonly leftOut: readonly LeftOut[];
}

/** A contract for the generator that calls by ABI. */
export interface OracleContract {
  readonly name: string;
  readonly bytecode: string;
  readonly abi: readonly unknown[];
}

/** What a generator draws from. */
export interface GenerateOptions extends OracleChain {
  readonly kind: string;
  readonly seed: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly contracts?: readonly OracleContract[];
}

/** What the oracle found in a ledger of ours. */
export interface Reexecuted {
  readonly blocks: number;
  readonly transactions: number;
  readonly differences: readonly {
    readonly block: number;
    readonly index?: number;
    readonly field: string;
    readonly recorded: string;
    readonly computed: string;
  }[];
  readonly leftOut: readonly LeftOut[];
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (cause: Error) => void;
}

interface Answer {
  readonly id: number;
  readonly answer?: never;
  readonly error?: string;
}

/** The process; a class because it owns it. */
export class OracleProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor() {
    this.#child = fork(join(ROOT, "test", "oracle", "serve.mjs"), { execArgv: [] });
    this.#child.on("message", (message) => this.#onAnswer(message as Answer));
    const fail = (cause: Error): void => {
      for (const { reject } of this.#waiting.values()) reject(cause);
      this.#waiting.clear();
    };
    this.#child.on("error", fail);
    this.#child.on("exit", (code) => fail(new Error(`the oracle ended with ${code}`)));
  }

  /** Transactions of a generator. */
  generate(options: GenerateOptions): Promise<readonly OracleBlock[]> {
    return this.#ask("generate", options);
  }

  /** Executes transactions by the oracle's rules. */
  record(chain: OracleChain, blocks: readonly OracleBlock[]): Promise<OracleLedger> {
    return this.#ask("record", { chain, blocks });
  }

  /** Executes a ledger again and compares; `to: null` of a creation is understood (decision 8). */
  reexecute(
    chain: { readonly version: string; readonly sm: boolean; readonly genesis: string },
    lines: readonly string[],
  ): Promise<Reexecuted> {
    return this.#ask("reexecute", { chain, lines });
  }

  /** Ends the process. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    // It may be at work on a ledger that no caller waits for.
    this.#child.kill();
    await ended;
  }

  #ask<T>(ask: string, of: unknown): Promise<T> {
    const id = ++this.#asked;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ask, of }, (cause) => {
        if (!cause) return;
        this.#waiting.delete(id);
        reject(cause);
      });
    });
  }

  #onAnswer({ id, answer, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error !== undefined) waiting?.reject(new Error(error));
    else waiting?.resolve(answer as never);
  }
}
