/** A session on a terminal: keys, completion, history, passwords. */
// rules: console 2
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import { endWithUs } from "../../../../support/runner/own-children.ts";
import { ROOT } from "../../../../support/runner/root.ts";
import { TAKES_ALL_CASES } from "../../../../support/runner/cases.ts";

/** Gives a program a terminal; part of util-linux. */
const HAS_SCRIPT = spawnSync("script", ["--version"]).status === 0;
const PROGRAM = join(ROOT, "dist/node/console.js");
const KEYS = {
  tab: "\t",
  enter: "\r",
  up: "\u001b[A",
  cut: "\u0003",
  end: "\u0004",
  back: "\u0012",
};

/** A console on a terminal. */
interface Terminal {
  /** Types, and waits until what is shown after it fits. */
  type(keys: string, shown: RegExp): Promise<string>;
  /** Types what ends it; all that was shown. */
  leave(keys: string): Promise<string>;
}

/** Starts it, and waits for the prompt. */
async function openTerminal(folder: string, home: string): Promise<Terminal> {
  const line = `stty cols 200 rows 50; exec ${process.execPath} ${PROGRAM} 1`;
  const { NO_COLOR: _, ...env } = process.env;
  const child = spawn("script", ["-qfec", line, "/dev/null"], {
    cwd: folder,
    env: { ...env, HOME: home, TERM: "xterm-256color" },
    stdio: "pipe",
  });
  endWithUs(child);
  let raw = "";
  let from = 0;
  let look = (): void => undefined;
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.stdout.on("data", (bytes: Buffer) => {
    raw += bytes.toString();
    look();
  });
  const untilShown = (shown: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      look = () => {
        const text = stripVTControlCharacters(raw.slice(from));
        if (!shown.test(text)) return;
        from = raw.length;
        resolve(text);
      };
      void ended.then(() => reject(new Error(`ended: ${raw}`)));
      look();
    });
  const begun = await untilShown(/\[group:1\]> $/);
  assert.match(begun, /Welcome to Chain-Node console/);
  return {
    type(keys, shown) {
      child.stdin.write(keys);
      return untilShown(shown);
    },
    async leave(keys) {
      child.stdin.write(keys);
      await ended;
      return raw;
    },
  };
}

/** Lists the tests. */
export function terminalTests({ world }: Steps): void {
  const withTerminal = test.skipIf(!HAS_SCRIPT);

  withTerminal(
    "a terminal completes, cancels, follows the group, and keeps its lines",
    async () => {
      const { folder } = world();
      const home = join(folder, "home");
      await mkdir(home, { recursive: true });
      const first = await openTerminal(folder, home);
      await first.type(`getPendingTxS${KEYS.tab}`, /getPendingTxSize $/);
      await first.type(KEYS.enter, /\n0\r\n\r\n\[group:1\]> $/);
      await first.type(`getsystemc${KEYS.tab}`, /getSystemConfigByKey $/);
      await first.type(`tx_g${KEYS.tab}`, /tx_gas_limit $/);
      await first.type(KEYS.enter, /3[12]0000000\r\n\r\n\[group:1\]> $/);
      await first.type("some words", /some words$/);
      await first.type(KEYS.cut, /\^C\r?\n\[group:1\]> $/);
      await first.type(`switch 2${KEYS.enter}`, /Switched to group 2\.\r\n\r\n\[group:2\]> $/);
      await first.type(`getPbftView${KEYS.enter}`, /"code":-40007[\s\S]*\[group:2\]> $/);
      await first.type(
        `newAccount p12 topsecret${KEYS.enter}`,
        /AccountType: ecdsa\r\n\r\n\[group:2\]> $/,
      );
      const shown = await first.leave(KEYS.end);
      assert.ok(shown.includes("\u001b[36m[group:1]> \u001b[0m"), "the prompt is coloured");
      const kept = await readFile(join(home, ".chain-node_history"), "utf8");
      assert.ok(kept.includes("switch 2") && kept.includes("getPbftView"));
      assert.ok(!kept.includes("topsecret"), kept);

      const second = await openTerminal(folder, home);
      await second.type(KEYS.up, /getPbftView$/);
      await second.type(KEYS.cut, /\[group:1\]> $/);
      await second.type(`${KEYS.back}PendingTx`, /getPendingTxSize/);
      await second.type(KEYS.enter, /\n0\r\n\r\n\[group:1\]> $/);
      await second.leave(`quit${KEYS.enter}`);
    },
  );

  // account/key-files.test.ts has the passwords of keys.
  if (!TAKES_ALL_CASES) return;
  withTerminal("a terminal asks for passwords without showing them", async () => {
    const { folder } = world();
    const terminal = await openTerminal(folder, join(folder, "home"));
    await terminal.type(`newAccount p12${KEYS.enter}`, /New password: $/);
    await terminal.type(`wort${KEYS.enter}`, /The same again: $/);
    const made = await terminal.type(
      `wort${KEYS.enter}`,
      /AccountType: ecdsa[\s\S]*\[group:1\]> $/,
    );
    const [address = ""] = /0x[0-9a-f]{40}(?=\r\n)/.exec(made) ?? [];
    await terminal.type(`loadAccount ${address} p12${KEYS.enter}`, /Password of .*: $/);
    await terminal.type(`falsch${KEYS.enter}`, /wrong password[\s\S]*\[group:1\]> $/);
    await terminal.type(`loadAccount ${address} p12${KEYS.enter}`, /Password of .*: $/);
    await terminal.type(KEYS.cut, /cancelled[\s\S]*\[group:1\]> $/);
    await terminal.type(`loadAccount ${address} p12${KEYS.enter}`, /Password of .*: $/);
    await terminal.type(`wort${KEYS.enter}`, /success![\s\S]*\[group:1\]> $/);
    await terminal.type(`getCurrentAccount${KEYS.enter}`, new RegExp(`${address}\\r\\n\\r\\n`));
    const shown = await terminal.leave(`exit${KEYS.enter}`);
    assert.ok(!shown.includes("wort\r") && !shown.includes("falsch"), shown);
  });
}
