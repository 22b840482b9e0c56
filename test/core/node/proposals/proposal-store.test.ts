/** What is read back from the disk may come when its block is written already. */
// rules: pbft 16.2
import assert from "node:assert/strict";
import { test } from "vitest";
import { bodyKey } from "../../../../core/ledger/keys.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import { ProposalCache } from "../../../../core/node/proposals/proposal-cache.ts";
import { ProposalStore } from "../../../../core/node/proposals/proposal-store.ts";
import { VoteStore } from "../../../../core/node/voting/vote-store.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { createInlineCompute } from "../../../../runtimes/shared/inline-compute.ts";
import { buildPool, hashOfNumber } from "../../../support/world/pool-builders.ts";
import { PROPOSAL_RULES, proposalHeader } from "../../../support/world/proposals.ts";
import { smallTransaction } from "../../../support/ledger/small-chain.ts";

const HEIGHT = 5;
const TRANSACTIONS = [1n, 2n].map((nonce) => smallTransaction({ nonce }));
const HEADER = proposalHeader({
  number: HEIGHT,
  transactionsRoot: transactionsRoot(TRANSACTIONS, PROPOSAL_RULES),
});
const { suite } = PROPOSAL_RULES;

/** A store over a disk that answers when the test says so. */
function arrange() {
  const disk = openMemoryStore();
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = {
    ...disk,
    load: async (key: string) => {
      await answered;
      return disk.load(key);
    },
  };
  const proposalStore = new ProposalStore({
    cache: new ProposalCache(PROPOSAL_RULES),
    pool: buildPool(),
    votes: new VoteStore(slow),
    suite,
    compute: createInlineCompute(suite),
  });
  return { disk, proposalStore, answer };
}

/** The node has signed the proposal, and restarts. */
async function signedBefore({ disk, proposalStore }: ReturnType<typeof arrange>) {
  const entry = proposalStore.cache.addWhole(HEADER, TRANSACTIONS);
  assert.ok(entry);
  await new VoteStore(disk).persist(Uint8Array.of(1), entry);
  proposalStore.cache.dropUpTo(HEIGHT);
  return entry.proposal;
}

test("a proposal that is kept comes back whole", async () => {
  const arranged = arrange();
  const proposal = await signedBefore(arranged);
  arranged.answer();
  const entry = await arranged.proposalStore.assemble(proposal);
  assert.equal(entry?.missing.size, 0);
  assert.equal(entry?.stored, true);
});

test("the body of a block is not forgotten because its proposal was read back too late", async () => {
  const arranged = arrange();
  const { disk, proposalStore, answer } = arranged;
  const proposal = await signedBefore(arranged);
  const reading = proposalStore.assemble(proposal);
  // Block sync brings the same block meanwhile, and it is written.
  assert.ok(proposalStore.cache.addWhole(HEADER, TRANSACTIONS));
  await proposalStore.forgetUpTo(HEIGHT, proposal);
  answer();
  assert.equal(await reading, undefined);
  await proposalStore.forgetUpTo(HEIGHT + 1, hashOfNumber(7));
  assert.ok(await disk.load(bodyKey(proposal)), "the ledger has lost the body of a block");
});
