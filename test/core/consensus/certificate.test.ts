import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { verifySeals } from "../../../core/consensus/certificate.ts";
import { quorum } from "../../../core/consensus/quorum.ts";

// rules: pbft 8, pbft 16.3.5

const sealers = ["a", "b", "c", "d"].map((letter) => letter.repeat(128) as NodeId);
const seal = (index: number, signer: NodeId | undefined = sealers[index]) => ({ index, signer });

const TABLE = [
  { name: "three of four", seals: [seal(0), seal(2), seal(3)], verdict: "ok" },
  { name: "all four, in any order", seals: [3, 1, 0, 2].map((i) => seal(i)), verdict: "ok" },
  { name: "two of four", seals: [seal(0), seal(1)], verdict: "tooFewSeals" },
  { name: "none", seals: [], verdict: "tooFewSeals" },
  { name: "one index twice", seals: [seal(0), seal(1), seal(1)], verdict: "duplicateIndex" },
  {
    name: "one twice next to a quorum",
    seals: [seal(0), seal(1), seal(2), seal(2)],
    verdict: "duplicateIndex",
  },
  {
    name: "another sealer's signature at an index",
    seals: [seal(0), seal(1), seal(2, sealers[1])],
    verdict: "notSealer",
  },
  {
    name: "an index outside the list",
    seals: [seal(0), seal(1), seal(4, sealers[0])],
    verdict: "notSealer",
  },
  {
    name: "an invalid signature",
    seals: [seal(0), seal(1), { index: 2, signer: undefined }],
    verdict: "notSealer",
  },
  {
    name: "an invalid signature at an index outside the list",
    seals: [seal(0), seal(1), seal(2), { index: 9, signer: undefined }],
    verdict: "notSealer",
  },
] as const;

for (const { name, seals, verdict } of TABLE) {
  test(`a signature list with ${name}: ${verdict}`, () => {
    assert.equal(verifySeals(seals, sealers), verdict);
  });
}

test("an empty sealer list seals nothing", () => {
  assert.equal(verifySeals([], []), "tooFewSeals");
});

test("distinct sealers decide exactly from the quorum on", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(40), (count, sealed) => {
      const list = Array.from({ length: count }, (_, i) => String(i).padStart(128, "0") as NodeId);
      const chosen = list.slice(0, sealed).map((signer, index) => ({ index, signer }));
      const verdict = verifySeals(chosen, list);
      assert.equal(verdict, chosen.length >= quorum(count) ? "ok" : "tooFewSeals");
    }),
  );
});
