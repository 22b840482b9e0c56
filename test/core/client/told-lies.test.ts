/**
 * Whatever the checks are given in the place of what nodes report, a ProofFault comes or nothing.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { ProofFault } from "../../../core/client/client-fault.ts";
import { SealerTrail } from "../../../core/client/sealer-trail.ts";
import {
  verifyHeader,
  verifyHeaderHash,
  verifyReceiptProof,
  verifyTransaction,
  verifyTransactionProof,
} from "../../../core/client/verify-proof.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { cases } from "../../support/runner/cases.ts";
import { ANYTHING, liesIn } from "../../support/client/lies.ts";
import { provedBlock } from "../../support/client/proved-block.ts";
import { remembering } from "../../support/client/remembering-suite.ts";
import { chainSource, TrailChain } from "../../support/client/trail-chain.ts";
import { NATIONAL_SUITE, STANDARD_SUITE } from "../../support/suites.ts";

// rules: tx-block-codec 7, tx-block-codec 8.4
const STANDARD = remembering(STANDARD_SUITE);
const SUITES = [STANDARD, remembering(NATIONAL_SUITE)];

type Check = (...told: unknown[]) => unknown;

/** The checks, which take what is reported as it came. */
const CHECKS = {
  verifyHeader: verifyHeader as Check,
  verifyHeaderHash: verifyHeaderHash as Check,
  verifyTransaction: verifyTransaction as Check,
  verifyTransactionProof: verifyTransactionProof as Check,
  verifyReceiptProof: verifyReceiptProof as Check,
};

/** Whether it was shown. */
async function isShown(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (fault) {
    assert.ok(fault instanceof ProofFault, String((fault as Error).stack ?? fault));
    return false;
  }
}

for (const suite of SUITES) {
  const { header, sealers, items } = provedBlock(suite, 2);
  const rules = { suite, version: NEWEST_VERSION };
  const [, item] = items;
  assert.ok(item);
  const receipt = { ...item.receipt, transaction: item.transaction };
  /** What each check is given, and which of it was told by a node. */
  const TOLD: readonly (readonly [check: keyof typeof CHECKS, given: unknown[], told: number])[] = [
    ["verifyHeader", [header, sealers, suite], 2],
    ["verifyHeaderHash", [header, suite], 1],
    ["verifyTransaction", [item.transaction.transaction, suite], 1],
    ["verifyTransactionProof", [item.transaction, header, rules], 2],
    ["verifyReceiptProof", [receipt, header, rules], 2],
  ];

  for (const [name, given, told] of TOLD) {
    const check = CHECKS[name];
    const place = fc.nat(told - 1);

    test(`${name} of the ${suite.name} suite shows no value of another kind`, async () => {
      assert.ok(await isShown(() => check(...given)));
      await fc.assert(
        fc.asyncProperty(place, ANYTHING, async (at, lie) => {
          assert.ok(!(await isShown(() => check(...given.with(at, lie)))));
        }),
        { numRuns: cases(200) },
      );
    });

    test(`${name} of the ${suite.name} suite fails as it says for any lie in a truth`, async () => {
      const lies = place.chain((at) => liesIn(given[at]).map((lie) => given.with(at, lie)));
      await fc.assert(
        fc.asyncProperty(lies, async (lying) => void (await isShown(() => check(...lying)))),
        { numRuns: cases(300) },
      );
    });
  }
}

const CHAIN = new TrailChain(STANDARD, "abcd").grow(2);
CHAIN.add({ calls: [{ role: "addSealer", name: "e" }], others: 1 }).grow(3);
const PARTS = { suite: STANDARD, source: chainSource({ chain: CHAIN }) };
const GENESIS = CHAIN.header(0);
const HEAD = CHAIN.header(6);

/** Values of all kinds, and a header with a lie in it. */
const HEADERS = fc.oneof(ANYTHING, liesIn(HEAD), liesIn(GENESIS));

test("a trail certifies no header with another form, whatever it is given", async () => {
  assert.ok(await isShown(() => SealerTrail.fromGenesis(GENESIS, PARTS).certify(HEAD)));
  await fc.assert(
    fc.asyncProperty(HEADERS, async (lie) => {
      const trail = SealerTrail.fromGenesis(GENESIS, PARTS);
      await isShown(() => trail.certify(lie as typeof HEAD));
    }),
    { numRuns: cases(300) },
  );
});

test("a trail begins with no header of another form", async () => {
  await fc.assert(
    fc.asyncProperty(HEADERS, fc.boolean(), async (lie, isGenesis) => {
      await isShown(() => SealerTrail.fromGenesis(lie as typeof HEAD, PARTS));
      const root = { genesis: GENESIS, header: HEAD, [isGenesis ? "genesis" : "header"]: lie };
      await isShown(() => SealerTrail.fromSealers(root, HEAD.sealerList, PARTS));
    }),
    { numRuns: cases(200) },
  );
});

test("a trail whose source tells something else stops with a fault", async () => {
  await fc.assert(
    fc.asyncProperty(HEADERS, fc.integer({ min: 1, max: 6 }), async (lie, number) => {
      const { source } = PARTS;
      const header = async (at: number) =>
        at === number ? (lie as typeof HEAD) : CHAIN.header(at);
      const parts = { ...PARTS, source: { ...source, header } };
      await isShown(() => SealerTrail.fromGenesis(GENESIS, parts).certify(HEAD));
      const root = { genesis: GENESIS, header: HEAD };
      await isShown(() => SealerTrail.fromSealers(root, HEAD.sealerList, parts));
    }),
    { numRuns: cases(200) },
  );
});

test("a kept trail goes on in its form only", async () => {
  const trail = SealerTrail.fromGenesis(GENESIS, PARTS);
  await trail.certify(HEAD);
  const kept = trail.toKept();
  assert.ok(kept.steps.length > 1);
  await fc.assert(
    fc.asyncProperty(fc.oneof(ANYTHING, liesIn(kept)), async (lie) => {
      await isShown(() => new SealerTrail(lie as typeof kept, PARTS).certify(HEAD));
    }),
    { numRuns: cases(300) },
  );
  const turned = { steps: kept.steps.toReversed() };
  assert.throws(() => new SealerTrail(turned, PARTS), ProofFault);
});
