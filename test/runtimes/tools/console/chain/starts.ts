/** Help, scripts, plain lines, and how a console begins. */
// rules: console 1, 2, 6
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { COMMANDS } from "../../../../../runtimes/tools/console/commands/all.ts";
import { runConsoleHere, runConsoleProgram } from "../../../../support/console/console-chain.ts";
import { endOf, runProgram } from "../../../../support/process/dev-chain-process.ts";
import type { Steps } from "../../../../support/console/steps.ts";

/** Lists the tests. */
export function startTests({ world }: Steps): void {
  test("help, version and usage need no node", async () => {
    const cwd = join(world().folder, "account");
    await mkdir(cwd, { recursive: true });
    const version = await runConsoleProgram(["-v"], { cwd });
    assert.match(version.stdout, /^console version: \d+\.\d+\.\d+\n$/);
    const help = await runConsoleHere(["help"], { cwd });
    assert.equal(help.code, 0);
    for (const { name } of COMMANDS) assert.ok(help.stdout.includes(`* ${name}`), name);
    const usage = await runConsoleHere(["addSealer", "-h"], { cwd });
    assert.match(
      usage.stdout,
      /^Make a node a sealer of the group\.\nUsage:\naddSealer nodeId\n\* nodeId -- /,
    );
    const start = await runConsoleHere(["--help"], { cwd });
    assert.match(start.stdout, /^Usage: console \[groupID\]/);
    const none = await runConsoleHere(["getBlockNumber"], { cwd });
    assert.deepEqual([none.code, none.stdout], [1, ""]);
    assert.match(
      none.stderr,
      /conf\/config\.toml is missing\. Write it, with the line \[network\]/,
    );
  });

  test("an unknown command ends with 2 and names the nearest; any case is understood", async () => {
    const { folder: cwd } = world();
    const { code, stderr } = await runConsoleProgram(["getBlokNumber"], { cwd });
    assert.equal(code, 2);
    const said = 'Undefined command: "getBlokNumber". Try "help". Did you mean getBlockNumber?\n';
    assert.equal(stderr, said);
    assert.equal((await world().run("GETBLOCKNUMBER")).code, 0);
    const many = await world().run("getBlockNumber", "1");
    assert.deepEqual([many.code, many.stdout], [2, ""]);
    const only = await world().run("switch", "2");
    assert.equal(only.code, 2);
  });

  test("a script stops at the first command that fails, unless it is to go on", async () => {
    const input = "# a comment\n\ngetPbftView\ngetNothing\ngetGroupList\n";
    const given = { cwd: world().folder, input };
    const stopped = await runConsoleHere(["1"], given);
    assert.equal(stopped.code, 2);
    assert.match(stopped.stdout, /^\d+\n\n$/);
    const whole = await runConsoleProgram(["1", "--keep-going", "--time"], given);
    assert.equal(whole.code, 2);
    assert.ok(whole.stdout.endsWith("[\n    1,\n    2,\n    6\n]\n\n"), whole.stdout);
    assert.equal(whole.stderr.match(/^took \d+ ms$/gm)?.length, 3);
    const left = await runConsoleHere(["1"], {
      cwd: world().folder,
      input: "exit\ngetNothing\n",
    });
    assert.deepEqual([left.code, left.stdout, left.stderr], [0, "", ""]);
  });

  test("plain lines have a banner and prompts, which follow the group", async () => {
    const input = "getPendingTxSize\nswitch 2\nswitch 99\nnothing\nquit\n";
    const { code, stdout, stderr } = await runConsoleProgram(["1", "-l"], {
      cwd: world().folder,
      input,
    });
    assert.equal(code, 0);
    assert.match(stdout, /^={93}\nWelcome to Chain-Node console\(\d+\.\d+\.\d+\)!\n/);
    const [, ...turns] = stdout.split(/\[group:\d+\]> /);
    assert.deepEqual(turns.slice(0, 2), ["0\n\n", "Switched to group 2.\n\n"]);
    assert.deepEqual(stdout.match(/\[group:\d+\]> /g), [
      "[group:1]> ",
      "[group:1]> ",
      "[group:2]> ",
      "[group:2]> ",
      "[group:2]> ",
    ]);
    assert.match(stderr, /no connected node is a member of group 99; their groups: 1, 2, 6\./);
  });

  test("a session for a group that no node has does not begin", async () => {
    const { code, stderr } = await runConsoleHere(["9", "-l"], { cwd: world().folder });
    assert.equal(code, 1);
    assert.match(stderr, /no connected node is a member of group 9; their groups: 1, 2, 6\./);
  });

  test("chain-node console is the same program", async () => {
    const words = ["console", "--url", world().urls[0] ?? "", "getGroupList"];
    const { code, stdout } = await endOf(runProgram(...words));
    assert.deepEqual([code, stdout], [0, "[\n    1,\n    2,\n    6\n]\n\n"]);
  });
}
