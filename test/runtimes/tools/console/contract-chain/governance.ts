/** The committee and accounts on a chain. */
// rules: console 4.8, 9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import type { People } from "./people.ts";

const OUTSIDER = `0x${"5".repeat(40)}`;
const OPERATOR = `0x${"6".repeat(40)}`;

/** Lists the tests. */
export function governanceTests({ world, done, refused }: Steps, { mine, other }: People): void {
  test("governance: the first member, a second, and votes of both", async () => {
    const [none, threshold] = await done(["listCommitteeMembers", "queryThreshold"]);
    assert.deepEqual([none, threshold], [[], { threshold: 50 }]);
    const early = await refused([`grantOperator ${OPERATOR}`], ...mine.words);
    assert.deepEqual(early, [[-52_002, "invalid request permission denied"]]);
    await done(
      [`grantCommitteeMember ${mine.address}`, `grantCommitteeMember ${other.address}`],
      ...mine.words,
    );
    const [members] = await done(["listCommitteeMembers"]);
    const addresses = (members as { address: string }[]).map(({ address }) => address);
    assert.deepEqual(addresses, [mine.address, other.address]);
    const weight = await world().run("queryCommitteeMemberWeight", other.address);
    assert.equal(weight.stdout, `Account: ${other.address} Weight: 1\n\n`);
    const voted = await world().run(...mine.words, "updateThreshold", "40");
    assert.equal(voted.code, 0);
    assert.match(voted.stderr, /The vote is recorded; it takes effect when enough members agree/);
    const [pending] = await done(["queryVotesOfThreshold"]);
    const [vote] = (pending as Record<string, { voter: string }[]>)["0.400000"] ?? [];
    assert.equal(vote?.voter, mine.address);
    const second = await world().run(...other.words, "updateThreshold", "40");
    assert.deepEqual([second.code, second.stderr], [0, ""]);
    const shown = await world().run("queryThreshold");
    assert.equal(shown.stdout, "Effective threshold : 40%\n\n");
  });

  test("governance: the weight of a member, and votes about it", async () => {
    // One of two votes is more than 40 percent.
    await done([`updateCommitteeMemberWeight ${mine.address} 2`], ...mine.words);
    const [weight] = await done([`queryCommitteeMemberWeight ${mine.address}`]);
    assert.deepEqual(weight, { account: mine.address, weight: 2 });
    // One of three is not.
    await done([`revokeCommitteeMember ${mine.address}`], ...other.words);
    const [votes] = await done([`queryVotesOfMember ${mine.address}`]);
    const { revoke } = votes as { revoke: { voter: string }[] };
    assert.deepEqual(
      revoke.map(({ voter }) => voter),
      [other.address],
    );
    const empty = await world().run("queryVotesOfThreshold");
    assert.equal(empty.stdout, "Empty set.\n\n");
  });

  test("governance: operators", async () => {
    await done([`grantOperator ${OPERATOR}`], ...mine.words);
    const [operators] = await done(["listOperators"]);
    assert.equal((operators as { address: string }[])[0]?.address, OPERATOR);
    const told = await refused(
      [
        `grantOperator ${OPERATOR}`,
        `grantOperator ${other.address}`,
        `grantCommitteeMember ${OPERATOR}`,
        `revokeOperator ${OUTSIDER}`,
      ],
      ...mine.words,
    );
    assert.deepEqual(
      told.map(([code]) => code),
      [-52_006, -52_005, -52_004, -52_007],
    );
    await done([`revokeOperator ${OPERATOR}`], ...mine.words);
    assert.deepEqual((await done(["listOperators"]))[0], []);
  });

  test("governance: refusals of votes", async () => {
    const told = await refused(
      [
        `grantCommitteeMember ${other.address}`,
        `revokeCommitteeMember ${OUTSIDER}`,
        `queryCommitteeMemberWeight ${OUTSIDER}`,
        `updateCommitteeMemberWeight ${OUTSIDER} 2`,
        `updateCommitteeMemberWeight ${mine.address} 2`,
        "updateThreshold 40",
        `updateCommitteeMemberWeight ${mine.address} 0`,
        "updateThreshold 100",
      ],
      ...mine.words,
    );
    assert.deepEqual(
      told.map(([code]) => code),
      [-52_000, -52_001, -52_001, -52_001, -52_012, -52_012, 2, 2],
    );
  });

  test("governance: an account is frozen, and available again", async () => {
    // A member cannot be frozen, so the other one leaves: two of three votes.
    await done([`revokeCommitteeMember ${other.address}`], ...mine.words);
    const told = await refused(
      [
        `freezeAccount ${OUTSIDER}`,
        `freezeAccount ${mine.address}`,
        `unfreezeAccount ${other.address}`,
      ],
      ...mine.words,
    );
    assert.deepEqual(
      told.map(([code]) => code),
      [-52_008, -50_000, -52_010],
    );
    await done([`freezeAccount ${other.address}`], ...mine.words);
    const [status] = await done([`getAccountStatus ${other.address}`]);
    assert.match(String(status), /^The account has been frozen/);
    const frozen = await world().run(...other.words, "call", "HelloWorld", "latest", "set", "x");
    assert.equal(frozen.code, 1);
    assert.match(frozen.stdout, /"code":31/);
    await done([`unfreezeAccount ${other.address}`], ...mine.words);
    const [again] = await done([`getAccountStatus ${other.address}`]);
    assert.equal(again, "The account is available.");
    await done(["call HelloWorld latest set x"], ...other.words);
  });
}
