/** Long messages are taken out of what a client sends, everything else goes on as it came. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { LongMessages } from "../../../../runtimes/node/server/websocket-long.ts";

const TEXT = 1;
const PING = 9;

interface Sent {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
}

function frame({ opcode, isLast, payload }: Sent): Buffer {
  const mask = [1, 2, 250, 4];
  const { length } = payload;
  const head = [(isLast ? 0x80 : 0) | opcode];
  if (length < 126) head.push(0x80 | length);
  else head.push(0xfe, length >> 8, length & 0xff);
  const masked = payload.map((byte, i) => byte ^ (mask[i & 3] ?? 0));
  return Buffer.concat([Buffer.from([...head, ...mask]), masked]);
}

function taking(maxBytes = 5_000) {
  const passed: Buffer[] = [];
  const taken: string[] = [];
  const broken: string[] = [];
  let dropped = 0;
  const begin = () => {
    const parts: Uint8Array[] = [];
    return {
      add: (bytes: Uint8Array) => {
        parts.push(bytes);
        return bytes.length;
      },
      read: () => assert.fail("nobody reads it here"),
      drop: () => void dropped++,
      text: () => Buffer.concat(parts).toString(),
    };
  };
  const long = new LongMessages(
    { begin, longFrom: 1_000, maxBytes },
    {
      pass: (bytes) => void passed.push(Buffer.from(bytes)),
      whole: (body, bytes) => {
        const text = (body as ReturnType<typeof begin>).text();
        assert.equal(text.length, bytes);
        taken.push(text);
      },
      broken: (problem) => void broken.push(problem),
    },
  );
  return { long, passed: () => Buffer.concat(passed), taken, broken, dropped: () => dropped };
}

const text = (payload: string, isLast = true, opcode = TEXT): Sent => ({
  opcode,
  isLast,
  payload: Buffer.from(payload),
});

test("in whatever pieces frames come, long and fragmented texts are taken and others pass", () => {
  const kinds = fc.constantFrom<readonly Sent[]>(
    [text("short")],
    [text("")],
    [text("x".repeat(1_001))],
    [text("y".repeat(2_000))],
    [text("a", false), text("ping", true, PING), text("", false, 0), text("bc", true, 0)],
    [text("ping", true, PING)],
  );
  fc.assert(
    fc.property(fc.array(kinds), fc.array(fc.integer({ min: 1, max: 700 })), (messages, cuts) => {
      const bytes = Buffer.concat(messages.flat().map(frame));
      const { long, passed, taken } = taking();
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const end = at + (cuts[i % Math.max(1, cuts.length)] ?? 333);
        long.read(bytes.subarray(at, end));
        at = end;
      }
      const isLong = (sent: readonly Sent[]) =>
        sent.length > 1 || (sent[0]?.payload.length ?? 0) > 1_000;
      const expected = messages.filter(isLong).map((sent) =>
        sent
          .filter(({ opcode }) => opcode !== PING)
          .map(({ payload }) => payload.toString())
          .join(""),
      );
      assert.deepEqual(taken, expected);
      const rest = messages.flatMap((sent) =>
        isLong(sent) ? sent.filter(({ opcode }) => opcode === PING) : sent,
      );
      assert.deepEqual(passed(), Buffer.concat(rest.map(frame)));
    }),
  );
});

const BREAKS = [
  { problem: "tooLong", sent: [text("x".repeat(3_000), false), text("x".repeat(3_000), true, 0)] },
  { problem: "interleaved", sent: [text("a", false), text("b")] },
  { problem: "binary", sent: [text("x".repeat(2_000), true, 2)] },
] as const;

for (const { problem, sent } of BREAKS) {
  test(`${problem}: nothing of it is kept, and the close of the client passes`, () => {
    const { long, passed, taken, broken, dropped } = taking();
    const close = frame({ opcode: 8, isLast: true, payload: Buffer.from([3, 232]) });
    long.read(Buffer.concat([...sent.map(frame), frame(text("later")), close]));
    assert.deepEqual([taken, broken], [[], [problem]]);
    assert.equal(dropped(), problem === "binary" ? 0 : 1);
    assert.deepEqual(passed(), close);
  });
}
