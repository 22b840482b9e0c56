/** The folder of a console: its files, and what they are good for. */
// rules: console 1
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { parse } from "smol-toml";
import { consoleFolderFiles } from "../../../runtimes/folder/console-folder.ts";
import { CONSOLE_CONTRACTS } from "../../../runtimes/folder/console-contracts.ts";

const FILES = consoleFolderFiles({ peers: ["10.0.0.1:20200"] });

function textOf(path: string): string {
  return FILES.find((file) => file.path === path)?.text ?? assert.fail(path);
}

test("it has the files of a console, scripts among them", () => {
  const contracts = Object.keys(CONSOLE_CONTRACTS).map((name) => `contracts/solidity/${name}`);
  assert.deepEqual(FILES.map(({ path }) => path).sort(), [
    "conf/config-example.toml",
    "conf/config.toml",
    "conf/group-generate-config.toml",
    "console.sh",
    ...contracts.sort(),
    "get_account.sh",
    "get_gm_account.sh",
    "sol2java.sh",
    "start.sh",
  ]);
  for (const { path, use } of FILES)
    assert.equal(use, path.endsWith(".sh") ? "script" : "text", path);
});

test("the scripts are shell scripts", () => {
  for (const { path, text, use } of FILES) {
    if (use !== "script") continue;
    execFileSync("bash", ["-n"], { input: text });
    assert.ok(text.startsWith("#!/usr/bin/env bash\n#"), path);
  }
});

test("console.sh without arguments lists the commands, at a terminal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "console-folder-"));
  try {
    writeFileSync(join(folder, "console.sh"), textOf("console.sh"), { mode: 0o755 });
    const program = '#!/bin/sh\necho "$1 $4 $5"\n';
    writeFileSync(join(folder, "chain-node"), program, { mode: 0o755 });
    const typed = (line: string) =>
      execFileSync("script", ["-qefc", `bash console.sh ${line}`, "/dev/null"], {
        cwd: folder,
        encoding: "utf8",
      }).trim();
    assert.equal(typed(""), "console -h");
    assert.equal(typed("1 getPeers"), "console 1 getPeers");
    const piped = execFileSync("bash", ["console.sh"], {
      cwd: folder,
      input: "",
      encoding: "utf8",
    });
    assert.equal(piped.trim(), "console", "a script comes through a pipe");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the configuration names the nodes, the example those of a chain on this host", () => {
  const peersOf = (path: string) =>
    (parse(textOf(path)) as { readonly network: { readonly peers: unknown } }).network.peers;
  assert.deepEqual(peersOf("conf/config.toml"), ["10.0.0.1:20200"]);
  const local = ["127.0.0.1:20200", "127.0.0.1:20201"];
  assert.deepEqual(peersOf("conf/config-example.toml"), local);
  assert.ok(parse(textOf("conf/group-generate-config.toml"))["groupPeers"]);
});

test("the contracts of the tutorials are there", () => {
  for (const name of [
    "HelloWorld",
    "Table",
    "TableTest",
    "KVTable",
    "KVTableTest",
    "Crypto",
    "ShaTest",
  ])
    assert.match(
      textOf(`contracts/solidity/${name}.sol`),
      new RegExp(`(contract|interface) ${name}\\b`),
    );
});
