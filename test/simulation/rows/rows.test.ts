/**
 * The tables of the protocols: schedules take each row and need it, no state is given what it does
 * not declare, and the machines that are made of them take the same steps.
 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { cases, TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { PROTOCOLS } from "./protocols.ts";
import { placesOf } from "./rows.ts";
import { countRows, searchWith, searchWithout } from "./search.ts";

/** Schedules in which rows are counted: all of them, or as few as take every row. */
const MOST = cases(1_000, 150);
const FEWEST = TAKES_ALL_CASES ? MOST : 30;
/** Schedules with twins: each step is compared whole. */
const TWINS = cases(50, 1);
/** Schedules without a row. */
const SEARCHED = 60;

for (const [name, protocol] of Object.entries(PROTOCOLS)) {
  describe(name, () => {
    test("no state meets an undeclared event, and every row is taken or has its reason", () => {
      const seen = countRows(protocol, MOST, FEWEST);
      const unseen = [...seen].filter(([, count]) => count === 0).map(([row]) => row);
      const listed = Object.keys(protocol.unseen);
      assert.deepEqual(
        unseen.filter((row) => !listed.includes(row)),
        [],
      );
      // A reason for a row that is not there is none.
      const rows = placesOf(protocol).map((place) => place.name);
      assert.deepEqual(
        listed.filter((row) => !rows.includes(row)),
        [],
      );
    });

    test("xstate's own transition takes the same steps", () => {
      let steps = 0;
      for (let seed = 1; seed <= TWINS; seed++) steps += protocol.runTwins(seed);
      assert.ok(steps > 100 * TWINS, `${steps} steps`);
    });

    for (const [forbidden, { found }] of Object.entries(protocol.forbidden))
      test(`schedules notice a node that ${forbidden}`, () => {
        assert.match(searchWith(protocol, forbidden, SEARCHED)?.text ?? "nothing", found);
      });

    test("schedules fail without a row", () => {
      // One, or a few; `npm run soak -- rows` takes out all, and runs tests where schedules have no
      // eye.
      for (const row of TAKES_ALL_CASES ? protocol.sample : protocol.sample.slice(0, 1)) {
        const found = searchWithout(protocol, row, SEARCHED);
        assert.ok(found, `no node misses ${row}`);
      }
    });
  });
}
