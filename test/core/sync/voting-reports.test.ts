/** What statuses report of votes, and for how long it is believed. */
// rules: sync 1
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  abstains,
  MAX_VOTING_CODE,
  VOTING,
  votingCode,
  votingOf,
} from "../../../core/model/voting.ts";
import { VOTING_LASTS_MS, VotingReports } from "../../../core/sync/voting-reports.ts";
import { nodeIdOfNumber } from "../../support/world/pool-builders.ts";

const PEER = nodeIdOfNumber(1);

test("the codes of the messages stay as they are; one without a word is of a later version", () => {
  const codes = VOTING.map((word) => [word, votingCode(word)]);
  assert.deepEqual(codes, [
    ["votes", 0],
    ["observer", 1],
    ["behind", 2],
    ["silent", 3],
    ["muted", 4],
    ["stopped", 5],
    ["damaged", 6],
  ]);
  for (const word of VOTING) assert.equal(votingOf(votingCode(word)), word);
  for (const code of [VOTING.length, MAX_VOTING_CODE]) assert.equal(votingOf(code), "other");
});

test("only who says so, or says nothing any more, is taken not to vote", () => {
  const said = VOTING.filter(abstains);
  assert.deepEqual(said, VOTING.slice(1));
  const words = ["other", "quiet", "unknown"] as const;
  assert.deepEqual(words.map(abstains), [true, true, false]);
});

test("a word lasts as long as statuses may be late, that of a group that stops for good", () => {
  const reports = new VotingReports();
  assert.equal(reports.of(PEER, 0), "unknown");
  reports.note(PEER, votingCode("silent"), 1_000);
  assert.equal(reports.of(PEER, 1_000 + VOTING_LASTS_MS - 1), "silent");
  assert.equal(reports.of(PEER, 1_000 + VOTING_LASTS_MS), "quiet");
  reports.note(PEER, undefined, 2_000);
  assert.equal(reports.of(PEER, 2_000), "unknown");
  reports.note(PEER, votingCode("stopped"), 3_000);
  assert.equal(reports.of(PEER, Number.MAX_SAFE_INTEGER), "stopped");
  reports.forget(PEER);
  assert.equal(reports.of(PEER, 3_000), "unknown");
  reports.meet(PEER, 4_000);
  assert.equal(reports.of(PEER, 4_000 + VOTING_LASTS_MS - 1), "unknown");
  assert.equal(reports.of(PEER, 4_000 + VOTING_LASTS_MS), "quiet");
});
