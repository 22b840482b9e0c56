/**
 * The records of a TLS 1.2 connection, distinguished in the bytes that arrived on the TCP
 * connection below it.
 */
import { type Socket, connect } from "node:net";
import { Duplex } from "node:stream";

/** Content types of records. */
export const RECORD = { alert: 21, handshake: 22, applicationData: 23 } as const;

const HEAD_BYTES = 5;
/** What AES-GCM adds to a text in TLS 1.2: eight bytes of nonce and sixteen of tag. */
const GCM_BYTES = 24;
const CERTIFICATE_MESSAGE = 11;
const MESSAGE_HEAD_BYTES = 4;

/** A record. */
export interface TlsRecord {
  readonly type: number;
  readonly body: Buffer;
}

/** A TCP connection that keeps every byte that arrived. */
export class RecordedConnection extends Duplex {
  readonly #socket: Socket;
  readonly #arrived: Buffer[] = [];

  constructor(host: string, port: number) {
    super();
    this.#socket = connect(port, host);
    this.#socket.setNoDelay();
    this.#socket.on("data", (chunk: Buffer) => {
      this.#arrived.push(chunk);
      if (!this.push(chunk)) this.#socket.pause();
    });
    this.#socket.on("end", () => this.push(null));
    this.#socket.on("error", (error) => this.destroy(error));
    this.#socket.on("close", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  /** The complete records that arrived. */
  records(): TlsRecord[] {
    const bytes = Buffer.concat(this.#arrived);
    const records: TlsRecord[] = [];
    for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
      const end = at + HEAD_BYTES + bytes.readUInt16BE(at + 3);
      if (end > bytes.length) break;
      records.push({ type: bytes.readUInt8(at), body: bytes.subarray(at + HEAD_BYTES, end) });
      at = end;
    }
    return records;
  }
}

/** Lengths of the texts of the records with application data, under a suite with AES-GCM. */
export function textLengths(records: readonly TlsRecord[]): number[] {
  return records
    .filter(({ type }) => type === RECORD.applicationData)
    .map(({ body }) => body.length - GCM_BYTES);
}

/** The certificates that a server sent in its handshake, which TLS 1.2 does not encrypt. */
export function sentCertificates(records: readonly TlsRecord[]): Buffer[] {
  const handshake = Buffer.concat(
    records.filter(({ type }) => type === RECORD.handshake).map(({ body }) => body),
  );
  const certificates: Buffer[] = [];
  for (let at = 0; at + MESSAGE_HEAD_BYTES <= handshake.length; ) {
    const end = at + MESSAGE_HEAD_BYTES + handshake.readUIntBE(at + 1, 3);
    if (handshake[at] === CERTIFICATE_MESSAGE) {
      let entry = at + MESSAGE_HEAD_BYTES + 3;
      while (entry < end) {
        const length = handshake.readUIntBE(entry, 3);
        certificates.push(handshake.subarray(entry + 3, entry + 3 + length));
        entry += 3 + length;
      }
      break;
    }
    at = end;
  }
  return certificates;
}

/** Whether each frame, by their lengths in order, began and ended with a record. */
export function framesFillRecords(frames: readonly number[], texts: readonly number[]): boolean {
  let next = 0;
  for (const frame of frames) {
    let left = frame;
    while (left > 0) left -= texts[next++] ?? Number.POSITIVE_INFINITY;
    if (left !== 0) return false;
  }
  return next === texts.length;
}
