/** Operations on a group whose last one was given up after its time and still goes on. */
// rules: groups 2, groups 3, groups 10
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Text } from "../../../../core/bytes/byte-string.ts";
import { OPERATION_TIMEOUT_MS } from "../../../../core/node/group/group-host.ts";
import type { Clock } from "../../../../core/ports/clock.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { GroupMachine, identityOf } from "../../../support/world/group-machine.ts";

const suite = await createNodeSuite();
const { nodeId: SELF } = identityOf(suite, 0);
const GIVEN_UP = ["0x1", `GroupFault: not done within ${OPERATION_TIMEOUT_MS} ms`];
const BUSY = ["0x1", "GroupFault: the last operation on group 2 is still under way"];
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

/** A clock on which the patience with operations ends when the test says so. */
function impatientClock() {
  const real = createNodeClock();
  const late = new Set<() => void>();
  const clock: Clock = {
    now: () => real.now(),
    steady: () => real.steady(),
    after(delay, callback) {
      if (delay !== OPERATION_TIMEOUT_MS) return real.after(delay, callback);
      late.add(callback);
      return () => void late.delete(callback);
    },
  };
  const requireGivenUp = async (operation: Promise<[string, string]>): Promise<void> => {
    let isAnswered = false;
    const answer = operation.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      for (const callback of late) callback();
      await pause(1);
    }
    assert.deepEqual(await answer, GIVEN_UP);
  };
  return { clock, requireGivenUp };
}

/** What waits until it is let go. */
function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function wordOf(machine: GroupMachine): Promise<string> {
  return utf8Text((await machine.files.read("data/group2/.group_status")) ?? new Uint8Array());
}

/** A node whose start of group 2 was given up and goes on until the gate opens. */
async function slowStart() {
  const { clock, requireGivenUp } = impatientClock();
  const { opened, open } = gate();
  const openKept = async () => {
    await opened;
    return openMemoryStore();
  };
  const machine = new GroupMachine({ suite, openKept, ports: { clock } });
  await machine.start();
  await machine.generate(2);
  await requireGivenUp(machine.manage("startGroup", 2));
  return { machine, open };
}

test("a group whose start goes on is not said to be removed", async () => {
  const { machine, open } = await slowStart();
  const removal = machine.manage("removeGroup", 2);
  // Were the removal to wait for the start, it would see its end.
  await pause(5);
  open();
  assert.deepEqual(await removal, BUSY);
  while ((await machine.status(2)) !== "RUNNING") await pause(1);
  assert.equal(await wordOf(machine), "RUNNING");
  assert.equal((await machine.manage("removeGroup", 2))[0], "0x0");
  assert.deepEqual([await machine.status(2), await wordOf(machine)], ["DELETED", "DELETED"]);
  await machine.stop();
});

test("a second start waits for the first, which was given up", async () => {
  const { machine, open } = await slowStart();
  const again = machine.manage("startGroup", 2);
  await pause(5);
  open();
  assert.equal((await again)[0], "0x0");
  assert.equal((await machine.manage("startGroup", 2))[0], "0x3");
  await machine.commitOne(2);
  await machine.stop();
});

/** Holds the write of a word, until it is let go. */
function slowWord(machine: GroupMachine, word: string) {
  const { opened, open } = gate();
  machine.beforeWrite = async (path, text) => {
    if (path.endsWith(".group_status") && text === word) await opened;
  };
  return open;
}

test("a group whose generation goes on is not said to be generated with other parameters", async () => {
  const { clock, requireGivenUp } = impatientClock();
  const machine = new GroupMachine({ suite, ports: { clock } });
  await machine.start();
  const params = { timestamp: "1700000000000", sealers: [SELF] };
  const open = slowWord(machine, "STOPPED");
  await requireGivenUp(machine.manage("generateGroup", 2, params));
  const second = machine.manage("generateGroup", 2, { ...params, timestamp: "1" });
  await pause(5);
  open();
  assert.deepEqual(await second, BUSY);
  while ((await machine.status(2)) !== "STOPPED") await pause(1);
  const genesis = utf8Text((await machine.files.read("conf/group.2.genesis")) ?? Uint8Array.of());
  assert.match(genesis, /1700000000000/);
  await machine.stop();
});

test("a group whose removal goes on is not said to be started", async () => {
  const { clock, requireGivenUp } = impatientClock();
  const machine = new GroupMachine({ suite, ports: { clock } });
  await machine.start();
  await machine.generate(2);
  const open = slowWord(machine, "DELETED");
  await requireGivenUp(machine.manage("removeGroup", 2));
  const start = machine.manage("startGroup", 2);
  await pause(5);
  open();
  assert.deepEqual(await start, BUSY);
  while ((await machine.status(2)) !== "DELETED") await pause(1);
  await machine.stop();
});
