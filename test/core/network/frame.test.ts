// Frames and parts: cutting, putting together, refusing.
// rules: node-network 3
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { ByteWriter } from "../../../core/bytes/cursor.ts";
import { CLASS_LIMITS, CLASSES } from "../../../core/network/classes.ts";
import { FRAME, FRAME_LIMIT, FrameReader, writeFrame } from "../../../core/network/frame.ts";
import { Outbox } from "../../../core/network/outbox.ts";
import {
  isCarried,
  PartAssembler,
  type PartOutcome,
  type WireMessage,
  writePart,
} from "../../../core/network/part.ts";

function drain(outbox: Outbox): Uint8Array {
  const batches: Uint8Array[] = [];
  for (let batch = outbox.batch(); batch; batch = outbox.batch()) batches.push(batch);
  return concatBytes(...batches);
}

/** What arrives when a stream comes in chunks. */
function receive(chunks: readonly Uint8Array[]): { messages: WireMessage[]; rejected: string[] } {
  const frames = new FrameReader();
  const parts = new PartAssembler();
  const messages: WireMessage[] = [];
  const rejected: string[] = [];
  for (const chunk of chunks) {
    const isWhole = frames.push(chunk, (type, payload) => {
      assert.equal(type, FRAME.part);
      const outcome = parts.accept(payload);
      if (outcome.type === "message") messages.push(outcome.message);
      if (outcome.type === "rejected") rejected.push(outcome.reason);
      return true;
    });
    assert.ok(isWhole);
  }
  return { messages, rejected };
}

function cut(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; start < bytes.length; at++) {
    const end = start + (lengths[at % lengths.length] ?? 1);
    chunks.push(bytes.subarray(start, end));
    start = end;
  }
  return chunks;
}

/** The outcome of a part frame made by hand. */
function accept(parts: PartAssembler, fields: Partial<WireMessage & { sequence: number }>) {
  const writer = new ByteWriter();
  const bytes = fields.bytes ?? new Uint8Array([1]);
  const base = { kind: "consensus", groupId: 1, compressed: false, sequence: 1, sent: 0 } as const;
  writePart(writer, { ...base, ...fields, bytes });
  return parts.accept(writer.finish().subarray(5));
}

const reasonOf = (outcome: PartOutcome) => outcome.type === "rejected" && outcome.reason;

const compact = ({ bytes, ...rest }: WireMessage) => ({ ...rest, length: bytes.length });

test("messages of any length and class survive any cutting of the stream, each class in order", () => {
  const message = fc.record<WireMessage>(
    {
      kind: fc.constantFrom(...CLASSES),
      groupId: fc.integer({ min: 0, max: 65_535 }),
      compressed: fc.boolean(),
      bytes: fc
        .tuple(fc.nat({ max: 200_000 }), fc.nat({ max: 255 }))
        .map(([length, fill]) => new Uint8Array(length).fill(fill)),
    },
    { noNullPrototype: true },
  );
  const lengths = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), lengths, (sent, chunkLengths) => {
      const outbox = new Outbox();
      for (const each of sent) assert.equal(outbox.put(each), 0);
      const { messages, rejected } = receive(cut(drain(outbox), chunkLengths));
      assert.deepEqual(rejected, []);
      assert.ok(outbox.isEmpty());
      for (const kind of CLASSES) {
        const isOfKind = (each: WireMessage) => each.kind === kind;
        const got = messages.filter(isOfKind);
        const expected = sent.filter(isOfKind);
        assert.deepEqual(got.map(compact), expected.map(compact));
        for (const [at, { bytes }] of got.entries()) {
          assert.equal(Buffer.compare(bytes, expected[at]?.bytes ?? new Uint8Array()), 0);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test("a vote that comes while a block is under way goes before the rest of the block", () => {
  const outbox = new Outbox();
  const block = new Uint8Array(2_000_000);
  outbox.put({ kind: "blocks", groupId: 1, compressed: false, bytes: block });
  const first = outbox.batch();
  assert.ok(first && first.length < 400_000);
  const bytes = new Uint8Array([7]);
  outbox.put({ kind: "consensus", groupId: 1, compressed: false, bytes });
  const { messages } = receive([first, drain(outbox)]);
  assert.deepEqual(
    messages.map(({ kind }) => kind),
    ["consensus", "blocks"],
  );
});

test("no class starves: each batch holds a share of every class that waits", () => {
  const outbox = new Outbox();
  for (const kind of CLASSES.slice(1)) {
    for (let count = 0; count < 20; count++) {
      outbox.put({ kind, groupId: 1, compressed: false, bytes: new Uint8Array(20_000) });
    }
  }
  const { messages } = receive([outbox.batch() ?? new Uint8Array()]);
  assert.deepEqual([...new Set(messages.map(({ kind }) => kind))], CLASSES.slice(1));
});

test("at a bound of messages or bytes the oldest of the class is dropped, never one under way", () => {
  const outbox = new Outbox({ blocks: { queueMessages: 2, queueBytes: 500_000 } });
  const put = (length: number, kind: "blocks" | "topics" = "blocks") =>
    outbox.put({ kind, groupId: 1, compressed: false, bytes: new Uint8Array(length) });
  assert.equal(put(400_000), 0);
  const first = outbox.batch() ?? new Uint8Array();
  assert.equal(put(200_000), 0);
  assert.equal(put(250_000), 0);
  assert.equal(put(100_000), 1);
  assert.equal(put(500_001), 1);
  assert.equal(put(450_000), 2);
  assert.equal(put(1, "topics"), 0);
  assert.equal(outbox.waiting("blocks"), 2);
  const { messages, rejected } = receive([first, drain(outbox)]);
  assert.deepEqual(rejected, []);
  const lengths = messages.map(({ bytes }) => bytes.length).sort((a, b) => a - b);
  assert.deepEqual(lengths, [1, 400_000, 450_000]);
});

test("a frame without a type or longer than the limit ends the stream", () => {
  for (const length of [0, FRAME_LIMIT + 1, 0xffff_ffff]) {
    const bytes = new ByteWriter().u32(length).u8(FRAME.part).finish();
    assert.equal(
      new FrameReader().push(bytes, () => true),
      false,
    );
  }
});

/** Bytes that a piece of work copies from array to array. */
function copiedBy(work: () => void): number {
  let copied = 0;
  const set = Uint8Array.prototype.set;
  Object.defineProperty(Uint8Array.prototype, "set", {
    configurable: true,
    value(this: Uint8Array, source: ArrayLike<number>, offset?: number) {
      copied += source.length;
      set.call(this, source, offset);
    },
  });
  try {
    work();
  } finally {
    Reflect.deleteProperty(Uint8Array.prototype, "set");
  }
  return copied;
}

test("a frame that comes in small pieces costs what its bytes cost", () => {
  const writer = new ByteWriter();
  const payload = Uint8Array.from({ length: FRAME_LIMIT - 1 }, (_, at) => at);
  for (let count = 0; count < 2; count++) writeFrame(writer, FRAME.part, payload);
  const bytes = writer.finish();
  for (const length of [1, 3, 5, 1_000]) {
    const reader = new FrameReader();
    const taken: Uint8Array[] = [];
    const copied = copiedBy(() => {
      for (const piece of cut(bytes, [length]))
        assert.ok(reader.push(piece, (_, part) => taken.push(part) > 0));
    });
    assert.ok(copied <= 3 * bytes.length, `${copied} of ${bytes.length} by ${length}`);
    // What was handed out first is not written over by what came later.
    assert.deepEqual(
      taken.map((part) => Buffer.compare(part, payload)),
      [0, 0],
    );
  }
});

test("a taker that has had enough gets no further frame", () => {
  const writer = new ByteWriter();
  for (let count = 0; count < 3; count++) writeFrame(writer, FRAME.close, new Uint8Array());
  let taken = 0;
  const isWhole = new FrameReader().push(writer.finish(), () => ++taken < 2);
  assert.equal(isWhole, false);
  assert.equal(taken, 2);
});

test("a message that comes again, or whose number goes back, is replayed", () => {
  const parts = new PartAssembler();
  assert.equal(accept(parts, { sequence: 5 }).type, "message");
  assert.equal(reasonOf(accept(parts, { sequence: 5 })), "replayed");
  assert.equal(reasonOf(accept(parts, { sequence: 4 })), "replayed");
  assert.equal(accept(parts, { sequence: 1, kind: "blocks" }).type, "message");
  assert.equal(accept(parts, { sequence: 6 }).type, "message");
});

test("a message above the limit of its class is oversize, from the first part on", () => {
  const bytes = new Uint8Array(CLASS_LIMITS.topics.messageBytes + 1);
  const outcome = accept(new PartAssembler(), { kind: "topics", bytes });
  assert.equal(reasonOf(outcome), "oversize");
  assert.equal(isCarried("topics", 0, bytes.length), false);
  assert.equal(isCarried("blocks", 1, bytes.length), true);
  assert.equal(isCarried("blocks", 65_536, 1), false);
});

test("parts that do not belong together are malformed", () => {
  const long = new Uint8Array(100_000);
  const partial = (parts: PartAssembler) =>
    assert.equal(accept(parts, { bytes: long }).type, "partial");
  const middle = (fields: object) => {
    const parts = new PartAssembler();
    partial(parts);
    const base = { kind: "consensus", groupId: 1, compressed: false, sequence: 1 } as const;
    const writer = new ByteWriter();
    writePart(writer, { ...base, bytes: long, sent: 65_536, ...fields });
    return parts.accept(writer.finish().subarray(5));
  };
  assert.equal(middle({}).type, "message");
  for (const fields of [
    { groupId: 2 },
    { sequence: 2 },
    { compressed: true },
    { kind: "blocks" },
    { bytes: new Uint8Array(100_001) },
  ]) {
    assert.equal(reasonOf(middle(fields)), "malformed", JSON.stringify(Object.keys(fields)));
  }
  const parts = new PartAssembler();
  partial(parts);
  assert.equal(reasonOf(accept(parts, { sequence: 2 })), "malformed");
});

test("a message has few parts: one that is shorter than a sender makes it is malformed", () => {
  const total = 200_000;
  const part = (parts: PartAssembler, first: boolean, body: Uint8Array) => {
    const writer = new ByteWriter()
      .u8(0)
      .u8(first ? 1 : 0)
      .u16(1)
      .u64(1)
      .u32(total);
    return parts.accept(writer.bytes(body).finish());
  };
  const full = new Uint8Array(65_536);
  const rest = new Uint8Array(total - 3 * full.length);
  const whole = new PartAssembler();
  const outcomes = [0, 1, 2].map((at) => part(whole, at === 0, full).type);
  assert.deepEqual(outcomes, ["partial", "partial", "partial"]);
  assert.equal(part(whole, false, rest).type, "message");
  for (const length of [0, 1, full.length - 1, full.length + 1])
    assert.equal(reasonOf(part(new PartAssembler(), true, new Uint8Array(length))), "malformed");
  const parts = new PartAssembler();
  assert.equal(part(parts, true, full).type, "partial");
  assert.equal(reasonOf(part(parts, false, new Uint8Array(1))), "malformed");
  assert.equal(reasonOf(part(parts, false, full)), "malformed", "the message is given up");
});
