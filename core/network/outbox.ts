/** What waits for one peer: bounded queues, urgent classes first. Source: node-network 3 */
import { ByteWriter } from "../bytes/cursor.ts";
import {
  BATCH_BYTES,
  CLASS_LIMITS,
  CLASSES,
  type ClassLimits,
  type NetworkClass,
  perClass,
} from "./classes.ts";
import { MessageQueue } from "./message-queue.ts";
import { type Outgoing, type WireMessage, writePart } from "./part.ts";

/** Bounds that differ from those of the class. */
export type OutboxBounds = Partial<Record<NetworkClass, Partial<ClassLimits>>>;

/** First size of a batch's buffer; most turns send votes. */
const BATCH_CAPACITY = 2_048;

function newQueue() {
  return {
    waiting: new MessageQueue<WireMessage>(),
    /** The message that has partly gone; it is out of the queue and is never dropped. */
    current: undefined as Outgoing | undefined,
    sequence: 0,
  };
}
type Queue = ReturnType<typeof newQueue>;

function next(queue: Queue): Outgoing | undefined {
  if (queue.current) return queue.current;
  const message = queue.waiting.take();
  if (!message) return undefined;
  queue.sequence += 1;
  queue.current = { ...message, sequence: queue.sequence, sent: 0 };
  return queue.current;
}

/** The queues of one peer. */
export class Outbox {
  readonly #limits: Readonly<Record<NetworkClass, ClassLimits>>;
  readonly #queues = perClass(newQueue);

  constructor(bounds: OutboxBounds = {}) {
    this.#limits = perClass((kind) => ({ ...CLASS_LIMITS[kind], ...bounds[kind] }));
  }

  /** Adds a message; how many of its class were dropped for it, itself included if too large. */
  put(message: WireMessage): number {
    const { queueMessages: messages, queueBytes: bytes } = this.#limits[message.kind];
    return this.#queues[message.kind].waiting.put(message, { messages, bytes });
  }

  /** Whether nothing waits. */
  isEmpty(): boolean {
    return CLASSES.every((kind) => this.waiting(kind) === 0);
  }

  /** Messages of a class that wait, the one that has partly gone included. */
  waiting(kind: NetworkClass): number {
    const queue = this.#queues[kind];
    return queue.waiting.count + (queue.current ? 1 : 0);
  }

  /** The next batch of frames; undefined when nothing waits. */
  batch(): Uint8Array | undefined {
    const writer = new ByteWriter(BATCH_CAPACITY);
    // Each class has its share first, so that none starves; then urgency decides.
    for (const kind of CLASSES) this.#fill(kind, writer, this.#limits[kind].turnBytes);
    for (const kind of CLASSES) this.#fill(kind, writer, BATCH_BYTES);
    return writer.length > 0 ? writer.finish() : undefined;
  }

  #fill(kind: NetworkClass, writer: ByteWriter, share: number): void {
    const queue = this.#queues[kind];
    const start = writer.length;
    while (writer.length < BATCH_BYTES && writer.length - start < share) {
      const message = next(queue);
      if (!message) return;
      if (writePart(writer, message)) queue.current = undefined;
    }
  }
}
