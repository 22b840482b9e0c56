/** A fetch whose answers have a bound: each of them, and all that are being read together. */
import { TransportFault } from "../../../core/client/client-fault.ts";
import { type Holder, SocketMemory } from "../../../core/limits/memory-account.ts";
import type { Fetch } from "../client/web-transports.ts";

const MIB = 1024 * 1024;
/** Larger answers of upstreams are not read: a Byzantine upstream's would fill the memory. */
const MOST_ANSWER_BYTES = 32 * MIB;
/** Of all answers that are being read. Above it the largest is dropped. */
const MOST_READ_BYTES = 48 * MIB;

/** An answer that is being read. */
class Reading implements Holder {
  heldBytes = 0;
  isCut = false;
  /**
   * A caller that sends most is cut first: a Byzantine upstream keeps no answers of others from
   * being read.
   */
  readonly address: string;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(address: string, body: ReadableStream<Uint8Array>) {
    this.address = address;
    this.#reader = body.getReader();
  }

  cut(): void {
    this.isCut = true;
    this.stop();
  }

  /** What comes further is not wanted. */
  stop(): void {
    this.#reader.cancel().catch(() => undefined);
  }

  /** @throws TransportFault for too much */
  async text(memory: SocketMemory): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for (let part = await this.#read(); part !== undefined; part = await this.#read()) {
      memory.change(this, part.length);
      if (this.heldBytes > MOST_ANSWER_BYTES) {
        this.stop();
        throw new TransportFault(`an answer of more than ${MOST_ANSWER_BYTES} bytes is not read`);
      }
      text += decoder.decode(part, { stream: true });
    }
    return text + decoder.decode();
  }

  async #read(): Promise<Uint8Array | undefined> {
    const { value } = await this.#reader.read();
    if (!this.isCut) return value;
    throw new TransportFault(
      `answers of upstreams fill the room of ${MOST_READ_BYTES} bytes, and this one was the ` +
        "largest: ask again, or for less",
    );
  }
}

/** Asks as the platform does; answers are bounded, and nobody is sent on to elsewhere. */
export function boundedFetch(): Fetch {
  const memory = new SocketMemory(MOST_READ_BYTES);
  const read = async (url: string, { body }: Response): Promise<string> => {
    if (body === null) return "";
    const reading = new Reading(url, body);
    memory.add(reading);
    try {
      return await reading.text(memory);
    } finally {
      memory.remove(reading);
    }
  };
  return async (url, request) => {
    const response = await fetch(url, { ...request, redirect: "manual" });
    return { status: response.status, text: () => read(url, response) };
  };
}
