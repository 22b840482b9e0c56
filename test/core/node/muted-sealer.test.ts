/** A sealer that keeps quiet of its own accord, as in a tab that nobody looks at. */
// rules: pbft 16.2, raft 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { createCodec } from "../../../core/consensus/pbft/codec.ts";
import { decodeConsensusMessage } from "../../../core/node/consensus-wire.ts";
import { createNodeSuite } from "../../../runtimes/node/backends.ts";
import type { SubmitOutcome } from "../../../core/node/node-api.ts";
import { type Machine, NodeWorld } from "../../support/node-world.ts";
import { Random } from "../../simulation/random.ts";

const suite = await createNodeSuite();
const codec = createCodec({ chainId: 1, groupId: 1, suite });
const SOON_MS = 120_000;
const VOTES = new Set(["prepare", "sign", "commit", "viewChange"]);

const headOf = (world: NodeWorld, { index }: Machine) => world.group(index).ledger.head();

/** Has blocks with one transaction each written on all machines. */
async function commit(world: NodeWorld, by: Machine, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    const next = Math.max(...world.machines.map((one) => headOf(world, one).number)) + 1;
    assert.equal((await world.settle(world.submit(by.index).outcome, "admission")).ok, true);
    const stands = () => world.machines.every((one) => headOf(world, one).number >= next);
    await world.until(stands, SOON_MS, `block ${next}`);
  }
}

function mute({ life }: Machine, isMuted: boolean): void {
  assert.ok(life);
  life.node.setMuted(isMuted);
}

test("a muted sealer gives no vote, follows the blocks, and votes when it is asked to", async () => {
  const world = new NodeWorld({ suite });
  await world.startAll();
  const [first, , , quiet] = world.machines;
  assert.ok(first && quiet);
  await commit(world, first, 2);
  const votes: string[] = [];
  world.sendListeners.add((from, _to, kind, bytes) => {
    if (from !== quiet || kind !== "consensus") return;
    const message = decodeConsensusMessage(bytes, codec)?.message;
    if (message && VOTES.has(message.type)) votes.push(message.type);
  });
  mute(quiet, true);
  await commit(world, first, 6);
  assert.equal(votes.length, 0, votes.join());
  assert.equal(world.group(quiet.index).silence?.(), undefined);
  mute(quiet, false);
  await commit(world, first, 4);
  assert.ok(votes.includes("commit"));
  world.assertSound();
});

for (const consensusType of ["pbft", "raft"] as const) {
  test(`sealers of a ${consensusType} group that come and go say nothing twice`, async () => {
    for (let seed = 1; seed <= 3; seed++) {
      const world = new NodeWorld({ suite, seed, genesis: { consensusType } });
      await world.startAll();
      const random = new Random(seed);
      const [first] = world.machines;
      assert.ok(first);
      for (let round = 0; round < 12; round++) {
        // At most one is quiet at a time, at any moment of a block.
        const chosen = world.machines[random.below(4)];
        const sent: Promise<SubmitOutcome> = world.submit(first.index).outcome;
        await world.advance(random.below(600));
        if (chosen) mute(chosen, true);
        await world.advance(random.below(4_000));
        if (chosen) mute(chosen, false);
        assert.equal((await world.settle(sent, "admission")).ok, true);
      }
      await commit(world, first, 2);
      world.assertSound();
      assert.deepEqual(world.failures, []);
      const errors = world.log.filter(({ level }) => level === "error");
      assert.deepEqual(errors, [], "nobody takes another one for a copy of itself");
    }
  });
}
