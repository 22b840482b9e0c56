/** The tests' own client against the worked frames and the recorded receipts. */
// rules: channel-protocol 3, 13
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  firstFrame,
  frameBytes,
  PUSH_SEQ,
  readTopicData,
  topicData,
  TYPE,
} from "../../../support/channel/channel-frames.ts";
import { readDataLines } from "../../../support/ledger/data-files.ts";
import { styledJson } from "../../../support/channel/styled-json.ts";
import { WORKED_FRAMES, WORKED_SEQ, workedFrame } from "../../../support/channel/worked-frames.ts";

type WorkedName = keyof typeof WORKED_FRAMES;

test("every worked frame is read and built again to the byte", () => {
  for (const name of Object.keys(WORKED_FRAMES) as WorkedName[]) {
    const bytes = workedFrame(name);
    const frame = firstFrame(bytes);
    assert.ok(frame, name);
    assert.deepEqual(frameBytes(frame.type, frame.data, frame.seq, frame.result), bytes, name);
    assert.equal(firstFrame(bytes.subarray(0, -1)), undefined, name);
  }
});

test("worked frames are what their parts make", () => {
  const request = '{"jsonrpc":"2.0","method":"getBlockNumber","params":[1],"id":1}';
  assert.deepEqual(frameBytes(TYPE.rpc, request, WORKED_SEQ), workedFrame("H1"));
  const told = topicData("_block_notify_1", "1,17");
  assert.deepEqual(frameBytes(TYPE.blockPush, told, PUSH_SEQ), workedFrame("H10"));
  const unicast = frameBytes(TYPE.amopRequest, topicData("t1", "hi"), WORKED_SEQ);
  assert.deepEqual(unicast, workedFrame("H14"));
  assert.deepEqual(frameBytes(TYPE.amopResponse, "", WORKED_SEQ, 100), workedFrame("H15"));
  const { topic, content } = readTopicData(firstFrame(workedFrame("H16"))?.data ?? Buffer.of());
  assert.deepEqual([topic, content.toString()], ["t1", "ok"]);
});

test("receipts are written as recorded ones are", () => {
  let receipts = 0;
  type Line = { readonly type?: string; readonly text?: string };
  for (const { type, text } of readDataLines<Line>("golden/channel.jsonl")) {
    if (type !== "0x1000" || text === undefined) continue;
    assert.equal(styledJson(JSON.parse(text)), text);
    receipts++;
  }
  assert.ok(receipts > 5);
});
