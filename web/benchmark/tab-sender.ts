/** Sends the transactions and calls of a round to the chain of this page. */
import { encodeFunction, type JsonItem } from "../../core/client/abi-item.ts";
import { toPrefixedHex } from "../../core/bytes/hex.ts";
import { realClock } from "../../runtimes/shared/benchmark/bench-clock.ts";
import { faultText } from "../../runtimes/shared/benchmark/benchmark-fault.ts";
import { failureOf, ReceiptWatch } from "../../runtimes/shared/benchmark/receipt-watch.ts";
import type { ChainCount } from "../../runtimes/shared/benchmark/round-result.ts";
import { type SigningPlace, TransactionMaker } from "../../runtimes/shared/benchmark/signing.ts";
import type { SutRequest, SutSender } from "../../runtimes/shared/benchmark/sut.ts";
import type { TxStatus } from "../../runtimes/shared/benchmark/tx-status.ts";
import { webEntropy } from "../../runtimes/shared/platform/web-platform.ts";
import { hexBytes } from "../../core/bytes/hex.ts";
import type { ChainSource } from "../data/source.ts";

/** The precompiled contract of balances by name: nothing has to be deployed. */
export const BALANCES = "0x0000000000000000000000000000000000005002";

const string = (name: string) => ({ name, type: "string" });
const uint = (name: string) => ({ name, type: "uint256" });
/** The functions that rounds use. Source: precompiles 16 */
const ABI: readonly JsonItem[] = [
  { type: "function", name: "userSave", inputs: [string("user"), uint("amount")], outputs: [] },
  { type: "function", name: "userBalance", inputs: [string("user")], outputs: [] },
];

const KEY_BYTES = 32;
/** The height grows meanwhile: it is asked for anew this often. */
const HEIGHT_MS = 2_000;

/** Where a moment of the chain is told. */
interface Moment {
  readonly blockNumber: string;
  readonly txSum: string;
}

/** A sender with an account of its own. */
export class TabSender implements SutSender {
  readonly type = "tab";
  readonly #source: Pick<ChainSource, "request">;
  readonly #place: SigningPlace;
  readonly #maker: TransactionMaker;
  readonly #watch: ReceiptWatch;
  #height = 0;
  #heightAt = Number.NEGATIVE_INFINITY;

  constructor(source: Pick<ChainSource, "request">, place: SigningPlace) {
    this.#source = source;
    this.#place = place;
    const key = webEntropy.bytes(KEY_BYTES);
    const address = place.suite.address(place.suite.publicKey(key));
    this.#maker = new TransactionMaker(place, [{ key, address }]);
    const { groupId } = place;
    this.#watch = new ReceiptWatch({ pick: () => source, groupId, clock: realClock() });
  }

  /** Looks where the chain is. @throws NodeFault, TransportFault */
  async begin(): Promise<void> {
    await this.#watch.begin();
    await this.#look();
  }

  close(): void {
    this.#watch.close();
  }

  /** Blocks and transactions so far. @throws NodeFault, TransportFault */
  async moment(): Promise<{ readonly block: number; readonly transactions: number }> {
    const params = [this.#place.groupId];
    const told = await this.#source.request({ method: "getTotalTransactionCount", params });
    const { blockNumber, txSum } = told as Moment;
    return { block: Number(blockNumber), transactions: Number(txSum) };
  }

  async #look(): Promise<void> {
    this.#heightAt = performance.now();
    const params = [this.#place.groupId];
    this.#height = Number(await this.#source.request({ method: "getBlockNumber", params }));
  }

  async send(request: SutRequest, status: TxStatus): Promise<void> {
    const { contractFunction = "", args = [], readOnly } = request;
    const { data } = encodeFunction(
      ABI,
      contractFunction,
      Object.values(args),
      this.#place.suite.hash,
    );
    try {
      const receipt = readOnly ? await this.#call(data) : await this.#transact(data, status);
      status.SetVerification(true);
      const failure = failureOf(receipt);
      if (failure === undefined) return status.SetStatusSuccess(realClock().now());
      status.SetErrMsg(failure);
    } catch (cause) {
      status.SetErrMsg(faultText(cause));
    }
    status.SetStatusFail(realClock().now());
  }

  async #call(data: string) {
    const from = this.#maker.first?.address;
    const call = { from, to: BALANCES, value: "0x0", data };
    const params = [this.#place.groupId, call];
    const told = await this.#source.request({ method: "call", params });
    const { status, output } = told as { readonly status: string; readonly output: string };
    return { status: Number(status), output };
  }

  async #transact(data: string, status: TxStatus) {
    if (performance.now() - this.#heightAt > HEIGHT_MS) await this.#look();
    const { raw, hash } = this.#maker.make(BALANCES, hexBytes(data), this.#height);
    status.SetID(hash);
    const receipt = this.#watch.receiptOf(hash);
    try {
      const params = [this.#place.groupId, toPrefixedHex(raw)];
      await this.#source.request({ method: "sendRawTransaction", params });
    } catch (cause) {
      this.#watch.forget(hash);
      throw cause;
    }
    return await receipt;
  }
}

/** What happened between two moments. */
export function countBetween(
  before: { readonly block: number; readonly transactions: number },
  after: { readonly block: number; readonly transactions: number },
): ChainCount {
  const transactions = after.transactions - before.transactions;
  return { firstBlock: before.block + 1, lastBlock: after.block, transactions };
}
