/** Sealers come and go: what is reached from the trusted ones is accepted, and nothing else. */
// rules: tx-block-codec 7, tx-block-codec 10
import assert from "node:assert/strict";
import { test } from "vitest";
import { ProofFault } from "../../../core/client/client-fault.ts";
import { genesisSealers } from "../../../core/client/genesis-sealers.ts";
import { SealerTrail } from "../../../core/client/sealer-trail.ts";
import { signersOf } from "../../../core/client/verify-proof.ts";
import {
  type BlockPlan,
  chainSource,
  idsOf,
  refuses,
  TrailChain,
} from "../../support/client/trail-chain.ts";
import { NATIONAL_SUITE, STANDARD_SUITE as SUITE } from "../../support/suites.ts";

function numbersOf(trail: SealerTrail): readonly number[] {
  return trail.steps.map(({ number }) => number);
}

/** A trail that trusts the sealers of a block, by default of the last one. */
async function trailAt(chain: TrailChain, number = chain.blocks.length - 1) {
  const told = { chain };
  const source = chainSource(told);
  const header = chain.header(number);
  const parts = { suite: chain.suite, source };
  const genesis = chain.header(0);
  const trail = await SealerTrail.fromSealers({ genesis, header }, header.sealerList, parts);
  return { trail, source, told };
}

function fromGenesis(chain: TrailChain) {
  const told = { chain };
  const source = chainSource(told);
  const parts = { suite: chain.suite, source };
  return { trail: SealerTrail.fromGenesis(chain.header(0), parts), source, told };
}

/** a to d begin; e comes in block 10, f and g in 20 at once, a and b go in 30. */
function longChain(): TrailChain {
  const chain = new TrailChain(SUITE, "abcd").grow(9);
  chain.add({ calls: [{ role: "addSealer", name: "e" }], others: 1 }).grow(9);
  chain.add({
    calls: [
      { role: "addSealer", name: "f" },
      { role: "addSealer", name: "g" },
    ],
  });
  chain.grow(9).add({
    calls: [
      { role: "remove", name: "a" },
      { role: "addObserver", name: "b" },
    ],
  });
  return chain.grow(10);
}

const LONG = longChain();

test("every block of a chain stays trusted after role changes", async () => {
  const { trail, source } = await trailAt(LONG);
  for (const { header } of LONG.blocks) await trail.certify(header);
  assert.deepEqual(numbersOf(trail), [0, 10, 11, 20, 21, 30, 31, 40]);
  assert.ok(source.asked.headers <= 40, `${source.asked.headers}`);
  assert.equal(source.asked.blocks, 0);
  const asked = source.asked.headers;
  for (const { header } of [...LONG.blocks].reverse()) await trail.certify(header);
  assert.equal(source.asked.headers, asked);
});

test("sealers of the national suite are followed upwards, by seals and by transactions", async () => {
  const chain = new TrailChain(NATIONAL_SUITE, "ab").grow(1);
  chain.add({ calls: [{ role: "addSealer", name: "c" }] }).grow(2);
  chain.add({ calls: [{ role: "addSealer", name: "d" }] }).grow(2);
  const { trail, source } = fromGenesis(chain);
  for (const { header } of [...chain.blocks].reverse()) await trail.certify(header);
  assert.equal(source.asked.blocks, 1);
});

test("the hash of the first block is root enough: changes are shown upwards too", async () => {
  const { trail, source } = fromGenesis(LONG);
  await trail.certify(LONG.header(40));
  assert.deepEqual([...trail.sealers].sort(), [...idsOf("cdefg", SUITE)].sort());
  for (const { header } of LONG.blocks) await trail.certify(header);
  assert.deepEqual(numbersOf(trail), [0, 10, 11, 20, 21, 30, 31, 40]);
  assert.ok(source.asked.headers <= 30, `${source.asked.headers}`);
});

test("a change whose new sealers sign instead of the old is shown by its transactions", async () => {
  const chain = new TrailChain(SUITE, "abc").grow(3);
  const calls = [{ role: "addSealer", name: "d" } as const];
  chain.add({ calls, others: 2 }).grow(4);
  // Three of the four sign, one of them is new: two of the three old ones are no quorum of theirs.
  const { trail, source } = fromGenesis(chain);
  await trail.certify(chain.header(8));
  assert.equal(source.asked.blocks, 1);
});

test("all sealers are replaced in one block, and that is shown by its transactions", async () => {
  const chain = new TrailChain(SUITE, "ab").grow(2);
  chain.add({
    calls: [
      { role: "addSealer", name: "c" },
      { role: "addSealer", name: "d" },
      { role: "remove", name: "a" },
      { role: "remove", name: "b" },
      { role: "remove", name: "c", refused: true },
    ],
  });
  chain.grow(3);
  const { trail } = fromGenesis(chain);
  await trail.certify(chain.header(6));
  assert.deepEqual([...trail.sealers].sort(), [...idsOf("cd", SUITE)].sort());
});

test("calls that were refused, or are left out of the answer, change nothing", async () => {
  const call = { role: "addSealer", name: "z", refused: true } as const;
  const refused = new TrailChain(SUITE, "ab").add({ calls: [call] });
  refused.add({ sealers: "abz", signers: "bz" });
  await refuses(fromGenesis(refused).trail.certify(refused.header(2)), "seals");
  refused.blocks.pop();
  refused.add({ sealers: "xyz", signers: "xyz" });
  await refuses(fromGenesis(refused).trail.certify(refused.header(2)), "fork");
  const honest = new TrailChain(SUITE, "ab").add({ calls: [{ ...call, refused: false }] });
  honest.add({ sealers: "zxy", signers: "xyz" });
  await refuses(fromGenesis(honest).trail.certify(honest.header(2)), "fork");
  const [block] = honest.blocks.splice(1, 1);
  assert.ok(block);
  honest.blocks.splice(1, 0, { ...block, transactions: [] });
  await refuses(fromGenesis(honest).trail.certify(honest.header(2)), "proof");
});

/** e, f and g come and a, b and c go, all in the last block. */
function turnover(others = 0): TrailChain {
  const came = [..."efg"].map((name) => ({ role: "addSealer", name }) as const);
  const gone = [..."abc"].map((name) => ({ role: "remove", name }) as const);
  return new TrailChain(SUITE, "abcd").grow(1).add({ calls: [...came, ...gone], others });
}

/**
 * The chain with receipts of its last block left out, and a next block of the Byzantine node's
 * making.
 */
function withheld(chain: TrailChain, isShown: (index: number) => boolean, next: BlockPlan) {
  const block = chain.blocks.at(-1);
  assert.ok(block);
  const lying = chain.branch(chain.blocks.length - 2, "d");
  const receipts = new Map([...block.receipts].filter((_, index) => isShown(index)));
  lying.blocks.push({ ...block, receipts });
  return lying.add(next);
}

test("a node that leaves receipts out does not choose which changes count", async () => {
  const chain = turnover();
  const { trail } = fromGenesis(chain);
  await trail.certify(chain.header(2));
  const accepted: number[] = [];
  for (let shown = 0; shown < 2 ** 6; shown++) {
    const isShown = (index: number): boolean => ((shown >> index) & 1) === 1;
    const came = [..."efg"].filter((_, i) => isShown(i));
    const left = [..."abc"].filter((_, i) => !isShown(i + 3));
    const [sealers, signers] = [[...left, "d", ...came].join(""), ["d", ...came].join("")];
    const lying = withheld(chain, isShown, { sealers, signers });
    const source = chainSource({ chain: lying });
    const told = new SealerTrail(trail.toKept(), { suite: SUITE, source });
    await told.certify(lying.header(3)).then(
      () => accepted.push(shown),
      (fault: unknown) => {
        assert.ok(fault instanceof ProofFault, String(fault));
        assert.ok(["change", "seals"].includes(fault.reason), fault.message);
      },
    );
  }
  assert.deepEqual(accepted, [2 ** 6 - 1]);
});

test("a call whose input names nobody may only have failed, and its receipt shows that", async () => {
  for (const refused of [true, false]) {
    const chain = new TrailChain(SUITE, "abc").grow(1).add({
      calls: [
        { role: "addSealer", name: "d" },
        { role: "remove", name: "a", cut: true, refused },
      ],
    });
    const next = { sealers: "abcd", signers: "bcd" };
    const whole = withheld(chain, () => true, next);
    const work = fromGenesis(whole).trail.certify(whole.header(3));
    await (refused ? work : refuses(work, "change"));
    const lying = withheld(chain, (index) => index === 0, next);
    await refuses(fromGenesis(lying).trail.certify(lying.header(3)), "change");
  }
});

test("direct calls do not show a new majority next to calls of other contracts", async () => {
  const chain = turnover(1);
  chain.add({ signers: "defg" });
  await refuses(fromGenesis(chain).trail.certify(chain.header(3)), "change");
  const came = [..."efghij"].map((name) => ({ role: "addSealer", name }) as const);
  const grown = new TrailChain(SUITE, "abcd").add({ calls: came, others: 1 });
  const flooded = grown.branch(1, "abcdefghij").add({ signers: "defghij" });
  await refuses(fromGenesis(flooded).trail.certify(flooded.header(2)), "change");
  // A quorum of those before makes up for it, and one who comes or goes is no majority.
  grown.add({ signers: "abcefgh" });
  await fromGenesis(grown).trail.certify(grown.header(2));
  const gone = { role: "remove", name: "a" } as const;
  const small = new TrailChain(SUITE, "abcde").add({ calls: [gone], others: 1 });
  small.add({ signers: "bcd" });
  await fromGenesis(small).trail.certify(small.header(2));
});

test("a forged list is a fork where the block before shows no change, else it is not shown", async () => {
  const empty = new TrailChain(SUITE, "abcd").grow(4).add();
  const swapped = empty.branch(5, "wxyz").grow(4);
  const { trail, told } = fromGenesis(empty);
  await trail.certify(empty.header(4));
  told.chain = swapped;
  await refuses(trail.certify(swapped.header(9)), "fork");
  const busy = new TrailChain(SUITE, "abcd").grow(5);
  const forged = busy.branch(5, "wxyz").grow(4);
  const other = fromGenesis(busy);
  other.told.chain = forged;
  await refuses(other.trail.certify(forged.header(9)), "change");
  assert.deepEqual([...other.trail.sealers].sort(), [...idsOf("abcd", SUITE)].sort());
});

test("a header whose list was changed, or that too few signed, is not even examined", async () => {
  const { trail } = fromGenesis(LONG);
  const header = LONG.header(5);
  const sealerList = [...header.sealerList.slice(1), "ab".repeat(64)];
  await refuses(trail.certify({ ...header, sealerList }), "headerHash");
  const few = new TrailChain(SUITE, "abcd").add({ signers: "cd" });
  await refuses(fromGenesis(few).trail.certify(few.header(1)), "seals");
});

test("sealers that were removed sign alone without effect once their removal is known", async () => {
  const chain = new TrailChain(SUITE, "abcd").grow(4);
  chain.add({
    calls: [
      { role: "addSealer", name: "e" },
      { role: "addSealer", name: "f" },
      { role: "addSealer", name: "g" },
      { role: "remove", name: "a" },
      { role: "remove", name: "b" },
      { role: "remove", name: "c" },
    ],
  });
  chain.grow(5);
  const { trail, told } = await trailAt(chain);
  // Beyond the known head, on top of it; between known blocks; and in place of one.
  const above = chain.branch(10, "abcd").grow(5);
  told.chain = above;
  await refuses(trail.certify(above.header(15)), "change");
  const between = chain.branch(4, "abcd").grow(3);
  told.chain = chain;
  await refuses(trail.certify(between.header(7)), "fork");
  await refuses(trail.certify(between.header(5)), "fork");
  for (const { header } of chain.blocks) await trail.certify(header);
  await refuses(trail.certify(between.header(6)), "fork");
});

test("another chain is told by its first block, and by the block above it", async () => {
  const other = new TrailChain(SUITE, "abcd", "2").grow(6);
  const chain = new TrailChain(SUITE, "abcd").grow(6);
  const { trail } = fromGenesis(chain);
  await trail.certify(chain.header(6));
  await refuses(trail.certify(other.header(0)), "fork");
  await refuses(trail.certify(other.header(1)), "fork");
  const parts = { suite: SUITE, source: chainSource({ chain }) };
  const mixed = { genesis: other.header(0), header: chain.header(6) };
  await refuses(SealerTrail.fromSealers(mixed, chain.header(6).sealerList, parts), "fork");
  const outsiders = { genesis: chain.header(0), header: chain.header(6) };
  await refuses(SealerTrail.fromSealers(outsiders, idsOf("abce", SUITE), parts), "sealers");
});

test("a sealer that comes and goes and comes again is followed", async () => {
  const chain = new TrailChain(SUITE, "abcd").grow(3);
  for (let i = 0; i < 4; i++) {
    chain.add({ calls: [{ role: "addSealer", name: "e" }] }).grow(2);
    chain.add({ calls: [{ role: "addObserver", name: "e" }] }).grow(2);
  }
  const { trail } = await trailAt(chain);
  for (const { header } of chain.blocks) await trail.certify(header);
  for (const { header } of chain.blocks) await trail.certify(header);
});

test("what was kept goes on; a kept trail without a beginning is refused", async () => {
  const { trail, source } = await trailAt(LONG);
  await trail.certify(LONG.header(15));
  const kept = JSON.parse(JSON.stringify(trail.toKept())) as ReturnType<typeof trail.toKept>;
  const asked = source.asked.headers;
  const again = new SealerTrail(kept, { suite: SUITE, source });
  await again.certify(LONG.header(14));
  assert.equal(source.asked.headers, asked);
  assert.equal(again.genesisHash, LONG.header(0).hash);
  assert.throws(() => new SealerTrail({ steps: [] }, { suite: SUITE, source }), ProofFault);
});

test("a node that answers another block than it was asked for leads nowhere", async () => {
  const { told, source } = fromGenesis(LONG);
  const lying = { ...source, header: async () => told.chain.header(12) };
  const trail = SealerTrail.fromGenesis(LONG.header(0), { suite: SUITE, source: lying });
  await refuses(trail.certify(LONG.header(40)), "mismatch");
});

test("the number of a header that is reported as a text, or is no count, is refused", async () => {
  const source = chainSource({ chain: LONG });
  const parts = { suite: SUITE, source };
  const text = { ...LONG.header(5), number: "0x5" as never };
  await refuses(SealerTrail.fromGenesis(LONG.header(0), parts).certify(text), "malformed");
  const told = { ...source, header: async () => text };
  const asking = SealerTrail.fromGenesis(LONG.header(0), { ...parts, source: told });
  await refuses(asking.certify(LONG.header(40)), "malformed");
  const root = { genesis: LONG.header(0), header: text };
  await refuses(SealerTrail.fromSealers(root, text.sealerList, parts), "malformed");
  for (const number of [-1, 0.5, 2 ** 60, Number.NaN]) {
    const { trail } = fromGenesis(LONG);
    await refuses(trail.certify({ ...LONG.header(5), number }), "malformed");
  }
});

test("a block that is trusted already needs its signatures each time it is shown", async () => {
  const { trail } = fromGenesis(LONG);
  const header = LONG.header(9);
  await trail.certify(header);
  await trail.certify(header);
  const [one] = header.signatureList ?? [];
  assert.ok(one);
  for (const signatureList of [[], [one], header.signatureList?.map(() => one)]) {
    await refuses(trail.certify({ ...header, signatureList: signatureList ?? [] }), "seals");
  }
  await trail.certify({ ...LONG.header(0), signatureList: [] });
});

test("no signature of an endless list of sealers is examined", () => {
  const header = LONG.header(5);
  const long = Array.from({ length: 1_001 }, (_, i) => header.sealerList[i] ?? "ab".repeat(64));
  const [one] = header.signatureList ?? [];
  assert.ok(one);
  const suite = { ...SUITE, recover: () => assert.fail("a signature was examined") };
  const endless = [{ sealerList: long }, { signatureList: long.map(() => one) }];
  for (const part of endless) {
    assert.throws(() => signersOf({ ...header, ...part }, suite), /1001 .* no more than 1000/);
  }
  assert.equal(signersOf({ ...header, sealerList: long.slice(1) }, SUITE).size, 0);
  assert.equal(signersOf({ ...header, sealerList: long.slice(0, -1) }, SUITE).size, 3);
});

test("one look asks for a bounded number of headers, and the next goes on from there", async () => {
  const source = chainSource({ chain: LONG });
  const trail = SealerTrail.fromGenesis(LONG.header(0), { suite: SUITE, source, mostHeaders: 6 });
  const last = LONG.header(40);
  let looks = 0;
  for (let isDone = false; !isDone; looks++) {
    const before = source.asked.headers;
    isDone = await trail.certify(last).then(
      () => true,
      (fault: ProofFault) => {
        assert.match(fault.message, /ask again/);
        return false;
      },
    );
    assert.ok(source.asked.headers - before <= 6);
    assert.ok(looks < 10);
  }
  assert.ok(looks > 1);
});

test("the first block names its sealers; other marks name none", () => {
  const genesis = LONG.header(0);
  assert.deepEqual(genesisSealers(genesis), idsOf("abcd", SUITE));
  assert.equal(genesisSealers({ ...genesis, extraData: [] }), undefined);
  const other = Buffer.from(`1-${"ab".repeat(64)},-rpbft-storage-0-1000-1-2-3-4`).toString("hex");
  assert.equal(genesisSealers({ ...genesis, extraData: [`0x${other}`] }), undefined);
});

test("a mark of a thousand sealers is read, and one without end is none", () => {
  const marked = (count: number) => {
    const mark = Buffer.from(`1-${`${"ab".repeat(64)},`.repeat(count)}-pbft-`);
    return genesisSealers({ ...LONG.header(0), extraData: [`0x${mark.toString("hex")}`] });
  };
  assert.equal(marked(1_000)?.length, 1_000);
  assert.equal(marked(1_500)?.length, 1_500);
  assert.equal(marked(100_000), undefined);
});
