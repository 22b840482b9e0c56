// rules: interface 4.3, generator 11
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { launcherScript } from "../../../../runtimes/folder/node-scripts.ts";
import { INSTALL_SCRIPT, LEAST_NODE } from "../../../../runtimes/tools/generator/tool-scripts.ts";
import { ROOT } from "../../../support/runner/root.ts";

const HAS_BASH = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;
/** Tools that scripts may use. */
const TOOLS = ["bash", "dirname", "ln", "mkdir", "cat", "rm"];
const USAGE = "usage: generator [-h] ACTION";

describe.runIf(HAS_BASH)("scripts/install.sh", () => {
  /** The paths of the tools on this host. */
  let tools: readonly string[];
  let home: string;
  let tool: string;

  beforeAll(() => {
    const found = spawnSync("bash", ["-c", `type -P ${TOOLS.join(" ")}`], { encoding: "utf8" });
    tools = found.stdout.trim().split("\n");
  });

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "chain install's "));
    tool = join(home, "tool");
    mkdirSync(join(tool, "scripts"), { recursive: true });
    mkdirSync(join(home, "bin"));
    for (const path of tools) symlinkSync(path, join(home, "bin", basename(path)));
    symlinkSync(process.execPath, join(home, "bin/node"));
    place(join(tool, "scripts/install.sh"), INSTALL_SCRIPT);
    place(join(tool, "generator"), `#!/bin/sh\necho '${USAGE}'\n`);
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function place(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }

  /** A command on the PATH in place of the real one. */
  const fake = (name: string, text: string) => {
    rmSync(join(home, "bin", name), { force: true });
    place(join(home, "bin", name), `#!/bin/sh\n${text}\n`);
  };

  function install(own: Record<string, string> = {}) {
    const env = { PATH: join(home, "bin"), HOME: join(home, "me"), ...own };
    const script = join(tool, "scripts/install.sh");
    const { status, stdout, stderr } = spawnSync(join(home, "bin/bash"), [script], {
      env,
      cwd: "/",
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  test("links into npm's folder where that is writable, and ends with the usage", () => {
    fake("npm", `echo "${join(home, "prefix")}"`);
    fake("sudo", `echo used >> "${join(home, "sudo.log")}"`);
    place(join(tool, "meta/chain-node"), "#!/bin/sh\n");
    const { status, stdout, stderr } = install();
    assert.equal(status, 0, stderr);
    assert.equal(stdout, `${USAGE}\n`);
    assert.equal(readlinkSync(join(home, "prefix/bin/generator")), join(tool, "generator"));
    const program = join(tool, "meta/chain-node");
    assert.equal(readlinkSync(join(home, "prefix/bin/chain-node")), program);
    assert.ok(!existsSync(join(home, "sudo.log")));
    assert.match(stderr, /put .*prefix\/bin on the PATH: export PATH=/);
    // Once more: the links are replaced by themselves.
    assert.equal(install().status, 0);
  });

  test("asks for administrator rights only where the folder is not writable", () => {
    // A file stands where a folder would be: nobody can write there, no matter who runs this.
    writeFileSync(join(home, "closed"), "");
    fake("npm", `echo "${join(home, "closed")}"`);
    fake("sudo", `echo "$@" >> "${join(home, "sudo.log")}"`);
    const { status, stdout, stderr } = install();
    assert.equal(status, 0, stderr);
    assert.equal(stdout, `${USAGE}\n`);
    assert.match(stderr, /closed\/bin is not writable: administrator rights are asked for/);
    const link = join(home, "closed/bin");
    assert.deepEqual(readFileSync(join(home, "sudo.log"), "utf8").split("\n"), [
      `mkdir -p ${link}`,
      `ln -sfn ${join(tool, "generator")} ${link}/generator`,
      "",
    ]);
  });

  test("without sudo the user's own folder is used, and without npm too", () => {
    writeFileSync(join(home, "closed"), "");
    fake("npm", `echo "${join(home, "closed")}"`);
    const { status, stderr } = install();
    assert.equal(status, 0, stderr);
    assert.match(stderr, /is not writable and there is no sudo: .*\.local\/bin is used/);
    const link = join(home, "me/.local/bin/generator");
    assert.equal(readlinkSync(link), join(tool, "generator"));
    rmSync(join(home, "bin/npm"));
    rmSync(join(home, "me"), { recursive: true });
    assert.equal(install().status, 0);
    assert.ok(existsSync(link));
    const homeless = install({ HOME: "" });
    assert.equal(homeless.status, 1);
    assert.match(homeless.stderr, /ERROR \| neither npm nor HOME says where commands go/);
  });

  test("a program of another owner stays", () => {
    place(join(home, "me/.local/bin/generator"), "#!/bin/sh\necho other\n");
    const { status, stderr } = install();
    assert.equal(status, 0);
    assert.match(stderr, /generator is another program and stays/);
    assert.match(readFileSync(join(home, "me/.local/bin/generator"), "utf8"), /other/);
    // Package managers put links there; a launcher of another tool folder gives way.
    const link = join(home, "me/.local/bin/generator");
    rmSync(link);
    place(join(home, "theirs"), "#!/usr/bin/env node\nother();\n");
    symlinkSync(join(home, "theirs"), link);
    assert.match(install().stderr, /generator is another program and stays/);
    assert.equal(readlinkSync(link), join(home, "theirs"));
    place(join(home, "theirs"), launcherScript({ runtime: "", entry: "" }));
    assert.equal(install().status, 0);
    assert.equal(readlinkSync(link), join(tool, "generator"));
  });

  test("no Node.js, an old one, and a tool that does not run are distinguished", () => {
    const next = "install it from https://nodejs.org, then run this again";
    for (const old of ["v18.20.4", "v20.18.1"]) {
      fake("node", `echo ${old}`);
      const { status, stderr } = install();
      assert.equal(status, 1);
      const said = `ERROR | Node.js 20.19 or newer is needed, this is ${old}; ${next}\n`;
      assert.equal(stderr, said);
    }
    fake("node", "echo v22.1.0");
    assert.equal(install().status, 0);
    place(join(tool, "generator"), "#!/bin/sh\necho 'no such file' >&2\nexit 1\n");
    assert.match(install().stderr, /ERROR \| .*generator does not run: see above/);
    place(join(tool, "generator"), "#!/bin/sh\necho other\n");
    assert.match(install().stderr, /-h says no usage: fetch the tool anew/);
    rmSync(join(home, "bin/node"));
    const none = install();
    assert.equal(none.status, 1);
    assert.equal(
      none.stderr,
      `ERROR | Node.js is not found: Node.js 20.19 or newer is needed; ${next}\n`,
    );
  });

  test("in a folder of nodes it shows that their program runs", () => {
    rmSync(join(tool, "generator"));
    assert.match(install().stderr, /has neither the tool nor a node/);
    const said = "chain-node Version : 9.9.9";
    place(join(tool, "node_127.0.0.1_30300/chain-node"), `#!/bin/sh\necho '${said}'\n`);
    const { status, stdout } = install();
    assert.deepEqual([status, stdout], [0, `${said}\n`]);
  });
});

test("the script asks for the Node.js that package.json asks for", () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  assert.equal(engines.node, `>=${LEAST_NODE.major}.${LEAST_NODE.minor}`);
});
