import assert from "node:assert/strict";
import { test } from "vitest";
import { consensusIn } from "../../../runtimes/browser/tab-request.ts";

const genesis = (type: string) => `[consensus]\n    consensus_type=${type}\n[group]\n    id=1\n`;

test("a chain that is joined is kept as what its genesis file says", () => {
  assert.equal(consensusIn([genesis("raft")]), "raft");
  assert.equal(consensusIn([genesis("pbft")]), "pbft");
  assert.equal(consensusIn([genesis("pbft"), genesis(" Raft ")]), "raft");
  assert.equal(consensusIn(["; consensus_type=raft\n"]), "pbft");
  assert.equal(consensusIn([]), "pbft");
});
