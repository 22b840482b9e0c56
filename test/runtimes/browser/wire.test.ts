/** What goes between a page and the worker of another tab. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { channelWire } from "../../../runtimes/browser/link/wire.ts";

/** What the wire hears until that message. */
function heardUntil(wire: ReturnType<typeof channelWire>, last: unknown): Promise<unknown[]> {
  const heard: unknown[] = [];
  return new Promise((resolve) => {
    wire.listen((message) => {
      heard.push(message);
      if (message === last) resolve(heard);
    });
  });
}

test("an answer that is ready after the tab has gone is dropped", async () => {
  const name = "test.wire";
  const page = channelWire(name);
  const heard = heardUntil(page, "of a new worker");
  const worker = channelWire(name);
  worker.post("answer");
  worker.close();
  assert.doesNotThrow(() => worker.post("late"));
  const next = channelWire(name);
  next.post("of a new worker");
  assert.deepEqual(await heard, ["answer", "of a new worker"]);
  next.close();
  page.close();
});
