/** Peers that send what no honest peer sends are not listened to; honest ones are not shut out. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { REJECTIONS_BEFORE_BLOCK } from "../../../core/actors/session.machine.ts";
import { SessionTable } from "../../../core/node/session-table.ts";
import { nodeIdOfNumber } from "../../support/pool-builders.ts";

const PEER = nodeIdOfNumber(1);

function table(): SessionTable {
  const sessions = new SessionTable({
    groupId: 1,
    log: { write: () => undefined },
    inspect: undefined,
    onError: (cause) => assert.fail(String(cause)),
  });
  sessions.up(PEER);
  return sessions;
}

test("a peer that keeps sending nonsense is ignored until it connects again", () => {
  const sessions = table();
  for (let i = 1; i < REJECTIONS_BEFORE_BLOCK; i++) sessions.reject(PEER, "nonsense");
  assert.equal(sessions.isUp(PEER), true);
  sessions.reject(PEER, "nonsense");
  assert.equal(sessions.isUp(PEER), false);
  sessions.down(PEER);
  sessions.up(PEER);
  assert.equal(sessions.isUp(PEER), true);
});

test("a rejection now and then never adds up to being ignored", () => {
  const sessions = table();
  for (let i = 0; i < 3 * REJECTIONS_BEFORE_BLOCK; i++) {
    sessions.reject(PEER, "an accident");
    sessions.cleanUp();
  }
  assert.equal(sessions.isUp(PEER), true);
});
