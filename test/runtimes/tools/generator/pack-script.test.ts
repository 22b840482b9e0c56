// rules: generator 10.3
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "vitest";
import { PACK_SCRIPT } from "../../../../runtimes/tools/generator/tool-scripts.ts";

const HAS_BASH = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;

describe.runIf(HAS_BASH)("scripts/pack.sh", () => {
  let home: string;
  let nodes: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "chain pack's "));
    nodes = join(home, "my nodes");
    for (const name of ["node_10.0.0.1_30300", "node_10.0.0.1_30301", "node_10.0.0.2_30300"]) {
      const folder = join(nodes, name);
      for (const below of ["conf", "data", "log"])
        mkdirSync(join(folder, below), { recursive: true });
      for (const file of ["config.ini", "conf/node.key", "data/ledger", "log/a.log", "nohup.out"])
        writeFileSync(join(folder, file), "");
      writeFileSync(join(folder, "chain-node"), "", { mode: 0o755 });
    }
    mkdirSync(join(nodes, "chain-node.d"));
    writeFileSync(join(nodes, "chain-node.d/package.json"), "{}");
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const pack = (...args: string[]) =>
    spawnSync("bash", ["-c", PACK_SCRIPT, "pack.sh", ...args], { cwd: home, encoding: "utf8" });

  test("packs all nodes with one program, without ledgers and logs; keys stay secret", () => {
    const { status, stderr } = pack("-p", "-d", "my nodes");
    assert.equal(status, 0, stderr);
    assert.match(stderr, /my nodes\.tar\.gz has 3 nodes and their keys: keep it secret/);
    const archive = `${nodes}.tar.gz`;
    assert.equal(statSync(archive).mode & 0o777, 0o600);
    const list = spawnSync("tar", ["-tzf", archive], { encoding: "utf8" }).stdout;
    assert.match(list, /my nodes\/node_10\.0\.0\.2_30300\/conf\/node\.key/);
    assert.equal(list.match(/chain-node\.d\/package\.json/g)?.length, 1);
    assert.doesNotMatch(list, /ledger|a\.log|nohup/);
  });

  test("leaves the nodes of one host, unless another one has run or there is none", () => {
    const has = () => readdirSync(nodes).filter((name) => name.startsWith("node_"));
    assert.match(pack("-c", "-i", "10.0.0.9", "-d", nodes).stderr, /no node of 10\.0\.0\.9/);
    assert.match(pack("-c", "-i", "10.0.0.1", "-d", nodes).stderr, /_30300 has ledgers/);
    assert.equal(has().length, 3);
    rmSync(join(nodes, "node_10.0.0.2_30300/data"), { recursive: true });
    writeFileSync(join(nodes, "node_10.0.0.2_30300/node.pid"), `${process.pid}\n`);
    assert.match(pack("-c", "-i", "10.0.0.1", "-d", nodes).stderr, /runs here \(pid \d+\)/);
    assert.equal(has().length, 3);
    rmSync(join(nodes, "node_10.0.0.2_30300/node.pid"));
    const { status, stderr } = pack("-c", "-i", "10.0.0.1", "-d", nodes);
    assert.equal(status, 0, stderr);
    assert.deepEqual(has(), ["node_10.0.0.1_30300", "node_10.0.0.1_30301"]);
    assert.ok(existsSync(join(nodes, "chain-node.d")));
    // In names of folders the colons of an address are dashes.
    renameSync(join(nodes, "node_10.0.0.1_30301"), join(nodes, "node_2001-db8--1_30301"));
    rmSync(join(nodes, "node_10.0.0.1_30300/data"), { recursive: true });
    assert.equal(pack("-c", "-i", "2001:db8::1", "-d", nodes).status, 0);
    assert.deepEqual(has(), ["node_2001-db8--1_30301"]);
  });

  test("arguments that cannot be end with 2, and a folder without nodes with 1", () => {
    for (const args of [[], ["-p"], ["-p", "-c", "-d", nodes], ["-c", "-d", nodes], ["-x"]]) {
      const { status, stderr } = pack(...args);
      assert.equal(status, 2, args.join(" "));
      assert.match(stderr, /^ERROR \| .*\nusage: pack\.sh/m);
    }
    assert.equal(pack("-h").status, 0);
    assert.deepEqual(pack("-p", "-d", "/nowhere").status, 1);
    assert.match(pack("-p", "-d", join(nodes, "chain-node.d")).stderr, /there is no node in/);
  });
});
