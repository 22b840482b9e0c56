// The worked frames of the specification: layout, and what a session makes of them.
// rules: channel-protocol 3, 5.2, 5.3, 6, 7.2, 13
import assert from "node:assert/strict";
import { test } from "vitest";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { encodeFrame, FrameReader, readTopic, withTopic } from "../../../core/channel/frame.ts";
import { newSession, type SessionInput } from "../../../core/channel/session/state.ts";
import { step } from "../../../core/channel/session/step.ts";
import { WORKED_FRAMES } from "./worked-frames.ts";

/** Frames whose data begins with a topic. */
const WITH_TOPIC = ["H10", "H11", "H12", "H14", "H16", "H17", "H18"];

function bytesOf(name: string): Uint8Array {
  const found = WORKED_FRAMES.find((frame) => frame.name.startsWith(`${name} `));
  assert.ok(found, name);
  return hexBytes(found.header + found.data);
}

function frameOf(name: string) {
  const reader = new FrameReader();
  const [frame, ...others] = reader.push(bytesOf(name));
  assert.ok(frame);
  assert.deepEqual([others.length, reader.failure, reader.heldBytes], [0, undefined, 0]);
  return frame;
}

test("there are twenty of them", () => assert.equal(WORKED_FRAMES.length, 20));

for (const { name, header, data } of WORKED_FRAMES) {
  test(`${name} is read and written byte for byte`, () => {
    const [label = ""] = name.split(" ");
    const frame = frameOf(label);
    assert.equal(toHex(encodeFrame(frame)), header + data);
    if (!WITH_TOPIC.includes(label)) return;
    const read = readTopic(frame.data);
    assert.ok(read.ok);
    assert.equal(toHex(withTopic(read.topic, read.content)), data);
  });
}

/** What a session answers to worked frames, one after the other: to the last of them. */
function answerTo(names: readonly string[], more: readonly SessionInput[] = []): string {
  const state = newSession(0);
  const facts = { nodeVersion: "2.9.0" };
  const inputs = names.map((name) => ({ type: "frame", frame: frameOf(name) }) as const);
  let answer = "";
  for (const input of [...inputs, ...more]) {
    answer = "";
    for (const effect of step(state, input, facts))
      if (effect.type === "send") answer += toHex(encodeFrame(effect.frame));
  }
  return answer;
}

const BLOCK: SessionInput = { type: "block", groupId: 1, number: 17 };
const ANSWERS = [
  { names: ["H3"], more: [], answer: "H4" },
  { names: ["H7"], more: [], answer: "H8" },
  { names: ["H7", "H5"], more: [], answer: "H6" },
  { names: ["H9"], more: [BLOCK], answer: "H10" },
  { names: ["H7", "H9"], more: [BLOCK], answer: "H11" },
] as const;
for (const { names, more, answer } of ANSWERS) {
  test(`${names.join(", then ")}${more.length > 0 ? " and a block" : ""} give ${answer}`, () => {
    assert.equal(answerTo(names, more), toHex(bytesOf(answer)));
  });
}

test("H19, the empty heartbeat of version 1, and H9 have no answer", () => {
  assert.equal(answerTo(["H19"]), "");
  assert.equal(answerTo(["H9"]), "");
});
