/** The keys of `chain-node dev`: what they do, and that a pipe has none. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import {
  type HotKey,
  isBuildServer,
  keysHelp,
  keysLine,
  type KeyWatch,
  watchKeys,
} from "../../../../runtimes/node/dev/dev-keys.ts";
import {
  type Desktop,
  launcherOf,
  openBrowser,
} from "../../../../runtimes/node/dev/open-browser.ts";
import { freePorts } from "../../../support/process/dev-chain-process.ts";
import { ROOT } from "../../../support/runner/root.ts";

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-keys-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

/** A terminal that is typed at by the test. */
class Terminal extends EventEmitter {
  readonly modes: boolean[] = [];
  isRead = false;

  setRawMode(isRaw: boolean): void {
    this.modes.push(isRaw);
  }

  resume(): void {
    this.isRead = true;
  }

  pause(): void {
    this.isRead = false;
  }
}

function typing() {
  const input = new Terminal();
  const happened: string[] = [];
  const key = (name: string): HotKey => ({
    key: name,
    short: `short ${name}`,
    long: `long ${name}`,
    press: () => happened.push(name),
  });
  const watch: KeyWatch = {
    input,
    keys: [key("o"), key("e")],
    write: (text) => happened.push(text),
    interrupt: () => happened.push("interrupt"),
    suspend: () => happened.push("suspend"),
  };
  const end = watchKeys(watch);
  const press = (text: string) => input.emit("data", Buffer.from(text));
  return { input, happened, press, end, keys: watch.keys };
}

test("each key does what it says, in small and in capital letters", () => {
  const { happened, press } = typing();
  for (const text of ["o", "e", "O", "x", "\r"]) press(text);
  assert.deepEqual(happened, ["o", "e", "o", "\n"]);
});

test("a question mark lists all keys, and the first screen names them", () => {
  const { happened, press, keys } = typing();
  press("?");
  assert.deepEqual(happened, [`\n${keysHelp(keys)}`]);
  for (const word of ["long o", "long e", "Enter", "Ctrl-C"])
    assert.ok(keysHelp(keys).includes(word), word);
  assert.equal(keysLine(keys), "o short o, e short e, ? all keys, Ctrl-C stop");
});

test("arrow keys and pasted texts are no keys", () => {
  const { happened, press } = typing();
  press("\u001b[A");
  press("oe");
  assert.deepEqual(happened, []);
});

test("Ctrl-C gives the terminal back first, so that the next one is a signal", () => {
  const { input, happened, press } = typing();
  press("\u0003");
  assert.deepEqual([happened, input.modes, input.isRead], [["interrupt"], [true, false], false]);
  press("o");
  assert.deepEqual(happened, ["interrupt"]);
});

test("Ctrl-Z puts the program aside, and the end gives the terminal back once", () => {
  const { input, happened, press, end } = typing();
  press("\u001a");
  assert.deepEqual(happened, ["suspend"]);
  end();
  end();
  assert.deepEqual(input.modes, [true, false]);
});

test("the variable of build servers is read as they set it", () => {
  for (const CI of ["true", "1", "yes"]) assert.ok(isBuildServer({ CI }), CI);
  for (const CI of [undefined, "", "0", "false"]) assert.ok(!isBuildServer({ CI }), CI);
});

test("an address is opened by what the system has for it, and by nothing without a screen", () => {
  const of = (platform: NodeJS.Platform, env: Desktop["env"] = {}, isWsl = false) =>
    launcherOf({ platform, env, isWsl })?.[0];
  assert.equal(of("darwin"), "open");
  assert.equal(of("win32"), "rundll32");
  assert.equal(of("linux", {}, true), "rundll32.exe");
  assert.equal(of("linux", { DISPLAY: ":0" }), "xdg-open");
  assert.equal(of("linux", { WAYLAND_DISPLAY: "wayland-0" }), "xdg-open");
  assert.equal(of("linux", { DISPLAY: "" }), undefined);
});

test("without a screen the reason is reported in place of a browser", async () => {
  const desktop: Desktop = { platform: "linux", env: {}, isWsl: false };
  assert.equal(await openBrowser("http://127.0.0.1/", desktop), "there is no screen here");
});

// --- the built program at a terminal

const HAS_SCRIPT = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

async function until(holds: () => boolean, what: () => string): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!holds()) {
    assert.ok(Date.now() < deadline, what());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A program that opens addresses, for the path; it writes down what it was given. */
async function fakeOpener(): Promise<{ readonly path: string; opened(): string }> {
  const notes = join(home, "opened");
  await writeFile(notes, "");
  const program = join(home, "xdg-open");
  await writeFile(program, `#!/bin/sh\necho "$1" >> '${notes}'\n`);
  await chmod(program, 0o755);
  const path = `${home}${delimiter}${process.env["PATH"] ?? ""}`;
  return { path, opened: () => readFileSync(notes, "utf8") };
}

function atTerminal(command: string, env: NodeJS.ProcessEnv) {
  const options = { cwd: ROOT, env: { ...process.env, ...env } };
  // A shell that stays next to the program takes the signal of Ctrl-C too: dash then ends with 130.
  const args = ["-qec", `exec ${command}`, "/dev/null"];
  const child: ChildProcess = spawn("script", args, options);
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const press = (key: string) => void child.stdin?.write(key);
  return { said: () => said, press, ended, end: () => child.kill("SIGTERM") };
}

test.skipIf(!HAS_SCRIPT)("at a terminal the keys open the page and the explorer", async () => {
  const opener = await fakeOpener();
  const port = await freePorts(1);
  const main = join(ROOT, "dist", "node", "main.js");
  const command = `'${process.execPath}' '${main}' dev --nodes 1 --ephemeral --port ${port}`;
  const env = { CI: "", DISPLAY: ":99", PATH: opener.path, TERM: "dumb", BROWSER: "" };
  const { said, press, ended, end } = atTerminal(command, env);
  try {
    await until(() => /keys +o open the page, e explorer, \? all keys/.test(said()), said);
    const url = `http://127.0.0.1:${port}/`;
    press("o");
    await until(() => opener.opened().includes(`${url}\n`), said);
    press("e");
    await until(() => opener.opened().includes(`${url}#/explorer\n`), said);
    press("?");
    await until(() => said().includes("stop the chain in order"), said);
    press("\u0003");
    assert.equal(await ended, 0, said());
    assert.match(said(), /stopped; nothing is kept/);
  } finally {
    end();
  }
});
