/**
 * Long bodies: kept in pieces, and read in a thread of their own, one at a time, so that no other
 * request waits for them.
 */
import type { Worker } from "node:worker_threads";
import { RpcFault } from "../../../core/fault/rpc-fault.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { FairSemaphore } from "../../../core/limits/fair-semaphore.ts";
import type { ExaminedTransaction } from "../../../core/node/options/node-ports.ts";
import { rememberHashes } from "../../../core/model/transaction.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import type { Envelope } from "../../../core/rpc/envelope.ts";
import type { Json } from "../../../core/rpc/json.ts";
import type { LongText } from "../../../core/rpc/long-answer.ts";
import { withBytes } from "../../../core/rpc/long-params.ts";
import type { ReadRequest, Requests } from "../../../core/rpc/requests.ts";
import type { BodyMessage, BodyReply, BodyRequest, BodyWorkerData } from "./body-frame.ts";
import { freePieces, newPiece, PIECE_BYTES } from "./body-pieces.ts";
import { ownBytes } from "./own-bytes.ts";
import { Questions, type Unnumbered } from "./questions.ts";
import { endThread, startThread } from "./thread-end.ts";
import { workerUrl } from "./worker-url.ts";

/** Longer bodies are read in the thread. */
export const LONG_BODY_BYTES: number = 256 * 1024;
/** This much of a long id becomes text at a time. */
const TEXT_BYTES = 32 * 1024;
/** The thread ends when nobody has used it for so long, or up to twice. */
const KEPT_MS = 10_000;
/** After this much the thread is ended when it has nothing to do: it would keep the memory. */
const FRESH_AFTER_BYTES = 64 * 1024 * 1024;
/** Heap of the thread: a body of 64 MiB as text and as values, next to those that are answered. */
const WORKER_LIMITS = { maxOldGenerationSizeMb: 640, maxYoungGenerationSizeMb: 8 };

/** What is answered to a body. */
type RequestsReply = Exclude<BodyReply, { readonly type: "hash" | "examined" | "more" }>;

interface BodyHostOptions {
  readonly suite: SuiteName;
  /** Whether the thread gives way to others; it does not by default. */
  readonly givesWay?: boolean;
  /** The thread's file; the built one by default. */
  readonly url?: URL;
}

/** A text that is none. */
export class TextFault extends Error {
  override readonly name = "TextFault";
}

/** A body that is being received. */
export interface LongBody {
  /** @returns how many bytes more it holds: those of whole pieces */
  add(bytes: Uint8Array): number;
  /**
   * Has it read, and drops its bytes.
   * @param owner who has one turn of all who have bodies
   * @throws TextFault for bytes that are no UTF-8, where they are not to be replaced
   */
  read(owner: unknown, text?: "strict" | "replaced"): Promise<Requests>;
  /** It is wanted no more: nothing of it is kept. */
  drop(): void;
}

/** Reads long bodies. A class because it owns a thread. */
export class BodyHost {
  readonly #options: BodyHostOptions;
  readonly #questions = new Questions<BodyReply>();
  readonly #turns = new FairSemaphore(1);
  /** Since the last look. */
  #isUsed = false;
  #worker: Worker | undefined;
  #bodies = 0;
  /** What the thread has read, and the batches whose requests it still has. */
  #readBytes = 0;
  readonly #batches = new Set<number>();
  #watch: NodeJS.Timeout | undefined;

  constructor(options: BodyHostOptions) {
    this.#options = options;
  }

  begin(): LongBody {
    const body = this.#bodies++;
    const pieces: ArrayBuffer[] = [];
    let bytes = 0;
    let isDropped = false;
    let isReading = false;
    /** The pieces are the thread's then. */
    let isRead = false;
    let withdraw = (): void => undefined;
    return {
      add: (part) => {
        if (isDropped || isRead) return 0;
        const { length } = pieces;
        put(pieces, bytes, part);
        bytes += part.length;
        return (pieces.length - length) * PIECE_BYTES;
      },
      read: async (owner, text) => {
        const wait = {};
        withdraw = () => this.#turns.withdraw(owner, wait);
        if (isDropped || !(await this.#turns.take(owner, wait))) throw goneFault();
        try {
          if (isDropped) throw goneFault();
          isReading = true;
          isRead = true;
          const strict = text === "strict";
          const reply = await this.#ask({ type: "read", body, pieces, bytes, strict }, pieces);
          this.#readBytes += bytes;
          // Its texts are made as they are asked for.
          if (reply.type === "batch") this.#batches.add(body);
          invariant(isOfBody(reply), "a body has requests");
          return this.#requestsOf(reply, body);
        } finally {
          isReading = false;
          this.#turns.give(owner);
          if (isDropped) this.#forget(body);
          this.#worked(0);
        }
      },
      drop: () => {
        if (isDropped) return;
        isDropped = true;
        if (isReading) return;
        withdraw();
        freePieces(pieces);
        this.#forget(body);
      },
    };
  }

  /** The hash of very long bytes. */
  async hash(bytes: Uint8Array): Promise<Uint8Array> {
    const own = await ownBytes(bytes);
    const reply = await this.#ask({ type: "hash", bytes: own }, [own.buffer]);
    invariant(reply.type === "hash", "a hash is answered by one");
    this.#worked(bytes.length);
    return reply.digest;
  }

  /** Hashes of a very long transaction. @param raw is handed over, with a buffer of its own */
  async examine(raw: Uint8Array): Promise<ExaminedTransaction> {
    const reply = await this.#ask({ type: "examine", bytes: raw }, [raw.buffer as ArrayBuffer]);
    invariant(reply.type === "examined", "a transaction comes back");
    this.#worked(reply.bytes.length);
    return { raw: reply.bytes, hashes: reply.hashes };
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    const worker = this.#worker;
    this.#lose(worker);
    await endThread(worker);
  }

  #worked(bytes: number): void {
    this.#readBytes += bytes;
    this.#refresh();
    this.#isUsed = true;
    this.#watch ??= setInterval(() => this.#look(), KEPT_MS).unref();
  }

  #look(): void {
    const wasUsed = this.#isUsed;
    this.#isUsed = false;
    if (wasUsed) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#refresh(0);
  }

  #requestsOf(reply: RequestsReply, body: number): Requests {
    switch (reply.type) {
      case "malformed":
        return { kind: "malformed" };
      case "notUtf8":
        throw new TextFault("the text is no UTF-8");
      case "tooMany":
        return { kind: "tooMany", most: reply.most };
      case "request":
        return { kind: "one", request: unpacked(reply.request) };
      case "batch":
        return this.#batchOf(reply, body);
    }
  }

  #batchOf(
    { count, requests: first }: Extract<BodyReply, { readonly type: "batch" }>,
    body: number,
  ): Requests {
    let some = first;
    let from = 0;
    return {
      kind: "batch",
      count,
      at: async (index) => {
        if (index >= from + some.length) {
          const more = await this.#ask({ type: "next", body, from: index });
          invariant(more.type === "more", "a batch has more requests");
          [some, from] = [more.requests, index];
        }
        const request = some[index - from];
        invariant(request, "each is asked for once, in order");
        return unpacked(request);
      },
      done: () => this.#forget(body),
    };
  }

  #ask(
    message: Unnumbered<Exclude<BodyMessage, { readonly type: "drop" }>>,
    handedOver: readonly ArrayBuffer[] = [],
  ): Promise<BodyReply> {
    const worker = this.#running();
    worker.ref();
    return this.#questions.ask((id) =>
      worker.postMessage({ ...message, id } satisfies BodyMessage, [...handedOver]),
    );
  }

  /** Nothing of a batch is asked for any more. */
  #forget(body: number): void {
    if (!this.#batches.delete(body)) return;
    this.#worker?.postMessage({ type: "drop", body } satisfies BodyMessage);
    this.#refresh();
  }

  /** Ends a thread that has grown and has nothing to do; the next body starts another. */
  #refresh(afterBytes = FRESH_AFTER_BYTES): void {
    const isBusy = this.#questions.count > 0 || this.#batches.size > 0;
    if (isBusy || this.#readBytes < afterBytes) return;
    const worker = this.#worker;
    this.#lose(worker);
    void endThread(worker);
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const { suite, givesWay = false, url } = this.#options;
    const worker = startThread(url ?? workerUrl("body-worker"), {
      name: "bodies",
      workerData: { suite, givesWay } satisfies BodyWorkerData,
      resourceLimits: WORKER_LIMITS,
    });
    worker.on("message", (reply: BodyReply) => {
      this.#questions.settle(reply.id, reply);
      if (this.#questions.count === 0) worker.unref();
    });
    worker.on("error", () => this.#lose(worker));
    worker.on("exit", () => this.#lose(worker));
    this.#worker = worker;
    return worker;
  }

  /** The next body starts another. */
  #lose(worker: Worker | undefined): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#readBytes = 0;
    this.#batches.clear();
    this.#questions.fail(new RpcFault("internalError", "the body could not be read"));
  }
}

/** Adds to a body of which there are so many bytes. */
function put(pieces: ArrayBuffer[], at: number, part: Uint8Array): void {
  for (let done = 0; done < part.length; ) {
    const offset = (at + done) % PIECE_BYTES;
    if (offset === 0) pieces.push(newPiece());
    const piece = pieces.at(-1);
    invariant(piece, "a body has a piece for what is added");
    const some = part.subarray(done, done + PIECE_BYTES - offset);
    new Uint8Array(piece).set(some, offset);
    done += some.length;
  }
}

const hosts = { clients: new Map<SuiteName, BodyHost>(), chain: new Map<SuiteName, BodyHost>() };

/**
 * The host of this process for chains of a suite: all ports read long bodies one at a time. What
 * peers send and blocks hold has a thread of its own: it neither waits for what clients send nor is
 * lost with it.
 */
export function bodyHostOf(suite: SuiteName, use: keyof typeof hosts): BodyHost {
  const host = hosts[use].get(suite) ?? new BodyHost({ suite, givesWay: use === "clients" });
  hosts[use].set(suite, host);
  return host;
}

function isOfBody(reply: BodyReply): reply is RequestsReply {
  return !["hash", "examined", "more"].includes(reply.type);
}

/** Who has asked is gone. */
export function goneFault(): RpcFault {
  return new RpcFault("internalError", "no caller waits for the answer");
}

/** The text that these bytes are, made while it is sent. */
function textOfBytes(utf8: Uint8Array): LongText {
  return {
    bytes: utf8.length,
    async *pieces() {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      for (let at = 0; at < utf8.length; at += TEXT_BYTES)
        yield decoder.decode(utf8.subarray(at, at + TEXT_BYTES), { stream: true });
    },
  };
}

function unpacked({ envelope: short, longId, bytes, hashes }: BodyRequest): ReadRequest {
  if (bytes && hashes) rememberHashes(bytes, hashes);
  const envelope: Envelope = longId ? { ...short, id: textOfBytes(longId) } : short;
  if (!envelope.valid) return { envelope, value: {} };
  const params = bytes ? withBytes(envelope.params, bytes) : envelope.params;
  const { method } = envelope;
  const value: Json = { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
  return { envelope: { ...envelope, params }, value };
}
