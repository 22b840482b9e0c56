/**
 * The frame of a snapshot file: a magic word with the version, then chunks, each compressed and
 * with a hash of its own, so that damage is located.
 *
 * `chainsnp`, version (2 bytes); per chunk: kind (1), length packed (4), length (4), SHA-256 of the
 * content (32), the content as gzip. Integers are big-endian.
 */
import { concatBytes, EMPTY_BYTES, equalBytes } from "../../../core/bytes/bytes.ts";
import { ByteReader, ByteWriter } from "../../../core/bytes/cursor.ts";
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";

/** What a chunk holds; the numbers are in files. Seals differ from member to member. */
export const CHUNK = { facts: 1, blocks: 2, seals: 3, rows: 4, end: 5 } as const;

/** A kind of chunk. */
export type ChunkKind = (typeof CHUNK)[keyof typeof CHUNK];

/** A chunk, unpacked. */
export interface Chunk {
  readonly kind: ChunkKind;
  readonly content: Uint8Array;
  readonly hash: Uint8Array;
}

/** What helps when a snapshot is damaged. */
const OTHER_SNAPSHOT = "take an older snapshot, or one of another member of the group";

/** A file that is no snapshot, or a damaged one; the message says where. */
export class SnapshotFault extends Error {
  override readonly name = "SnapshotFault";
  /** What helps, for operators. */
  readonly remedy: string;

  constructor(message: string, { remedy = OTHER_SNAPSHOT, ...options }: SnapshotFaultOptions = {}) {
    super(message, options);
    this.remedy = remedy;
  }
}

interface SnapshotFaultOptions {
  readonly cause?: unknown;
  /** That of a damaged one when absent. */
  readonly remedy?: string;
}

/** First bytes of every snapshot. */
export const MAGIC = utf8Bytes("chainsnp");
/** A greater number belongs to a newer program. */
export const SNAPSHOT_VERSION = 1;
/** A chunk is closed once it has this much. */
export const CHUNK_BYTES = 1024 * 1024;
/**
 * A block is the largest thing in a chunk: 16 MiB of transactions, and their receipts. A chunk is
 * in memory as a whole, and half a megabyte can unpack to this.
 */
export const MOST_BYTES = 256 * 1024 * 1024;
const HEAD_BYTES = MAGIC.length + 2;
const FRAME_BYTES = 1 + 4 + 4 + 32;
const KINDS: ReadonlySet<number> = new Set(Object.values(CHUNK));

/** The SHA-256 of bytes. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", owned(bytes)));
}

/** Bytes that no other thread has; they are not copied again where they are so already. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes;
  return buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, length) : bytes.slice();
}

/** Sends bytes through a transform; undefined when more than `most` come out, or it fails. */
async function passed(
  bytes: Uint8Array,
  transform: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array | undefined> {
  const writer = transform.writable.getWriter();
  // A fault of the stream is seen where its other end is read.
  const fed = writer.write(owned(bytes)).then(() => writer.close());
  fed.catch(() => undefined);
  const out = new ByteWriter(Math.min(most, CHUNK_BYTES));
  const reader = transform.readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return out.finish();
      if (out.length + value.length > most) return undefined;
      out.bytes(value);
    }
  } catch {
    return undefined;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The first bytes of a file. */
export function fileHead(): Uint8Array {
  return new ByteWriter(HEAD_BYTES).bytes(MAGIC).u16(SNAPSHOT_VERSION).finish();
}

/** A chunk as it stands in a file. @throws SnapshotFault when nobody could read it */
export async function packChunk(kind: ChunkKind, content: Uint8Array) {
  if (content.length > MOST_BYTES)
    throw new SnapshotFault(`the rows of a key, or a block, have more than ${MOST_BYTES} bytes`);
  const hash = await sha256(content);
  const packed = await passed(content, new CompressionStream("gzip"), Number.POSITIVE_INFINITY);
  if (!packed) throw new SnapshotFault("a chunk could not be compressed");
  const frame = new ByteWriter(FRAME_BYTES).u8(kind).u32(packed.length).u32(content.length);
  return { bytes: concatBytes(frame.bytes(hash).finish(), packed), hash };
}

/** Bytes that come in pieces, taken in other lengths; a class because it holds what is left. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Uint8Array[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Exactly this many bytes; fewer at the end of the source. */
  async take(count: number): Promise<Uint8Array> {
    while (this.#length < count) {
      const { done, value } = await this.#source.next();
      if (done) break;
      this.#held.push(value);
      this.#length += value.length;
    }
    const [only = EMPTY_BYTES, ...more] = this.#held;
    // Small chunks share a piece: copying the rest of it each time would take its square.
    const all = more.length === 0 ? only : concatBytes(...this.#held);
    const taken = all.subarray(0, count);
    this.#held = [all.subarray(taken.length)];
    this.#length -= taken.length;
    return taken;
  }

  async close(): Promise<void> {
    await this.#source.return?.(undefined);
  }
}

/** Where the reader is, for messages. */
type PlaceOf = () => string;

/**
 * The chunks of a file, each compared with its hash.
 * @throws SnapshotFault for anything else; the message names the chunk, and what it is about
 */
export async function* readChunks(
  source: AsyncIterable<Uint8Array>,
  placeOf: PlaceOf = () => "",
): AsyncGenerator<Chunk> {
  const pieces = new Pieces(source);
  try {
    readHead(await pieces.take(HEAD_BYTES));
    for (let number = 1; ; number++) {
      const wrong = (what: string) => {
        const place = placeOf();
        return new SnapshotFault(`chunk ${number}${place && ` (${place})`} ${what}`);
      };
      const chunk = await readChunk(pieces, wrong);
      yield chunk;
      if (chunk.kind !== CHUNK.end) continue;
      if ((await pieces.take(1)).length > 0) throw wrong("is the last one, and more follows");
      return;
    }
  } finally {
    await pieces.close();
  }
}

/** Whether a file that begins like this says that it is a snapshot. */
export function isSnapshot(first: Uint8Array): boolean {
  return equalBytes(first.subarray(0, MAGIC.length), MAGIC);
}

function readHead(bytes: Uint8Array): void {
  if (!isSnapshot(bytes)) {
    const remedy = "name a file that chain-node snapshot or the page of a tab wrote";
    throw new SnapshotFault("the file is no snapshot of this program", { remedy });
  }
  const version = new ByteReader(bytes.subarray(MAGIC.length)).u16();
  if (version === SNAPSHOT_VERSION) return;
  const known = `version ${version}; this program knows ${SNAPSHOT_VERSION}`;
  const remedy = "use the version of chain-node that wrote it";
  throw new SnapshotFault(`the snapshot was written by a newer program (${known})`, { remedy });
}

async function readChunk(pieces: Pieces, wrong: (what: string) => SnapshotFault): Promise<Chunk> {
  const frame = await pieces.take(FRAME_BYTES);
  if (frame.length < FRAME_BYTES) throw wrong("is missing: the file ends too early");
  const reader = new ByteReader(frame);
  const kind = reader.u8();
  const [packedLength, length] = [reader.u32(), reader.u32()];
  const hash = reader.bytes(32).slice();
  if (!KINDS.has(kind) || packedLength > MOST_BYTES || length > MOST_BYTES)
    throw wrong("is damaged: its beginning makes no sense");
  const packed = await pieces.take(packedLength);
  if (packed.length < packedLength) throw wrong("is cut off: the file ends too early");
  const content = await passed(packed, new DecompressionStream("gzip"), length);
  if (content?.length !== length || !equalBytes(await sha256(content), hash))
    throw wrong("is damaged: its content does not have its hash");
  return { kind: kind as ChunkKind, content, hash };
}
