/**
 * A ledger against its own execution from the genesis block: receipts, roots and hashes of every
 * block, and all rows at the end. Source: storage 14
 */
import { equalBytes } from "../../../core/bytes/bytes.ts";
import { hashOf, toHex } from "../../../core/bytes/hex.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { type GenesisOptions, prepareGenesis } from "../../../core/ledger/genesis-block.ts";
import { bodyKey, headerKey, numberKey, receiptsKey } from "../../../core/ledger/keys.ts";
import {
  decodeBody,
  decodeHeaderRecord,
  decodeReceiptTable,
  type HeaderRecord,
} from "../../../core/ledger/records.ts";
import { type Header, unexecuted } from "../../../core/model/header.ts";
import { decodeTransaction } from "../../../core/model/transaction.ts";
import type { Executor } from "../../../core/ports/executor.ts";
import type { Store } from "../../../core/ports/store.ts";
import { decodeRows } from "../../../core/storage/row-codec.ts";
import { entriesOf, type StoreEntry } from "../store-pages.ts";
import { ABSENT, type DefectKind, type Report } from "./defect.ts";
import { rowName, rowPlace, shownText } from "./row-check.ts";

/** What is executed again, and where. */
interface ExecutionCheckOptions extends GenesisOptions {
  readonly store: Store;
  /** Empty: the chain is made anew in it. */
  readonly scratch: Store;
  readonly reconfirmCommittee: boolean;
  readonly head: number;
  readonly report: Report;
  readonly progress: (place: string) => void;
}

/** A second execution; a class because it owns an executor. */
class ExecutionCheck {
  readonly #options: ExecutionCheckOptions;
  readonly #executor: Executor;

  constructor(options: ExecutionCheckOptions) {
    this.#options = options;
    this.#executor = createBlockProcessor({ ...options, store: options.scratch });
  }

  async run(): Promise<void> {
    const { head, progress } = this.#options;
    for (let number = 1; number <= head; number++) {
      progress(`executing block ${number} of ${head}`);
      if (!(await this.#tryBlock(number))) return;
    }
    await this.#compareRows();
  }

  /** What was reported of blocks that cannot be read is enough. */
  async #tryBlock(number: number): Promise<boolean> {
    try {
      return await this.#block(number);
    } catch (cause) {
      if (!(cause instanceof StoreFault)) throw cause;
      return this.#stop(number, cause.message);
    }
  }

  /** Nothing above a block that cannot be executed can be. */
  #stop(number: number, reason: string): false {
    this.#say(number, "header", ["execution from here on", reason, "an executable block"]);
    return false;
  }

  #say(
    block: number,
    kind: DefectKind,
    [what, stored, expected]: readonly [string, string, string],
  ): void {
    this.#options.report({ block, kind, what, stored, expected });
  }

  async #block(number: number): Promise<boolean> {
    const { store, suite } = this.#options;
    const bytes = store.get(numberKey(number));
    const header = bytes && (await store.load(headerKey(hashOf(bytes))));
    if (!bytes || !header) return this.#stop(number, "the block has no header");
    const record = decodeHeaderRecord(header);
    const body = record.transactionCount > 0 ? await this.#body(record) : undefined;
    const transactions = body?.transactions ?? [];
    const hashes = transactions.flatMap((raw) => {
      const decoding = decodeTransaction(raw, suite);
      return decoding.ok ? [decoding.transaction.hash] : [];
    });
    if (hashes.length < transactions.length) return this.#stop(number, "a body does not decode");
    const outcome = await this.#executor.execute({
      header: unexecuted(record.header),
      transactions,
      hashes,
      senders: body?.senders ?? [],
    });
    if (!outcome.ok) return this.#stop(number, outcome.reason);
    await this.#executor.write(outcome.block.hash, record.seals);
    const stored = hashOf(bytes);
    await this.#compareReceipts(number, stored, outcome.block.hash);
    this.#compareHeaders(number, record.header, outcome.block.header);
    return stored === outcome.block.hash || this.#stop(number, "another block comes out");
  }

  async #body({ unexecuted: key }: HeaderRecord) {
    const bytes = await this.#options.store.load(bodyKey(key));
    if (!bytes) throw new StoreFault("corrupt", "the body is not there");
    return decodeBody(bytes);
  }

  async #receipts(store: Store, hash: Hash): Promise<readonly Uint8Array[]> {
    const bytes = await store.load(receiptsKey(hash));
    return bytes ? decodeReceiptTable(bytes) : [];
  }

  async #compareReceipts(number: number, stored: Hash, executed: Hash): Promise<void> {
    const kept = await this.#receipts(this.#options.store, stored);
    const made = await this.#receipts(this.#options.scratch, executed);
    for (const [index, receipt] of made.entries()) {
      const other = kept[index];
      if (other && equalBytes(receipt, other)) continue;
      const shown = other ? toHex(other) : ABSENT;
      this.#say(number, "receipts", [`receipt ${index}, executed anew`, shown, toHex(receipt)]);
    }
  }

  #compareHeaders(number: number, stored: Header, executed: Header): void {
    const roots = ["stateRoot", "dbHash", "receiptsRoot"] as const;
    for (const root of roots) {
      if (stored[root] === executed[root]) continue;
      this.#say(number, "header", [`${root}, executed anew`, stored[root], executed[root]]);
    }
  }

  /** Both sides in the order of keys. */
  async #compareRows(): Promise<void> {
    const { store, scratch, progress } = this.#options;
    const made = entriesOf(scratch, ["r", "s"]);
    let next = await made.next();
    let count = 0;
    for await (const entry of entriesOf(store, ["r", "s"])) {
      progress(`${++count} rows compared`);
      for (; !next.done && next.value.key < entry.key; next = await made.next())
        this.#differs(next.value.key, undefined, next.value);
      if (!next.done && next.value.key === entry.key) {
        if (!equalBytes(next.value.value, entry.value)) this.#differs(entry.key, entry, next.value);
        next = await made.next();
      } else this.#differs(entry.key, entry, undefined);
    }
    for (; !next.done; next = await made.next())
      this.#differs(next.value.key, undefined, next.value);
  }

  /** The block is the one that made the rows what they ought to be, where there is one. */
  #differs(key: string, entry: StoreEntry | undefined, made: StoreEntry | undefined): void {
    const [changed, stored] = entry ? shownRows(entry) : [0, ABSENT];
    const [block, expected] = made ? shownRows(made) : [changed, ABSENT];
    this.#say(block, "row", [`rows of ${rowName(rowPlace(key))}`, stored, expected]);
  }
}

/** Last block that changed the rows of a key, and the rows as text. */
function shownRows({ key, value }: StoreEntry): readonly [number, string] {
  try {
    const rows = decodeRows(rowPlace(key).row, value);
    const texts = rows.map(({ id, number, status, columns }) => {
      const parts = [...columns].map(([name, text]) => `${shownText(name)}=${shownText(text)}`);
      return `${id} of block ${number}${status === 0 ? "" : ", removed"}: ${parts.join(" ")}`;
    });
    return [Math.max(0, ...rows.map(({ number }) => number)), texts.join("; ")];
  } catch (cause) {
    if (cause instanceof StoreFault) return [0, `0x${toHex(value)}`];
    throw cause;
  }
}

/** Executes the whole ledger anew in an empty store, and compares. */
export async function checkExecution(options: ExecutionCheckOptions): Promise<void> {
  await prepareGenesis(options.scratch, options);
  await new ExecutionCheck(options).run();
}
