/**
 * Executes and writes the blocks of a group in place: the one writer of its ledger. Browser, edge
 * and tests use it as it is; Node hosts it in a worker. Source: storage 7, 13
 */
import type { Hash } from "../bytes/ids.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { startBlock, type BlockResult, type BlockRun, type WorkReport } from "./block-executor.ts";
import { openBlockScope, type BlockScope } from "./block-scope.ts";
import { createChainRules } from "./chain-rules.ts";
import { Cancelled } from "./evm/message.ts";
import { InvariantFault, invariant } from "../fault/invariant.ts";
import { StoreFault } from "../fault/store-fault.ts";
import type { GenesisConfig } from "../model/config.ts";
import { headerHash, type Seal } from "../model/header.ts";
import { transactionsRoot } from "../model/roots.ts";
import type { Version } from "../model/version.ts";
import type {
  ExecuteOutcome,
  ExecuteRefusal,
  ExecuteRequest,
  Executor,
  HeavyTransaction,
} from "../ports/executor.ts";
import type { Store } from "../ports/store.ts";
import { createRowCache, ROW_CACHE_BYTES, type RowCache } from "../storage/row-cache.ts";
import { numberKey } from "../ledger/keys.ts";
import { latestBlock, type LatestHeader, latestHeader, runCall } from "./read-only-call.ts";
import { isCharging } from "./gas-charging.ts";
import { gasLimit, groupConfig } from "../ledger/state-rows.ts";
import { blockBatch } from "../ledger/writer.ts";

/** What a processor works on. */
export interface BlockProcessorOptions {
  /** Prepared by `prepareGenesis`. */
  readonly store: Store;
  readonly suite: CryptoSuite;
  readonly version: Version;
  readonly genesis: GenesisConfig;
  /** `storage.enable_reconfirm_committee`. Source: execution 8 */
  readonly reconfirmCommittee?: boolean;
  /** Bound of the cache of committed rows; `storage.max_capacity`. */
  readonly rowCacheBytes?: number;
  /**
   * Tells from another thread that the running execution is not wanted; asked between and inside
   * transactions.
   */
  readonly interrupted?: () => boolean;
  /** Lets other work of this thread run: awaited after every {@link PAUSE_WORK} units of work. */
  readonly pause?: () => Promise<void>;
  /** Whether the consensus has stored the body under this R already. */
  readonly hasBody?: (unexecuted: Hash) => Promise<boolean>;
  /** Told the work of each transaction that is done. */
  readonly reportWork?: WorkReport;
  /** Bound of what several undecided transactions may keep; {@link HELD_LIMIT} by default. */
  readonly heldLimit?: number;
  /** Steady milliseconds, by which heavy transactions are told. */
  readonly steady?: () => number;
}

/** A transaction is heavy when it runs longer. Source: decision 33 */
export const HEAVY_MS = 500;
/**
 * And when it was asked so often whether it goes on, each time after some 5 ms of work: a pause of
 * the machine makes nothing heavy.
 */
const HEAVY_PROBES = 20;

/**
 * Bytes that the transactions of a proposal may keep until it is written, by estimate; the one that
 * passes the bound adds what one transaction may keep. The same on all nodes of a chain, or they
 * would not vote alike.
 */
export const HELD_LIMIT = 100_000_000;

/** Work after which a processor with `pause` lets others run: a few milliseconds. */
const PAUSE_WORK = 2_000_000;
/** Least work that a transaction counts as towards a pause. */
const PAUSE_STEP = 20_000;

/** An execution that is going on. */
interface Running {
  cancelled: boolean;
  /** Whether the block keeps more than it may. */
  isTooHeavy: () => boolean;
  /** Asked within a transaction from time to time: whether it is heavy by now. */
  watch: () => void;
  /** Work since others of this thread could run. */
  sincePause: number;
}

/** An executed block that waits for its seals. */
interface Executed {
  readonly request: ExecuteRequest;
  readonly result: BlockResult;
  readonly scope: BlockScope;
}

/** Creates the processor of a group. */
export function createBlockProcessor(options: BlockProcessorOptions): Executor {
  return new BlockProcessor(options);
}

class BlockProcessor implements Executor {
  readonly #options: BlockProcessorOptions;
  readonly #rules: ReturnType<typeof createChainRules>;
  readonly #rows: RowCache;
  #running: Running | undefined;
  #executed: Executed | undefined;
  #writing: Promise<void> | undefined;
  /** What the last call ran on. */
  #called: LatestHeader | undefined;
  /** Why the store cannot be used any more. Source: storage 13.6 */
  #broken: StoreFault | undefined;

  constructor(options: BlockProcessorOptions) {
    const { suite, version, genesis, reconfirmCommittee = false } = options;
    this.#options = options;
    const { freeStorage } = genesis;
    this.#rules = createChainRules({ suite, version, freeStorage, reconfirmCommittee });
    this.#rows = createRowCache(options.store, options.rowCacheBytes ?? ROW_CACHE_BYTES);
  }

  async execute(
    request: ExecuteRequest,
    onHeavy?: (heavy: HeavyTransaction) => void,
  ): Promise<ExecuteOutcome> {
    try {
      return await this.#execute(request, onHeavy);
    } catch (cause) {
      if (!(cause instanceof StoreFault) || cause === this.#broken) throw cause;
      // What a read met is no property of a transaction: it never becomes a receipt.
      throw storeFaultOf(`block ${request.header.number} could not be executed`, cause);
    }
  }

  async #execute(
    request: ExecuteRequest,
    onHeavy: ((heavy: HeavyTransaction) => void) | undefined,
  ): Promise<ExecuteOutcome> {
    this.cancel();
    this.#executed = undefined;
    const running: Running = {
      cancelled: false,
      isTooHeavy: () => false,
      watch: () => undefined,
      sincePause: 0,
    };
    this.#running = running;
    await this.#writing;
    this.#assertUsable();
    if (running.cancelled) return refused("cancelled");
    const reason = this.#reasonToRefuse(request);
    if (reason !== undefined) return refused(reason);

    const scope = this.#openScope(request, running);
    const { header, transactions, senders } = request;
    const run = startBlock(scope, { header, transactions, senders }, (index, work) => {
      running.sincePause += Math.max(work, PAUSE_STEP);
      this.#options.reportWork?.(index, work);
    });
    const { heldLimit = HELD_LIMIT, steady } = this.#options;
    if (steady && onHeavy) running.watch = heavyWatch(steady, run, request.hashes, onHeavy);
    if (request.undecided === true && transactions.length > 1) {
      running.isTooHeavy = () => run.held() > heldLimit;
    }
    const stopped = await this.#runAll(run, request, running);
    if (stopped !== undefined) return stopped;
    const result = run.finish();
    this.#executed = { request, result, scope };
    const { header: executed, hash } = result;
    return { ok: true, block: { share: run.held() / heldLimit, header: executed, hash } };
  }

  cancel(): void {
    if (this.#running !== undefined) this.#running.cancelled = true;
  }

  async write(hash: Hash, seals: readonly Seal[]): Promise<void> {
    // Somebody may have begun another write while this one waited.
    while (this.#writing !== undefined) await this.#writing;
    this.#assertUsable();
    const latest = this.#latest();
    // A second write of the newest block changes nothing: the first one was durable.
    if (hash === latest.hash) return;
    const executed = this.#executed;
    invariant(executed?.result.hash === hash, "only the executed block is written");
    const { number } = executed.request.header;
    invariant(number === latest.number + 1, "blocks are written in order");
    this.#executed = undefined;
    this.#writing = this.#writeBlock(executed, seals);
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
  }

  async call(request: Parameters<Executor["call"]>[0]): ReturnType<Executor["call"]> {
    const { store } = this.#options;
    for (;;) {
      await this.#writing;
      this.#assertUsable();
      const latest = this.#called;
      if (latest?.hash === this.#latest().hash)
        return runCall(store, { rules: this.#rules, rows: this.#rows, latest }, request);
      // Another block may be written while the header is loaded.
      this.#called = await latestHeader(store, this.#rows);
    }
  }

  async close(): Promise<void> {
    this.cancel();
    // A caller that asked for the write learns of its failure.
    await this.#writing?.catch(() => undefined);
  }

  async #writeBlock(executed: Executed, seals: readonly Seal[]): Promise<void> {
    const { request, result, scope } = executed;
    const { header, transactions, senders, hashes } = request;
    const { store, suite, hasBody } = this.#options;
    const { number } = header;
    const unexecuted = headerHash(header, suite);
    const body = { transactions, senders };
    const { overlay } = scope;
    try {
      const bodyIsStored = (await hasBody?.(unexecuted)) ?? false;
      const block = { ...result, number, unexecuted, seals, hashes, body, overlay, bodyIsStored };
      const { writes, changes } = blockBatch(block);
      await store.commit(writes, { durable: true });
      for (const { key, rows } of changes) this.#rows.replace(key, rows);
    } catch (cause) {
      if (cause instanceof InvariantFault) throw cause;
      this.#broken = storeFaultOf(`block ${number} could not be written`, cause);
      throw this.#broken;
    }
  }

  /** Runs to the end of the block; the outcome when it does not get there. */
  async #runAll(
    run: BlockRun,
    request: ExecuteRequest,
    running: Running,
  ): Promise<ExecuteOutcome | undefined> {
    while (run.position < request.transactions.length) {
      const heavy = request.hashes[run.position];
      if (running.cancelled || this.#options.interrupted?.() === true)
        return refused("cancelled", heavy);
      try {
        if (!run.step()) return refused("badTransaction", heavy);
      } catch (reason) {
        if (!(reason instanceof Cancelled)) throw reason;
        return refused(running.isTooHeavy() ? "tooHeavy" : "cancelled", heavy);
      }
      if (running.isTooHeavy()) return refused("tooHeavy", heavy);
      if (this.#options.pause === undefined || running.sincePause < PAUSE_WORK) continue;
      running.sincePause = 0;
      await this.#options.pause();
    }
    // A newer request came in the pause after the last one: what it executed is what counts.
    return running.cancelled ? refused("cancelled", request.hashes.at(-1)) : undefined;
  }

  #openScope(request: ExecuteRequest, running: Running): BlockScope {
    const { store, interrupted } = this.#options;
    const { number, timestamp, parentHash } = request.header;
    return openBlockScope(this.#rules, {
      source: this.#rows,
      parentNumber: number - 1,
      parentHash,
      number,
      timestamp,
      gasLimit: gasLimit(this.#rows, number - 1),
      charging: isCharging(this.#rows, this.#options.version, number - 1),
      blockHash: (wanted) => store.get(numberKey(wanted)),
      cancelled: () => {
        running.watch();
        return running.cancelled || running.isTooHeavy() || interrupted?.() === true;
      },
    });
  }

  #reasonToRefuse(request: ExecuteRequest): ExecuteRefusal | undefined {
    const { header, transactions, hashes, senders } = request;
    const latest = this.#latest();
    if (header.number !== latest.number + 1) return "wrongNumber";
    if (header.parentHash !== latest.hash) return "wrongParent";
    const { txCountLimit } = groupConfig(this.#rows, latest.number);
    if (transactions.length > txCountLimit) return "tooManyTransactions";
    invariant(hashes.length === transactions.length, "each transaction has a hash");
    invariant(senders.length === transactions.length, "each transaction has a sender");
    const items = transactions.map((raw, index) => ({ raw, hash: hashes[index] as Hash }));
    const root = transactionsRoot(items, this.#options);
    return root === header.transactionsRoot ? undefined : "wrongTransactionsRoot";
  }

  #latest(): ReturnType<typeof latestBlock> {
    return latestBlock(this.#options.store, this.#rows);
  }

  #assertUsable(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }
}

/** Tells once of each transaction that is heavy. One that is short is never examined. */
function heavyWatch(
  steady: () => number,
  run: Pick<BlockRun, "position">,
  hashes: readonly Hash[],
  onHeavy: (heavy: HeavyTransaction) => void,
): () => void {
  let watched = -1;
  let began = 0;
  let probes = 0;
  return () => {
    const now = steady();
    if (run.position !== watched) {
      watched = run.position;
      began = now;
      probes = 0;
    }
    probes += 1;
    const hash = hashes[watched];
    if (hash === undefined || probes < HEAVY_PROBES || now - began < HEAVY_MS) return;
    onHeavy({ hash, ms: Math.round(now - began) });
    probes = Number.NEGATIVE_INFINITY;
  };
}

function refused(reason: ExecuteRefusal, heavy?: Hash): ExecuteOutcome {
  return { ok: false, reason, heavy };
}

/** What was not done, with what the store says of it: an operator must read it. */
function storeFaultOf(text: string, cause: unknown): StoreFault {
  if (!(cause instanceof StoreFault)) return new StoreFault("io", text, { cause });
  return new StoreFault(cause.kind, `${text}: ${cause.message}`, { cause });
}
