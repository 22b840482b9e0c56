/**
 * What became of one transaction or call, under the method names that workload modules of both
 * generations use. Source: benchmark 5
 */

/** `created` until it is known. */
export type TxOutcome = "created" | "success" | "failed";

/** A transaction as modules and the tool see it. Times are milliseconds of a steady clock. */
export class TxStatus {
  /** @param timeCreate when it was sent */
  constructor(id: string | undefined = undefined, timeCreate: number = Date.now()) {
    this.#id = id;
    this.#timeCreate = timeCreate;
  }

  #id: string | undefined;
  #status: TxOutcome = "created";
  #timeCreate: number;
  #timeFinal = 0;
  #result: unknown = null;
  #verified = false;
  #flags = 0;
  #error: string | undefined;
  #custom: Map<string, unknown> | undefined;

  /** The transaction hash; undefined for a call. */
  GetID(): string | undefined {
    return this.#id;
  }

  SetID(id: string): void {
    this.#id = id;
  }

  GetStatus(): TxOutcome {
    return this.#status;
  }

  IsCommitted(): boolean {
    return this.#status === "success";
  }

  /** It succeeded, now or at the time given. */
  SetStatusSuccess(time: number = Date.now()): void {
    this.#end("success", time);
  }

  /** It failed, now or at the time given. */
  SetStatusFail(time: number = Date.now()): void {
    this.#end("failed", time);
  }

  GetTimeCreate(): number {
    return this.#timeCreate;
  }

  SetTimeCreate(time: number): void {
    this.#timeCreate = time;
  }

  /** When its end was known; 0 before. */
  GetTimeFinal(): number {
    return this.#timeFinal;
  }

  /** Sets whether its outcome was checked. */
  SetVerification(verified: boolean): void {
    this.#verified = verified;
  }

  /** Whether its outcome was checked against the chain: by a receipt, or the answer of a call. */
  IsVerified(): boolean {
    return this.#verified;
  }

  SetFlag(flag: number): void {
    this.#flags |= flag;
  }

  GetFlag(): number {
    return this.#flags;
  }

  /** Sets why it failed: the name of a receipt status, `timeout`, or what a node reported. */
  SetErrMsg(message: string): void {
    this.#error = message;
  }

  /** Why it failed; empty when it did not. */
  GetErrMsg(): string {
    return this.#error ?? "";
  }

  SetResult(result: unknown): void {
    this.#result = result;
  }

  /** What it returned; null before, and where nothing is. */
  GetResult(): unknown {
    return this.#result;
  }

  /** A value of the module's own; undefined when there is none of the name. */
  Get(name: string): unknown {
    return this.#custom?.get(name);
  }

  Set(name: string, value: unknown): void {
    this.#custom ??= new Map();
    this.#custom.set(name, value);
  }

  #end(status: TxOutcome, time: number): void {
    this.#status = status;
    this.#timeFinal = time;
  }
}
