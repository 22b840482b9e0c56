/**
 * Everything that a recorded ledger shows, asked of our ledger over JSON-RPC: each field of each
 * block, header, transaction and receipt must be the recorded one. What blocks show of all their
 * transactions is asked of each by itself too, or of one of each block.
 */
import assert from "node:assert/strict";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { encodeRlp } from "../../../core/bytes/rlp.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { ALL_LEAVE, dispatch } from "../../../core/rpc/dispatch.ts";
import { type Version, version } from "../../../core/model/version.ts";
import type { NodeApi } from "../../../core/api/node-api.ts";
import { readDataLines } from "./data-files.ts";
import { dataGroup, dataNode } from "../data-node.ts";
import type { ReplayFiles } from "./replay.ts";
import type { Reply } from "../rpc-node.ts";

type Shown = Readonly<Record<string, unknown>>;

interface ShownLevel {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

interface RecordedLine {
  readonly number: number;
  readonly block: Shown & { readonly transactions: readonly Shown[] };
  readonly header: Shown;
  readonly receipts: readonly Shown[];
}

/** What is asked, and what was recorded. */
export interface ReadLedger {
  readonly files: ReplayFiles;
  readonly ledger: Ledger;
  readonly suite: CryptoSuite;
  readonly version: Version;
  /** Whether every transaction is asked for by itself; else one of each block that is read. */
  readonly isEachAsked: boolean;
}

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** Null for the receiver of a creation, where the decision says so. Source: decision 8 */
function orNull(to: unknown): unknown {
  return to === ZERO_ADDRESS ? null : to;
}

/** A call of the zero address is recorded like a creation; ours distinguishes them. */
function withReceiver(shown: Shown, ours: unknown): Shown {
  const { to } = ours as Shown;
  return shown["to"] === to ? shown : { ...shown, to: orNull(shown["to"]) };
}

/** One ledger that is read. One class because every read needs the node. */
class Reader {
  readonly #node: NodeApi;
  readonly #options: ReadLedger;

  constructor(options: ReadLedger) {
    const { ledger, suite, version: supportedVersion } = options;
    this.#options = options;
    this.#node = dataNode([dataGroup(ledger)], { suite, supportedVersion });
  }

  /** The answer as it is sent: equal answers need not be parsed. */
  #answer(method: string, ...params: readonly unknown[]): Promise<string> {
    const body = JSON.stringify({ jsonrpc: "2.0", method, params: [1, ...params], id: 1 });
    return dispatch(this.#node, body, { ...ALL_LEAVE });
  }

  async read(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const { result, error } = JSON.parse(await this.#answer(method, ...params)) as Reply;
    assert.equal(error, undefined, `${method} ${params.join()}: ${error?.message}`);
    return result;
  }

  async block({ number, block, header, receipts }: RecordedLine): Promise<void> {
    const { hash, transactions } = block;
    const answer = await this.#answer("getBlockByNumber", String(number), true);
    const whole = (JSON.parse(answer) as Reply).result as typeof block;
    const expected = transactions.map((it, index) =>
      withReceiver(it, whole.transactions[index] ?? {}),
    );
    assert.deepEqual(whole, { ...block, transactions: expected });
    assert.equal(await this.#answer("getBlockByHash", hash, true), answer);
    const { signatureList, ...bare } = block;
    const hashes = transactions.map((it) => it["hash"]);
    const short = await this.read("getBlockByHash", hash, false);
    assert.deepEqual(short, { ...bare, transactions: hashes });
    const sealed = await this.read("getBlockHeaderByNumber", `0x${number.toString(16)}`, true);
    assert.deepEqual(sealed, header);
    const { signatureList: _, ...unsealed } = header;
    assert.deepEqual(await this.read("getBlockHeaderByHash", hash, false), unsealed);
    assert.deepEqual(signatureList, header["signatureList"]);
    const { isEachAsked } = this.#options;
    for (const [index, transaction] of transactions.entries())
      if (isEachAsked || index === number % transactions.length)
        await this.transaction(transaction, receipts[index] ?? {}, { header, index });
    await this.batch(hash, receipts);
  }

  async transaction(
    transaction: Shown,
    receipt: Shown,
    place: { readonly header: Shown; readonly index: number },
  ): Promise<void> {
    const { hash, blockNumber, blockHash, transactionIndex } = transaction;
    const answer = await this.#answer("getTransactionByHash", hash);
    assert.deepEqual((JSON.parse(answer) as Reply).result, transaction);
    const byNumber = "getTransactionByBlockNumberAndIndex";
    assert.equal(await this.#answer(byNumber, blockNumber, transactionIndex), answer);
    const byHash = "getTransactionByBlockHashAndIndex";
    assert.equal(await this.#answer(byHash, blockHash, String(place.index)), answer);
    const shown = (await this.read("getTransactionReceipt", hash)) as Shown;
    assert.deepEqual(shown, withReceiver(receipt, shown));
    if (this.#options.version < version(2, 2, 0)) return;
    const { header } = place;
    const proved = (await this.read("getTransactionByHashWithProof", hash)) as Shown;
    assert.deepEqual(proved["transaction"], transaction);
    this.#prove(String(header["transactionsRoot"]), place.index, [hash, proved["txProof"]]);
    const proof = (await this.read("getTransactionReceiptByHashWithProof", hash)) as Shown;
    const { remainGas: _, statusMsg: __, ...documented } = shown;
    assert.deepEqual(proof["transactionReceipt"], documented);
  }

  /** The hash and the proof lead to the root. Source: tx-block-codec 8.4 */
  #prove(root: string, index: number, [hash, proof]: readonly [unknown, unknown]): void {
    let at = concatBytes(encodeRlp(index), hexBytes(String(hash)));
    for (const { left, right } of proof as readonly ShownLevel[]) {
      const parts = [...left.map(hexBytes), at, ...right.map(hexBytes)];
      at = this.#options.suite.hash(concatBytes(...parts));
    }
    assert.equal(`0x${toHex(at)}`, root);
  }

  async batch(hash: unknown, receipts: readonly Shown[]): Promise<void> {
    if (receipts.length === 0) return;
    const method = "getBatchReceiptsByBlockHashAndRange";
    const { transactionReceipts } = (await this.read(method, hash, "0", "-1", false)) as {
      readonly transactionReceipts: readonly Shown[];
    };
    assert.equal(transactionReceipts.length, receipts.length);
    for (const [index, shown] of transactionReceipts.entries())
      for (const [name, value] of Object.entries(shown))
        if (name !== "to") assert.deepEqual(value, receipts[index]?.[name], name);
  }
}

/** Of a ledger of which not everything is asked, one of this many blocks is read. */
const BLOCKS_PER_READ = 4;
/** Versions count their minor numbers in thousands. */
const MINOR = 1_000;

/**
 * Whether a block is read. Ledgers of many versions have one plan: each reads others of its blocks,
 * so that all of the plan are read of some version. Of a plan that only one ledger has a quarter is
 * read; all with all cases.
 */
function isRead({ number }: RecordedLine, options: ReadLedger): boolean {
  const minor = Math.floor(options.version / MINOR);
  return options.isEachAsked || (number + minor) % BLOCKS_PER_READ === 0;
}

/** Asks for everything of a replayed ledger. */
export async function assertReads(options: ReadLedger): Promise<void> {
  const { files, ledger } = options;
  const last = ledger.head().number;
  const recorded = readDataLines<RecordedLine>(files.ledger).slice(0, last + 1);
  const reader = new Reader(options);
  for (const line of recorded) if (isRead(line, options)) await reader.block(line);
  const all = recorded.flatMap(({ receipts }) => receipts);
  assert.deepEqual(await reader.read("getTotalTransactionCount"), {
    blockNumber: `0x${last.toString(16)}`,
    failedTxSum: `0x${all.filter(({ status }) => status !== "0x0").length.toString(16)}`,
    txSum: `0x${all.length.toString(16)}`,
  });
}
