/** Frames leave one at a time, long ones in parts of whole TLS records. */
// rules: channel-protocol 2.3
import assert from "node:assert/strict";
import { test } from "vitest";
import { FrameWriter } from "../../../../runtimes/node/server/frame-writer.ts";

const PART = 1024 * 1024;

/** A socket whose writes end when the test says so. */
function slowSink() {
  const writes: { readonly bytes: Uint8Array; readonly done: (error?: Error) => void }[] = [];
  const sink = {
    destroyed: false,
    write(bytes: Uint8Array, done: (error?: Error) => void) {
      writes.push({ bytes, done });
      return true;
    },
  };
  return { sink, writes, lengths: () => writes.map(({ bytes }) => bytes.length) };
}

test("a long frame leaves in parts, each told, and the next frame waits for the last", () => {
  const { sink, writes, lengths } = slowSink();
  const writer = new FrameWriter(sink, () => undefined);
  const happened: string[] = [];
  const long = Uint8Array.from({ length: 2 * PART + 10 }, (_, i) => i % 251);
  const tell = (text: string) => () => void happened.push(text);
  writer.write(long, tell("written"), tell("moved"));
  writer.write(Uint8Array.of(7), tell("next"));
  assert.deepEqual(lengths(), [PART]);
  writes[0]?.done();
  writes[1]?.done();
  assert.deepEqual(
    [lengths(), happened],
    [
      [PART, PART, 10],
      ["moved", "moved"],
    ],
  );
  writes[2]?.done();
  assert.deepEqual(lengths(), [PART, PART, 10, 1]);
  const sent = Buffer.concat(writes.slice(0, 3).map(({ bytes }) => bytes));
  assert.ok(sent.equals(long));
  writes[3]?.done();
  assert.deepEqual(happened, ["moved", "moved", "written", "next"]);
});

test("pieces that are made while they are sent are made when the pace allows", async () => {
  // The system takes everything at once.
  const sink = {
    destroyed: false,
    write(_: Uint8Array, done: () => void) {
      done();
      return true;
    },
  };
  const waiting: (() => void)[] = [];
  const writer = new FrameWriter(
    sink,
    () => new Promise<void>((resolve) => void waiting.push(resolve)),
  );
  const made: number[] = [];
  const data = {
    bytes: 3,
    async *pieces() {
      for (const piece of [1, 2, 3]) {
        made.push(piece);
        yield `${piece}`;
      }
    },
  };
  const whole = new Promise<void>((written) => {
    const told = { written, moved: () => undefined, failed: assert.fail };
    writer.writeLong(Uint8Array.of(0), data, told);
  });
  for (const count of [1, 2, 3]) {
    await new Promise((resume) => void setImmediate(resume));
    assert.deepEqual(made, [1, 2, 3].slice(0, count));
    waiting.shift()?.();
  }
  await whole;
});

test("after a failure nothing follows, neither a part nor a frame", () => {
  const { sink, writes, lengths } = slowSink();
  const writer = new FrameWriter(sink, () => undefined);
  const none = () => assert.fail("told after a failure");
  writer.write(new Uint8Array(PART + 1), none, none);
  writer.write(Uint8Array.of(7), none);
  writes[0]?.done(new Error("gone"));
  assert.deepEqual(lengths(), [PART]);
});
