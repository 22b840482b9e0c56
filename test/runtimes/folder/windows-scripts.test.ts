// rules: generator 13
/** Scripts for Windows cannot run here: what they call, and how they are built, is examined. */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  CONSOLE_CMD,
  LAUNCHER_CMD,
  launcherCmd,
  LOAD_NEW_GROUPS_CMD,
  RELOAD_WHITELIST_CMD,
  START_ALL_CMD,
  START_CMD,
  STOP_ALL_CMD,
  STOP_CMD,
} from "../../../runtimes/folder/windows-scripts.ts";

const SCRIPTS = {
  LAUNCHER_CMD,
  START_CMD,
  STOP_CMD,
  START_ALL_CMD,
  STOP_ALL_CMD,
  LOAD_NEW_GROUPS_CMD,
  RELOAD_WHITELIST_CMD,
  CONSOLE_CMD,
} as const;

for (const [name, text] of Object.entries(SCRIPTS)) {
  test(`${name} is a script that cmd.exe reads: line ends, labels, brackets`, () => {
    assert.ok(text.startsWith("@echo off\r\n"));
    assert.doesNotMatch(text, /[^\r]\n/);
    const labels = new Set([...text.matchAll(/^:(\w+)\r$/gm)].map(([, label]) => label));
    for (const [, label] of text.matchAll(/goto (\w+)/g)) assert.ok(labels.has(label), label);
    // Brackets in echoed text end a block unless they are escaped.
    const code = text.replaceAll(/^rem .*$/gm, "").replaceAll(/\^[()]/g, "");
    const count = (bracket: string) => code.split(bracket).length - 1;
    assert.equal(count("("), count(")"));
    // A value that is expanded inside a block is the one before the block.
    for (const [block] of code.matchAll(/\(\r\n(?: {2}.*\r\n)+\)/g))
      assert.doesNotMatch(block, /exit \/b %errorlevel%/);
  });
}

test("a launcher looks next to itself and one level up, runs node, and hands on its code", () => {
  const beside = LAUNCHER_CMD.indexOf('"%~dp0chain-node.d\\dist\\node\\main.js"');
  const above = LAUNCHER_CMD.indexOf('"%~dp0..\\chain-node.d\\dist\\node\\main.js"');
  assert.ok(beside > 0 && above > beside);
  assert.match(LAUNCHER_CMD, /^node %entry% %\*\r\nexit \/b %errorlevel%/m);
  assert.match(launcherCmd("generator", ["/meta"]), /"%~dp0meta\\chain-node\.d.*"/);
  assert.match(launcherCmd("generator"), /^node %entry% generator %\*\r$/m);
});

test("start and stop know the process by the lock of its ledgers", () => {
  for (const text of [START_CMD, STOP_CMD]) {
    assert.match(text, /group_data_path/);
    assert.match(text, /set \/p pid=<"%data%\\lock\\owner"/);
  }
  assert.match(START_CMD, /chain-node\.cmd start -c config\.ini > nohup\.out 2>&1/);
  assert.match(START_CMD, /findstr \/b \/c:"running {2}" nohup\.out/);
  assert.match(STOP_CMD, /taskkill \/f \/pid %pid%/);
});

test("signals are files of the node's folder, which the node takes", () => {
  for (const [text, signal] of [
    [LOAD_NEW_GROUPS_CMD, "config.ini.append_group"],
    [RELOAD_WHITELIST_CMD, "config.ini.reset_certificate_whitelist"],
  ] as const) {
    assert.ok(text.includes('cd /d "%~dp0.."'));
    assert.ok(text.includes(`type nul > ${signal}\r\n`));
    assert.ok(text.includes(`if not exist ${signal} goto taken`));
  }
});

test("the scripts over all nodes run those of each, and a console's its own settings", () => {
  assert.match(START_ALL_CMD, /for \/d %%D in \(\*\) .*call "%%D\\start\.cmd" \|\| set code=1/s);
  assert.match(STOP_ALL_CMD, /call "%%D\\stop\.cmd"/);
  assert.match(CONSOLE_CMD, /chain-node\.cmd" console --config "%~dp0conf\\config\.toml" %\*/);
});
