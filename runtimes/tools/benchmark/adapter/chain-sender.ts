/**
 * Sends requests of workloads to a chain; each transaction is matched with its receipt.
 * Source: benchmark 3, 5
 */
import { toPrefixedHex } from "../../../../core/bytes/hex.ts";
import { NodeFault, TransportFault } from "../../../../core/client/client-fault.ts";
import { refusalOf } from "../../../../core/client/refusal.ts";
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import type { SutRequest, SutSender } from "../../../shared/benchmark/sut.ts";
import type { TxStatus } from "../../../shared/benchmark/tx-status.ts";
import type { Chain } from "./chain.ts";
import type { HeightWatch } from "./height-watch.ts";
import { failureOf, type LaneReceipt } from "../../../shared/benchmark/receipt-watch.ts";
import { type Lane, reasonAt } from "./lane.ts";
import type { RequestEncoder } from "./request-encoder.ts";
import type { TransactionMaker } from "../../../shared/benchmark/signing.ts";

/** What a sender is made of. */
export interface SenderParts {
  readonly type: string;
  readonly chain: Chain;
  readonly encoder: RequestEncoder;
  readonly maker: TransactionMaker;
  readonly height: HeightWatch;
  readonly clock: BenchClock;
}

/** What the error table counts together, and behind a colon what it shows. */
function errorText(cause: unknown): string {
  if (cause instanceof NodeFault) {
    const text = cause.message.replace(`${cause.method}: `, "");
    const status = refusalOf(cause);
    return status === undefined ? text : `${status}: ${text}`;
  }
  if (cause instanceof TransportFault) return `no connection: ${cause.message}`;
  return faultText(cause);
}

/** The adapter of a worker. */
export class ChainSender implements SutSender {
  readonly type: string;
  readonly #parts: SenderParts;
  readonly #lost = new Map<string, string>();

  constructor(parts: SenderParts) {
    this.type = parts.type;
    this.#parts = parts;
  }

  /** Nodes that were lost since the last question, with the reason. */
  takeLostNodes(): readonly string[] {
    const lost = [...this.#lost].map(([name, reason]) => `node ${name} was lost: ${reason}`);
    this.#lost.clear();
    return lost;
  }

  async send(request: SutRequest, status: TxStatus): Promise<void> {
    const { encoder, chain, clock } = this.#parts;
    const { to, input } = encoder.encode(request);
    const lane = chain.pick();
    try {
      const work = request.readOnly
        ? this.#call(lane, to, input)
        : this.#transact(
            lane,
            status,
            this.#parts.maker.make(to, input, this.#parts.height.height),
          );
      const receipt = await work;
      status.SetResult(receipt.output);
      status.SetVerification(true);
      const failure = failureOf(receipt);
      if (failure === undefined) return status.SetStatusSuccess(clock.now());
      status.SetErrMsg(failure);
    } catch (cause) {
      if (cause instanceof BenchmarkFault) throw cause;
      // The first reason tells why: those that follow say that nothing listens there any more.
      if (cause instanceof TransportFault && !this.#lost.has(lane.name))
        this.#lost.set(lane.name, reasonAt(lane.name, cause));
      status.SetErrMsg(errorText(cause));
    }
    status.SetStatusFail(clock.now());
  }

  async #transact(
    lane: Lane,
    status: TxStatus,
    transaction: ReturnType<TransactionMaker["make"]>,
  ): Promise<LaneReceipt> {
    status.SetID(transaction.hash);
    return await lane.submit(transaction);
  }

  async #call(lane: Lane, to: string, input: Uint8Array): Promise<LaneReceipt> {
    const { chain, maker } = this.#parts;
    const from = maker.first?.address;
    const params = [chain.groupId, { from, to, value: "0x0", data: toPrefixedHex(input) }];
    const told = await lane.request({ method: "call", params });
    const { status, output } = told as { readonly status: string; readonly output: string };
    return { status: Number(status), output };
  }
}
