/** An operator's first week on four nodes: backups while they run, silent copies, roles. */
import assert from "node:assert/strict";
import { cp, readdir, readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { borrowView } from "../../../../runtimes/node/client/control-client.ts";
import { CONTROL_SOCKET_FILE } from "../../../../runtimes/node/machine/control-socket.ts";
import { growingPauses, request } from "../../../support/process/dev-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { createHouse } from "../../../support/process/hosted-nodes.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  setIni,
} from "../../../support/process/node-processes.ts";
import {
  requireReceipts,
  send,
  sendAndSee,
  untilConnected,
} from "../../../support/process/process-checks.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const LIMIT_MS = 240_000;
const house = createHouse("standard");
let chain: ProcessChain;
let nodes: readonly NodeProcess[];

/** The first has a process of its own: it is killed in the middle of its work. */
beforeAll(async () => {
  chain = await initProcessChain({ nodes: 4, pauseMs: 100, hosted: 3 });
  ({ nodes } = chain);
  await Promise.all(nodes.map((node) => node.start()));
  await untilConnected(nodes);
});

afterAll(async () => {
  await chain?.close();
  await house.close();
});

function at(index: number): NodeProcess {
  return nodes[index] ?? assert.fail();
}

/** Sends transactions until it is told to stop, and waits for the last one. */
function keepSending(): () => Promise<void> {
  let isOver = false;
  const work = (async () => {
    for (let last = ""; ; ) {
      if (isOver) return requireReceipts([last], [at(0)]);
      last = await send(at(0));
    }
  })();
  return async () => {
    isOver = true;
    await work;
  };
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (const pause = growingPauses(); !(await holds()); await pause())
    assert.ok(performance.now() < end, what);
}

async function viewsOf({ folder }: NodeProcess): Promise<readonly string[]> {
  const names = await readdir(join(folder, "data", "group1"));
  return names.filter((name) => name.includes("view"));
}

/** What the control socket answers to bytes, until it closes. */
function said(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let told = "";
    const socket = connect(join(at(0).folder, CONTROL_SOCKET_FILE), () => socket.write(bytes));
    socket.on("data", (text) => {
      told += text.toString();
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(told));
  });
}

test("the control socket is its owner's alone, and takes one short line", async () => {
  const socket = await stat(join(at(0).folder, CONTROL_SOCKET_FILE));
  assert.deepEqual([socket.isSocket(), socket.mode & 0o777], [true, 0o600]);
  assert.match(await said("what?\n"), /"fault":"this node does not know that request"/);
  assert.match(await said('{"do":"view","group":7}\n'), /the node has no ledger of group 7/);
  assert.equal(await said("x".repeat(10_000)), "");
});

test("confirm says that nothing was silent", async () => {
  const { code, stdout } = await runHosted("confirm", at(0).folder);
  assert.deepEqual([code, stdout.startsWith("nothing was silent: all groups")], [0, true]);
});

test("a snapshot of a node that writes is restored elsewhere to the same content hash", async () => {
  await sendAndSee(at(0), nodes);
  const other = at(3);
  await other.end("SIGTERM");
  const stop = keepSending();
  const file = join(chain.folder, "hot.snapshot");
  const taken = await runHosted("snapshot", at(0).folder, "-o", file, "--json");
  assert.equal(taken.code, 0, taken.stderr);
  const hot = JSON.parse(taken.stdout) as { number: number; contentHash: string };
  const checked = await runHosted("check", at(0).folder, "--execute");
  assert.deepEqual([checked.code, checked.stderr], [0, ""]);
  assert.match(checked.stdout, /\nclean: all blocks executed anew/);
  const ledger = join(chain.folder, "hot.jsonl");
  const exported = await runHosted("export", ledger, "--node", at(0).folder);
  assert.equal(exported.code, 0, exported.stderr);
  await stop();
  assert.ok(hot.number > 0 && hot.number < (await at(0).blockNumber()));
  await until(async () => (await viewsOf(at(0))).length === 0, "views are given back");
  const restored = await runHosted("restore", file, other.folder, "--replace", "--json");
  assert.equal(restored.code, 0, restored.stderr);
  const again = join(chain.folder, "cold.snapshot");
  const cold = await runHosted("snapshot", other.folder, "-o", again, "--json");
  const { number, contentHash } = JSON.parse(cold.stdout) as typeof hot;
  assert.deepEqual([number, contentHash], [hot.number, hot.contentHash]);
  assert.deepEqual(await readFile(again), await readFile(file));
  // What nohup.out gets: the reason, once it stays.
  const unreached =
    /"level":"warning","time":"2\S+Z","endpoint":"\S+","reason":"\S.*"msg":"peer not reached"/;
  await until(async () => unreached.test(at(0).errors()), "a warning of the peer that is away");
  await other.start();
});

test("clean lists the ledger that was replaced, asks, and removes it", async () => {
  const place = join(at(3).folder, "data", "group1");
  const asked = await runHosted("clean", chain.folder);
  assert.notEqual(asked.code, 0);
  assert.match(asked.stderr, /^to be removed:\n {2}\S+block\.old-1 {2}\S+ MiB, replaced 2/);
  assert.ok((await readdir(place)).includes("block.old-1"));
  const { code, stdout } = await runHosted("clean", at(3).folder, "--yes");
  assert.deepEqual([code, stdout], [0, "1 ledger was removed\n"]);
  assert.ok(!(await readdir(place)).includes("block.old-1"));
});

test("status takes folders and URLs, each node once", async () => {
  const { stdout } = await runHosted("status", at(0).folder, at(1).folder, at(0).folder, at(1).url);
  const rows = stdout.split("\n").filter((line) => / running /.test(line));
  const names = rows.map((row) => row.split(" ")[0]);
  assert.deepEqual(names, ["node0", "node1", new URL(at(1).url).host]);
});

// store/live-view.test.ts sweeps what a killed process left.
inFull(
  "a node that was killed while it lent a view has a control socket and no view when it is back",
  async () => {
    const view = await borrowView(at(0).folder, 1);
    assert.ok(view);
    assert.equal((await viewsOf(at(0))).length, 1);
    await at(0).end("SIGKILL");
    assert.equal((await viewsOf(at(0))).length, 1);
    view.close();
    // Nobody is behind the socket that is left.
    assert.equal(await borrowView(at(0).folder, 1), undefined);
    await at(0).start();
    assert.equal((await viewsOf(at(0))).length, 0);
    const anew = await borrowView(at(0).folder, 1);
    anew?.close();
    assert.ok(anew);
  },
);

/** What a node answers at `/readyz?writes`. */
async function mayWrite({ url }: NodeProcess): Promise<boolean> {
  return (await fetch(`${url}/readyz?writes`)).status === 200;
}

// start-copy.test.ts has a copy that is silent; role.test.ts and doctor.test.ts their words.
inFull(
  "four copies are silent: status, doctor and role say which command mends it, and where",
  async () => {
    await Promise.all(nodes.map((node) => node.end("SIGTERM")));
    const homes = nodes.map(({ folder }) => `${folder}-moved`);
    for (const [index, { folder }] of nodes.entries())
      await cp(folder, homes[index] ?? "", {
        recursive: true,
        filter: (path) => !/\.sock$/.test(path),
      });
    const [first = "", second = "", third = ""] = homes;
    const moved = homes.map((home) => house.start(join(home, "config.ini")));
    await Promise.all(moved);
    await untilConnected(nodes);
    const mending =
      /where no other copy runs, chain-node confirm (DIR|\S+-moved) --group 1 on [0-9a-f]{8} \(/;
    await until(async () => {
      const { code, stdout } = await runHosted("status", ...homes);
      // Before the first statuses nobody knows.
      if (code === 0) return false;
      return / STALLED /.test(stdout) && / 0\/4 /.test(stdout) && mending.test(stdout);
    }, "stalled");
    await until(async () => !(await mayWrite(at(0))), "not writable");
    const doctor = await runHosted("doctor", first);
    assert.equal(doctor.code, 1);
    assert.match(
      doctor.stdout,
      /FAIL {2}group 1 .*\n +-> Where no other copy runs, chain-node confirm /,
    );

    const head = await at(0).blockNumber();
    const role = await runHosted("role", third, "--as", "observer", "--through", first);
    assert.equal(role.code, 1);
    assert.match(role.stderr, /cannot write blocks|not been able to write/);
    assert.match(role.stderr, /First: where no other copy runs, .*Nothing was sent/);

    for (const home of homes.slice(0, 3)) {
      const { stdout } = await runHosted("confirm", home);
      assert.equal(
        stdout,
        "confirmed for group 1: the node votes again; chain-node status shows it\n",
      );
    }
    await until(async () => {
      const { stdout } = await runHosted("status", first);
      return / RUNNING +sealer +3\/4 /.test(stdout) && (await mayWrite(at(0)));
    }, "three of four vote");
    const refused = await runHosted("role", second, "--as", "observer", "--through", first);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^2 of then 3 sealers would vote, 3 are needed: no block would be/,
    );
    assert.equal(await request(at(0).url, "getPendingTxSize", [1]), "0x0");
    assert.equal(await at(0).blockNumber(), head);
    for (const program of moved) await (await program).end("SIGTERM");
  },
);

// doctor.test.ts has what a doctor says of a start that failed.
inFull(
  "another version than the ledger's is named by the start and by the doctor, with the folder",
  async () => {
    const { folder } = at(1);
    const ini = join(folder, "config.ini");
    const ledger = join(folder, "data", "group1", "block");
    await setIni(ini, "compatibility", ["supported_version", "2.3.0"]);
    await assert.rejects(house.start(ini), (fault: Error) => {
      assert.match(fault.message, /holds the genesis block 0x\w+, not 0x\w+; it lies in/);
      return fault.message.includes(`it lies in ${ledger}.`);
    });
    const { code, stdout } = await runHosted("doctor", folder);
    assert.equal(code, 1);
    assert.match(stdout, /FAIL {2}process .*does not run, its last start failed: .*genesis block/);
    assert.match(
      stdout,
      /FAIL {2}ledger 1 .*\n +-> supported_version in \S+ is 2\.3\.0, and the ledger/,
    );
    assert.doesNotMatch(stdout, /there is no ledger|log files show/);
  },
);
