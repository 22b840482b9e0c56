/** Proofs of a fault reach the operator, however often they come: once a minute and sealer. */
// rules: pbft 3
import assert from "node:assert/strict";
import { test } from "vitest";
import { toHex } from "../../../../core/bytes/hex.ts";
import type { Hash } from "../../../../core/bytes/ids.ts";
import { createCodec, createSigner } from "../../../../core/consensus/pbft/codec.ts";
import { encodeConsensusMessage } from "../../../../core/node/consensus/consensus-wire.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { HostileSealer } from "../../../support/world/hostile-sealer.ts";
import { type Machine, NodeWorld } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const TWIN = "another node votes with this node's key";
const CONTRADICTION = "a sealer contradicted itself";

const hashOf = (byte: number) => toHex(new Uint8Array(32).fill(byte)) as Hash;

async function arrange() {
  const world = new NodeWorld({ suite });
  const byzantine = new HostileSealer(world, suite, 3);
  for (const { index } of byzantine.honest) await world.start(index);
  await byzantine.connect();
  await world.advance(50);
  const codec = createCodec({ chainId: 1, groupId: 1, suite });
  /** Has the peer that lies pass on a vote under somebody's key, for the next height. */
  const vote = (voter: Machine, to: Machine, byte: number) => {
    const { number } = world.group(to.index).ledger.head();
    const index = world.genesis.sealers.indexOf(voter.nodeId);
    const height = number + 1;
    const facts = { proposal: hashOf(byte), executed: hashOf(byte) };
    const content = { type: "sign", height, view: 0, index, ...facts } as const;
    const signature = createSigner(codec, suite, voter.privateKey).sign(content);
    const message = { ...content, signature, signer: voter.nodeId };
    byzantine.send(
      to.nodeId,
      "consensus",
      encodeConsensusMessage({ message, compact: undefined }, codec),
    );
  };
  const count = (line: string) =>
    world.log.filter(({ level, message }) => level === "error" && message === line).length;
  return { world, byzantine, vote, count };
}

test("a vote under this node's key that it never made is an error, told once a minute", async () => {
  const { world, byzantine, vote, count } = await arrange();
  const [victim] = byzantine.honest;
  assert.ok(victim);
  for (const byte of [1, 2, 3]) vote(victim, victim, byte);
  await world.advance(500);
  assert.equal(count(TWIN), 1);
  await world.advance(60_000);
  vote(victim, victim, 4);
  await world.advance(500);
  assert.equal(count(TWIN), 2);
  assert.deepEqual(world.failures, []);
  await world.stopAll();
});

test("a sealer that contradicts itself over and over is one line a minute", async () => {
  const { world, byzantine, vote, count } = await arrange();
  const [victim] = byzantine.honest;
  assert.ok(victim);
  for (const byte of [1, 2, 3, 4, 5]) vote(byzantine.machine, victim, byte);
  await world.advance(500);
  assert.equal(count(CONTRADICTION), 1);
  await world.stopAll();
});
