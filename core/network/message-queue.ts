/** Messages that wait for somebody, the oldest first, within bounds. Source: node-network 3 */

/** How much may wait. */
export interface QueueBound {
  readonly messages: number;
  readonly bytes: number;
}

/** Taken messages before the list is shortened. */
const COMPACT_AT = 64;

/** A queue; a class because it counts its bytes. */
export class MessageQueue<Message extends { readonly bytes: Uint8Array }> {
  readonly #items: Message[] = [];
  /** Messages from here on are waiting. */
  #start = 0;
  #bytes = 0;

  /** Messages that wait. */
  get count(): number {
    return this.#items.length - this.#start;
  }

  /** Adds a message; how many of the oldest were dropped for it, or itself if it is too large. */
  put(message: Message, bound: QueueBound): number {
    if (message.bytes.length > bound.bytes) return 1;
    this.#items.push(message);
    this.#bytes += message.bytes.length;
    let dropped = 0;
    for (; this.count > bound.messages || this.#bytes > bound.bytes; dropped++) this.take();
    return dropped;
  }

  take(): Message | undefined {
    const message = this.#items[this.#start];
    if (!message) return undefined;
    this.#start += 1;
    this.#bytes -= message.bytes.length;
    if (this.#start >= COMPACT_AT && this.#start * 2 >= this.#items.length) {
      this.#items.splice(0, this.#start);
      this.#start = 0;
    }
    return message;
  }

  clear(): void {
    this.#items.length = 0;
    this.#start = 0;
    this.#bytes = 0;
  }
}
