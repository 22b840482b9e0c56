/** A node that is met by an older copy of itself ends, whenever it meets it. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { CopyAlarm } from "../../../../runtimes/node/process/copy-alarm.ts";
import { CopyFault } from "../../../../runtimes/shared/p2p/copy-fault.ts";

const COPY = { endpoint: "10.0.0.1:30300", uptimeMs: 5_000, isLater: true };

function arrange() {
  const failures: unknown[] = [];
  return { failures, alarm: new CopyAlarm((cause) => failures.push(cause)) };
}

test("a copy met while the node starts ends it as soon as it runs", () => {
  const { failures, alarm } = arrange();
  alarm.meet(COPY);
  alarm.meet({ ...COPY, endpoint: "10.0.0.2:30300" });
  assert.equal(failures.length, 0, "the start may still fail by itself");
  alarm.begin();
  assert.equal(failures.length, 1);
  const [fault] = failures;
  assert.ok(fault instanceof CopyFault);
  assert.equal(fault.copy.endpoint, COPY.endpoint);
});

test("a copy met by a running node ends it at once; a younger one never does", () => {
  const { failures, alarm } = arrange();
  alarm.meet({ ...COPY, isLater: false });
  alarm.begin();
  assert.equal(failures.length, 0);
  alarm.meet({ ...COPY, isLater: false });
  assert.equal(failures.length, 0);
  alarm.meet(COPY);
  assert.equal(failures.length, 1);
});
