/** Blocks that peers sent: what passes, what does not, and what is not even examined. */
// rules: sync 4, pbft 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { idBytes, nodeIdOf } from "../../../../core/bytes/hex.ts";
import { type Header, headerHash, unexecuted } from "../../../../core/model/header.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import { version } from "../../../../core/model/version.ts";
import { SenderRecovery } from "../../../../core/node/txpool/sender-recovery.ts";
import { SyncVerifier } from "../../../../core/node/sync/sync-verifier.ts";
import type { Compute } from "../../../../core/ports/compute.ts";
import {
  encodeSyncBlock,
  openSyncBlock,
  type SyncBlock,
} from "../../../../core/sync/sync-message.ts";
import { PROPOSAL_RULES, proposalHeader } from "../../../support/world/proposals.ts";
import { smallTransaction } from "../../../support/ledger/small-chain.ts";

const { suite } = PROPOSAL_RULES;
const KEYS = [1, 2, 3, 4].map((byte) => new Uint8Array(32).fill(byte));
const SEALERS = KEYS.map((key) => nodeIdOf(suite.publicKey(key)));
const TRUE = [1n, 2n, 3n].map((nonce) => smallTransaction({ nonce }));
const OTHER = [4n, 5n, 6n].map((nonce) => smallTransaction({ nonce }));

function sealed(header: Header, count = 3) {
  const digest = idBytes(headerHash(header, suite));
  return KEYS.slice(0, count).map((key, index) => ({ index, signature: suite.sign(digest, key) }));
}

/** A verifier, and the names of the signatures that it has had examined. */
function verifierOf(rules = PROPOSAL_RULES) {
  const names: (string | undefined)[] = [];
  const compute: Compute = {
    recover: async (items) => {
      names.push(...items.map(({ name }) => name));
      return items.map(({ digest, signature }) => suite.recover(digest, signature));
    },
    close: async () => undefined,
  };
  const verifier = new SyncVerifier({
    rules,
    compute,
    recovery: new SenderRecovery({ suite, compute }),
  });
  const verify = (block: SyncBlock) =>
    verifier.verify({ blocks: [block], sealers: SEALERS, certified: true });
  return { verifier, verify, names };
}

/** A block of the true transactions' header; it carries these. */
function blockOf(carried: readonly { readonly raw: Uint8Array }[], rules = PROPOSAL_RULES) {
  const root = transactionsRoot(TRUE, rules);
  const header = proposalHeader({
    stateRoot: root,
    transactionsRoot: root,
    sealerList: SEALERS,
  });
  const transactions = carried.map(({ raw }) => raw);
  const block = openSyncBlock(
    encodeSyncBlock({ header, seals: sealed(header), transactions }),
    suite,
  );
  assert.ok(block);
  return { block, header };
}

test("a certified block passes with its transactions and their senders", async () => {
  const { verifier, verify } = verifierOf();
  const { block, header } = blockOf(TRUE);
  assert.equal(await verify(block), undefined);
  const content = verifier.verified(block);
  assert.deepEqual(content?.header, unexecuted(header));
  assert.deepEqual(
    content?.transactions.map(({ hash, from }) => ({ hash, from })),
    TRUE.map(({ hash, from }) => ({ hash, from })),
  );
});

const LIES = {
  "other transactions": OTHER,
  "another transaction among the true ones": [...TRUE.slice(1), ...OTHER.slice(0, 1)],
  "the true transactions in another order": TRUE.toReversed(),
  "a transaction too few": TRUE.slice(1),
  "a transaction twice": [...TRUE, ...TRUE.slice(2)],
  "no transactions": [],
};

/** Before 2.2.0 the root is over the raw transactions. Source: tx-block-codec 8.2 */
const ROOTS = {
  "of hashes": PROPOSAL_RULES,
  "of raw transactions": { ...PROPOSAL_RULES, version: version(2, 1, 0) },
};

for (const [root, rules] of Object.entries(ROOTS)) {
  for (const [name, carried] of Object.entries(LIES)) {
    test(`${name} under a true header and true seals do not pass, root ${root}`, async () => {
      const { verifier, verify, names } = verifierOf(rules);
      const { block } = blockOf(carried, rules);
      assert.deepEqual(await verify(block), { number: 1, reason: "wrongRoot" });
      assert.equal(verifier.verified(block), undefined);
      // Seals have no names: no signature of a transaction was worth looking at.
      assert.deepEqual(names, [undefined, undefined, undefined]);
    });
  }
}
