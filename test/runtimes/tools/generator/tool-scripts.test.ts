// rules: generator 1, 6, 10.2, 10.3
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "vitest";
import { consoleFolderFiles } from "../../../../runtimes/folder/console-folder.ts";
import { usualTemplates } from "../../../../runtimes/folder/node-package.ts";
import { launcherScript, START_ALL_SCRIPT } from "../../../../runtimes/folder/node-scripts.ts";
import {
  MONITOR_AWK,
  nodesScripts,
  toolScripts,
} from "../../../../runtimes/tools/generator/tool-scripts.ts";

const HAS_BASH = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;
const HAS_AWK = spawnSync("awk", ["BEGIN { exit 0 }"]).status === 0;

describe.runIf(HAS_BASH)("scripts of the tool folder and of nodes", () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "chain scripts' "));
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const place = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode: 0o755 });
  };

  test("each is a script that bash reads", () => {
    for (const { path, text, use } of [...toolScripts(), ...nodesScripts()]) {
      if (use !== "script") continue;
      assert.ok(text.startsWith("#!/usr/bin/env bash\n# "), path);
      const { status, stderr } = spawnSync("bash", ["-n", "-c", text], { encoding: "utf8" });
      assert.equal(status, 0, `${path}: ${stderr}`);
    }
  });

  test("those over commands find the program of their folder, else the PATH's", () => {
    const cases = [
      [toolScripts(), "scripts/monitor/monitor.sh", ["-o", "a b"], "monitor -o a b"],
      [toolScripts(), "scripts/check_node_config.sh", ["-p", "node 0"], "doctor node 0"],
      [nodesScripts(), "monitor/monitor.sh", ["-o", "."], "monitor -o ."],
    ] as const;
    for (const [scripts, path, args, given] of cases) {
      const script = scripts.find((each) => each.path === path);
      assert.ok(script, path);
      place(path, script.text);
      const run = (own: NodeJS.ProcessEnv = {}) =>
        spawnSync("bash", [join(home, path), ...args], {
          env: { ...process.env, ...own },
          encoding: "utf8",
        });
      place("meta/chain-node", '#!/bin/sh\necho "meta: $*"\n');
      assert.equal(run().stdout, `meta: ${given}\n`, path);
      rmSync(join(home, "meta"), { recursive: true });
      place("bin/chain-node", '#!/bin/sh\necho "path: $*"\n');
      const PATH = `${join(home, "bin")}:${process.env["PATH"]}`;
      assert.equal(run({ PATH }).stdout, `path: ${given}\n`, path);
      rmSync(join(home, "bin"), { recursive: true });
      const none = run({ PATH: "/usr/bin:/bin" });
      assert.equal(none.status, 127);
      assert.match(none.stderr, /ERROR \| chain-node is not found in .* and on the PATH/);
    }
    const usage = spawnSync("bash", [join(home, "scripts/check_node_config.sh")]);
    assert.notEqual(usage.status, 0);
  });

  test("an exported CDPATH leads no script into another folder", () => {
    place("nodes/start_all.sh", START_ALL_SCRIPT);
    mkdirSync(join(home, "elsewhere/nodes"), { recursive: true });
    const env = { ...process.env, CDPATH: join(home, "elsewhere") };
    const options = { cwd: home, env, encoding: "utf8" } as const;
    const { stdout } = spawnSync("bash", ["nodes/start_all.sh"], options);
    assert.equal(stdout, `there is no node in ${join(home, "nodes")}\n`);
    const texts = [
      ...[...toolScripts(), ...nodesScripts(), ...consoleFolderFiles({ peers: [] })].map(
        ({ text }) => text,
      ),
      ...Object.values(usualTemplates()),
      launcherScript({ runtime: "", entry: "" }, { tells: "TOOL" }),
    ];
    for (const text of texts)
      assert.doesNotMatch(text, /(?<!CDPATH= )\bcd "/, text.split("\n").slice(0, 2).join(" "));
  });

  test.runIf(HAS_AWK)("monitor.awk counts the lines of both forms by group", () => {
    place("monitor.awk", MONITOR_AWK);
    const lines = [
      '{"level":"info","group":1,"msg":"++++ block sealed"}',
      '{"level":"info","group":1,"msg":"^^^^ block written"}',
      '{"level":"warning","group":1,"msg":"ViewChangeWarning"}',
      "info|2026-11-28 01:02:03.000000| [g:2][CONSENSUS][SEALER]++++++++ Generating seal on",
      "anything else",
    ];
    const input = `${lines.join("\n")}\n`;
    const { stdout } = spawnSync("awk", ["-f", join(home, "monitor.awk")], {
      input,
      encoding: "utf8",
    });
    assert.deepEqual(stdout.trimEnd().split("\n").sort(), [
      "group 1: 1 proposals, 1 blocks written, 1 view changes",
      "group 2: 1 proposals, 0 blocks written, 0 view changes",
    ]);
  });
});
