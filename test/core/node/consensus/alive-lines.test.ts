/** The lines by which health checks see that consensus lives on a chain without transactions. */
// rules: generator 10.4, interface 4.3
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
const KINDS = ["pbft", "raft"] as const;
/** Elections of the beginning are over. */
const BEGINNING_MS = 15_000;
const LOOK_MS = 10_000;

/** How many lines with the marker each node has written since then, at the default level. */
function marked(world: NodeWorld, since: number): number[] {
  const lines = world.log.slice(since).filter(({ level }) => level === "info");
  const alive = lines.filter(({ message }) => message.includes("[g:1]") && message.includes("+++"));
  return world.machines.map(({ index }) => alive.filter((it) => it.index === index).length);
}

for (const consensusType of KINDS) {
  test(`each sealer of an idle ${consensusType} group says that it lives`, async () => {
    const world = new NodeWorld({ suite, genesis: { consensusType } });
    await world.startAll();
    await world.advance(BEGINNING_MS);
    const before = world.log.length;
    await world.advance(LOOK_MS);
    for (const count of marked(world, before)) {
      assert.ok(count >= 7 && count <= 12, `${count} lines in ${LOOK_MS} ms`);
    }
  });

  test(`no sealer of a ${consensusType} group without a quorum says so`, async () => {
    const world = new NodeWorld({ suite, genesis: { consensusType } });
    await world.startAll();
    await world.advance(BEGINNING_MS);
    for (const index of [1, 2, 3]) world.crash(world.machine(index));
    // What was under way has ended.
    await world.advance(LOOK_MS);
    const before = world.log.length;
    await world.advance(LOOK_MS);
    assert.deepEqual(marked(world, before), [0, 0, 0, 0]);
  });
}
