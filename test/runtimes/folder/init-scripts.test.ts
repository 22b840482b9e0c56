// rules: generator 6.5
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, test } from "vitest";
import { createChainFolder } from "../../../runtimes/folder/chain-folder.ts";
import { DEFAULT_PORTS, planChain } from "../../../runtimes/folder/chain-layout.ts";
import { launcherScript, NODE_ENVIRONMENT } from "../../../runtimes/folder/node-scripts.ts";
import { NOW, seededEntropy } from "./chain-of-certificates.ts";
import { inFull } from "../../support/runner/in-full.ts";

const HAS_BASH = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;

/** Stands for the node: says so, and ends in order when asked. */
const OBEDIENT = `#!/usr/bin/env bash
trap 'echo stopped; exit 0' TERM
echo "$@ in $PWD"
echo "no group is running yet"
said="running  the node"
[ -f trouble ] && said="$said
FAILED   group 2: no such key"
printf '%s\\n' "$said"
while :; do sleep 0.05; done
`;
/** Takes the ledgers as the node does: the lock file open, its number next to it. */
const HOLDING = OBEDIENT.replace(
  "trap",
  () => "mkdir -p ledgers/lock; exec 9> ledgers/lock/LOCK; echo $$ > ledgers/lock/owner\ntrap",
);
const WARNING = "08:01:02.345 warning a certificate ends soon file=conf/node.crt days=3";
const FAILING = `#!/usr/bin/env bash
echo "port 8545 is in use"
exit 3
`;

let home: string;
let chain: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain scripts-"));
  chain = join(home, "it's a chain");
  const plan = planChain({
    nodes: 2,
    agencies: ["A"],
    groups: [{ id: 1, consensus: "pbft" }],
    host: "127.0.0.1",
    basePorts: DEFAULT_PORTS,
  });
  const program = { runtime: process.execPath, entry: "" };
  const context = { entropy: seededEntropy("scripts"), now: NOW, days: 100, program };
  await createChainFolder(chain, plan, context);
});

afterAll(async () => {
  for (const name of ["node0", "node1"]) {
    const file = join(chain, name, "node.pid");
    if (existsSync(file)) process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
  }
  await rm(home, { recursive: true, force: true });
});

function stub(name: string, text: string): string {
  const path = join(home, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** Runs a script; with what it says of how long it takes. */
function watchScript(path: string, program: string) {
  const env = { ...process.env, CHAIN_NODE: program };
  // Another folder: scripts must not depend on where they are called from.
  const options = { env, cwd: home, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("bash", [path], options);
  return { status, stdout, stderr };
}

/** The same next to other work. */
async function watchScriptBeside(path: string, program: string) {
  const env = { ...process.env, CHAIN_NODE: program };
  const child = spawn("bash", [path], { env, cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await ended;
  return { status: status as number | null, stdout, stderr };
}

function runScript(path: string, program: string) {
  const { status, stdout } = watchScript(path, program);
  return { status, stdout };
}

function pidOf(node: string): number {
  return Number(readFileSync(join(chain, node, "node.pid"), "utf8"));
}

/** A copy of a script that does something else in its quarter seconds. */
function hasty(name: string, script: string, besides: string): string {
  const path = join(chain, name, `hasty-${script}`);
  const own = readFileSync(join(chain, name, script), "utf8");
  assert.ok(own.includes("  sleep 0.25\n"));
  writeFileSync(path, own.replace("  sleep 0.25\n", `  ${besides}\n`));
  return path;
}

/** What is asked of the program below, and waited for. */
const SAY = "{ touch say; until grep -q ^running nohup.out; do sleep 0.01; done; }";
/** Until the program has reported all that it says unasked. */
const BEGIN = '[ $try = 1 ] && until grep -q "^no group" nohup.out; do sleep 0.01; done';
const END = 'mkdir end && while kill -0 "$pid" 2> /dev/null; do sleep 0.01; done';

// Each on a node of its own, side by side.
// That a start is waited for is seen in every test here; what is reported after 10 s, here alone.
inFull(
  "a node that takes its time is waited for, and that is reported",
  async () => {
    const late = OBEDIENT.replace("printf", "until [ -f say ]; do sleep 0.01; done\n$&").replace(
      "; exit 0",
      "; until [ -d end ]; do sleep 0.01; done; exit 0",
    );
    const program = stub("late", late);
    const start = await watchScriptBeside(
      hasty("node0", "start.sh", `[ $try = 85 ] && ${SAY}`),
      program,
    );
    const word = "node0 is starting";
    assert.equal(start.stderr, `${word}, 10 s so far\n${word}, 20 s so far\n`);
    assert.match(start.stdout, /^node0 start successfully, pid is \d+\n$/);
    const stop = await watchScriptBeside(
      hasty("node0", "stop.sh", `[ $try = 45 ] && ${END}`),
      program,
    );
    assert.equal(stop.stderr, "node0 is stopping, 10 s so far\n");
    assert.equal(stop.stdout, "node0 stop successfully\n");
    rmSync(join(chain, "node0", "nohup.out"));
  },
  { skip: !HAS_BASH, concurrent: true },
);

// A node that ends at once fails its start below.
inFull(
  "a node that never says that it is running is reported to be silent",
  async () => {
    const mute = OBEDIENT.replace(/^printf .*$/m, "");
    const start = await watchScriptBeside(hasty("node1", "start.sh", BEGIN), stub("mute", mute));
    assert.equal(start.status, 1);
    assert.match(start.stderr, /60 s so far\n$/);
    const nohup = join(chain, "node1", "nohup.out");
    const said = `node1 has not said within 60 s that it is running; ${nohup} says:\n`;
    assert.equal(
      start.stdout,
      `${said}start -c config.ini in ${dirname(nohup)}\nno group is running yet\n`,
    );
    const stop = await watchScriptBeside(join(chain, "node1", "stop.sh"), "");
    assert.equal(stop.status, 0);
    rmSync(nohup);
  },
  { skip: !HAS_BASH, concurrent: true },
);

test.runIf(HAS_BASH)("a node is started once, in its folder, and stopped in order", () => {
  const program = stub("obedient", OBEDIENT);
  const start = join(chain, "node0", "start.sh");
  const first = runScript(start, program);
  assert.equal(first.status, 0, first.stdout);
  assert.match(first.stdout, /^node0 start successfully, pid is \d+\n$/);
  const pid = pidOf("node0");
  const again = runScript(start, program);
  assert.deepEqual(again, { status: 0, stdout: `node0 is running, pid is ${pid}\n` });
  const stop = runScript(join(chain, "node0", "stop.sh"), program);
  assert.deepEqual(stop, { status: 0, stdout: "node0 stop successfully\n" });
  const said = readFileSync(join(chain, "node0", "nohup.out"), "utf8");
  const folder = join(chain, "node0");
  assert.equal(
    said,
    `start -c config.ini in ${folder}\nno group is running yet\nrunning  the node\nstopped\n`,
  );
  const late = runScript(join(chain, "node0", "stop.sh"), program);
  assert.deepEqual(late, { status: 0, stdout: "node0 is not running\n" });
});

test.runIf(HAS_BASH)("a node that ends at once fails its start, with what it said", () => {
  // What an earlier run said must not count.
  writeFileSync(join(chain, "node1", "nohup.out"), "running  the node\n");
  const failed = runScript(join(chain, "node1", "start.sh"), stub("failing", FAILING));
  assert.equal(failed.status, 1);
  assert.match(failed.stdout, /node1 has ended.*port 8545 is in use/s);
  assert.ok(!existsSync(join(chain, "node1", "node.pid")));
});

test.runIf(HAS_BASH)("a group that failed is named, and the node counts as started", () => {
  const trouble = join(chain, "node0", "trouble");
  writeFileSync(trouble, "");
  const { status, stdout } = runScript(join(chain, "node0", "start.sh"), stub("half", OBEDIENT));
  rmSync(trouble);
  runScript(join(chain, "node0", "stop.sh"), "none");
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^node0 start successfully.*\nnode0: FAILED {3}group 2: no such key\n$/);
});

test.runIf(HAS_BASH)("a start shows its warnings, and nothing that an earlier start said", () => {
  const folder = join(chain, "node0");
  writeFileSync(join(folder, "nohup.out"), `${WARNING.replace("3", "9")}\nFAILED   group 9\n`);
  const warn = OBEDIENT.replace('echo "no group', `echo "${WARNING}"\necho "no group`);
  const { stdout } = runScript(join(folder, "start.sh"), stub("warning", warn));
  runScript(join(folder, "stop.sh"), "none");
  assert.match(stdout, /^node0 start successfully, pid is \d+\n/);
  assert.equal(stdout.split("\n").slice(1).join("\n"), `node0: ${WARNING}\n`);
  writeFileSync(join(folder, "nohup.out"), "an old line\n");
  const failed = runScript(join(folder, "start.sh"), stub("failing", FAILING));
  assert.ok(!failed.stdout.includes("an old line"), failed.stdout);
});

test.runIf(HAS_BASH && existsSync("/proc/self/fd"))(
  "without node.pid a node is known by the ledgers that it holds, also those of another folder",
  () => {
    const folder = join(chain, "node1");
    const config = readFileSync(join(folder, "config.ini"), "utf8");
    const moved = config.replace(/^ *group_data_path=.*$/m, "    group_data_path = ledgers/");
    assert.notEqual(moved, config);
    writeFileSync(join(folder, "config.ini"), moved);
    const program = stub("holding", HOLDING);
    assert.equal(runScript(join(folder, "start.sh"), program).status, 0);
    const pid = pidOf("node1");
    rmSync(join(folder, "node.pid"));
    const again = runScript(join(folder, "start.sh"), program);
    assert.deepEqual(again, { status: 0, stdout: `node1 is running, pid is ${pid}\n` });
    const stop = runScript(join(folder, "stop.sh"), "none");
    assert.deepEqual(stop, { status: 0, stdout: "node1 stop successfully\n" });
    // The number stays in the lock; the process that has it now is another one.
    writeFileSync(join(folder, "ledgers", "lock", "owner"), `${process.pid}\n`);
    const late = runScript(join(folder, "stop.sh"), "none");
    assert.deepEqual(late, { status: 0, stdout: "node1 is not running\n" });
    writeFileSync(join(folder, "config.ini"), config);
  },
);

test.runIf(HAS_BASH)("a number in node.pid that belongs to another process is no node", () => {
  const other = spawn("sleep", ["30"], { cwd: home });
  try {
    writeFileSync(join(chain, "node1", "node.pid"), `${other.pid}\n`);
    const stop = runScript(join(chain, "node1", "stop.sh"), "none");
    if (existsSync("/proc/self/cwd")) {
      assert.deepEqual(stop, { status: 0, stdout: "node1 is not running\n" });
      assert.ok(other.pid !== undefined && process.kill(other.pid, 0));
    }
    for (const text of ["", "x; rm -rf y", "-1"]) {
      writeFileSync(join(chain, "node1", "node.pid"), text);
      assert.equal(runScript(join(chain, "node1", "stop.sh"), "none").status, 0);
    }
  } finally {
    other.kill();
    writeFileSync(join(chain, "node1", "node.pid"), "");
  }
});

test.runIf(HAS_BASH)("start_all and stop_all reach every node and report a failure", () => {
  const program = stub("obedient", OBEDIENT);
  const start = runScript(join(chain, "start_all.sh"), program);
  assert.equal(start.status, 0, start.stdout);
  for (const name of ["node0", "node1"]) {
    assert.match(start.stdout, new RegExp(`^try to start ${name}$`, "m"));
    assert.match(start.stdout, new RegExp(`^${name} start successfully`, "m"));
  }
  const row = (name: string) =>
    start.stdout.split("\n").find((line) => line.startsWith(`${name}  `));
  assert.equal(row("node")?.replace(/ +/g, " "), "node pid rpc channel p2p state");
  const ports = "8646 20201 30301";
  assert.equal(row("node1")?.replace(/ +/g, " "), `node1 ${pidOf("node1")} ${ports} running`);
  const stop = runScript(join(chain, "stop_all.sh"), program);
  assert.equal(stop.status, 0, stop.stdout);
  assert.match(stop.stdout, /node0 stop successfully/);
  assert.match(stop.stdout, /node1 stop successfully/);
  const failed = runScript(join(chain, "start_all.sh"), stub("failing", FAILING));
  assert.equal(failed.status, 1);
  assert.match(failed.stdout, /^node0 +- +8645 +20200 +30300 {2}FAILED$/m);
  assert.match(failed.stdout, /^port 8545 is in use$/m);
});

// A failure of one node is reported by start_all above.
inFull(
  "a node whose scripts are lost is named, and others are not left alone",
  () => {
    const program = stub("obedient", OBEDIENT);
    const lost = join(chain, "node0", "stop.sh");
    assert.equal(runScript(join(chain, "start_all.sh"), program).status, 0);
    const text = readFileSync(lost, "utf8");
    rmSync(lost);
    const stop = runScript(join(chain, "stop_all.sh"), program);
    assert.equal(stop.status, 1, stop.stdout);
    assert.match(stop.stdout, /^node0 has no stop\.sh: copy the scripts of another node/m);
    assert.match(stop.stdout, /^node1 stop successfully$/m);
    writeFileSync(lost, text);
    assert.equal(runScript(lost, program).stdout, "node0 stop successfully\n");
  },
  { skip: !HAS_BASH },
);

test.runIf(HAS_BASH)("the launcher sets what keeps memory flat, or leaves what is set", () => {
  const entry = join(home, "environment.mjs");
  const names = Object.keys(NODE_ENVIRONMENT);
  const said = JSON.stringify(names);
  writeFileSync(entry, `console.log(...${said}.map((name) => process.env[name]));\n`);
  const launcher = join(home, "environment");
  writeFileSync(launcher, launcherScript({ runtime: process.execPath, entry }));
  const { CHAIN_NODE: _, ...inherited } = process.env;
  const bare = Object.entries(inherited).filter(([name]) => !names.includes(name));
  const launch = (own: Record<string, string>) => {
    const env = { ...Object.fromEntries(bare), ...own };
    return spawnSync("/bin/sh", [launcher], { env, encoding: "utf8" }).stdout;
  };
  assert.equal(launch({}), `${Object.values(NODE_ENVIRONMENT).join(" ")}\n`);
  assert.match(launch({ MALLOC_ARENA_MAX: "7" }), /^7 /);
});

test.runIf(HAS_BASH)(
  "the launcher finds the program where the folder was written, or on PATH",
  () => {
    const folder = join(home, "launch's");
    mkdirSync(folder);
    const entry = join(folder, "entry.mjs");
    writeFileSync(entry, "console.log('entry', ...process.argv.slice(2));\n");
    const launcher = join(folder, "launch");
    const launch = (program: { runtime: string; entry: string }, path: string) => {
      writeFileSync(launcher, launcherScript(program));
      const { CHAIN_NODE: _, ...env } = process.env;
      const args = [launcher, "a b", "c"];
      return spawnSync("/bin/sh", args, { env: { ...env, PATH: path }, encoding: "utf8" });
    };
    const ours = launch({ runtime: process.execPath, entry }, "/nowhere");
    assert.equal(ours.stdout, "entry a b c\n");
    const moved = { runtime: "/gone/node", entry: "/gone/main.js" };
    stub("chain-node", '#!/bin/sh\necho "path $2"\n');
    assert.equal(launch(moved, home).stdout, "path c\n");
    const args = [launcher, "-v"];
    const env = { PATH: home, CHAIN_NODE: "/gone/chain-node" };
    const wrong = spawnSync("/bin/sh", args, { env, encoding: "utf8" });
    assert.deepEqual(
      [wrong.status, wrong.stderr],
      [127, "CHAIN_NODE names /gone/chain-node, which is no program\n"],
    );
    const nowhere = launch(moved, "/nowhere");
    assert.equal(nowhere.status, 127);
    assert.match(nowhere.stderr, /chain-node is not found/);
  },
);
