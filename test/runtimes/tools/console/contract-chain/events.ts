/** Events of contracts as blocks bring them. */
// rules: channel-protocol 7.3
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import { endWithUs } from "../../../../support/runner/own-children.ts";
import { ROOT } from "../../../../support/runner/root.ts";
import type { People } from "./people.ts";

/** Lists the tests. */
export function eventTests({ world, done, refused }: Steps, { other }: People): void {
  test("events: those of past blocks, of one name and a count", async () => {
    await done(["call Story latest tell [one]", "call TableTest latest insert fig 7 x"]);
    const { code, stdout } = await world().run(
      ...["listenEvents", "Story", "latest", "Told", "--from", "1", "--count", "4"],
    );
    assert.equal(code, 0);
    const lines = stdout.split("\n");
    assert.match(
      lines[0] ?? "",
      /^block \d+ {2}0x\w{64} {2}Told: \{"words":\["a b","c"\],"who":"0x/,
    );
    assert.equal(lines[4], "4 events.");
    const only = ["listenEvents", "TableTest", "latest", "InsertResult"];
    const words = [...only, "--from", "1", "--count", "1", "--json"];
    const json = await world().run(...words);
    const [event, end] = json.stdout.split("\n").map((line) => line && JSON.parse(line));
    assert.equal(JSON.stringify(event).includes('"event":"InsertResult"'), true);
    assert.deepEqual([end.ok, end.data], [true, { count: 1 }]);
  });

  test("events: those of new blocks, while another console sends", async () => {
    let isOver = false;
    const heard = world()
      .run("listenEvents", "Story", "latest", "--count", "2")
      .finally(() => {
        isOver = true;
      });
    // When it has begun to listen is not known from here: so it is told until it has heard.
    for (let sent = 0; !isOver && sent < 50; sent++) {
      await done([`call Story latest tell [live${sent}]`], ...other.words);
    }
    const { code, stdout } = await heard;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Told: \{"words":\["live\d+"\],"who":"0x\w{40}"\}\n/);
    assert.match(stdout, /\n2 events\.\n/);
  });

  test("events: what there is not, and no channel", async () => {
    const told = await refused([
      "listenEvents HelloWorld latest",
      "listenEvents Story latest Tolt",
      "listenEvents NoSuchContract latest",
    ]);
    assert.match(told[0]?.[1] ?? "", /the contract has no events/);
    assert.match(told[1]?.[1] ?? "", /no event Tolt\. Did you mean Told\?/);
    assert.match(told[2]?.[1] ?? "", /NoSuchContract was not deployed/);
    const url = world().urls[0] ?? "";
    const over = await world().run("listenEvents", "Story", "latest", "--url", url);
    assert.notEqual(over.code, 0);
    assert.match(`${over.stdout}${over.stderr}`, /channel port/);
  });
}

/** Lists the test of how listening ends, by a process: of the contract that the others deployed. */
export function interruptTest({ world }: Steps): void {
  test("events: Ctrl+C ends it, and that is no failure", async () => {
    const program = join(ROOT, "dist/node/console.js");
    const words = [program, "listenEvents", "Story", "latest"];
    const child = spawn(process.execPath, words, { cwd: world().folder, stdio: "pipe" });
    endWithUs(child);
    let said = "";
    child.stdout.on("data", (bytes: Buffer) => {
      said += bytes.toString();
    });
    const code = await new Promise<number | null>((resolve) => {
      child.once("close", resolve);
      child.stderr.on("data", (bytes: Buffer) => {
        if (bytes.toString().includes("Ctrl+C ends it")) child.kill("SIGINT");
      });
    });
    assert.equal(code, 0);
    assert.match(said, /^\d+ events?\.$/m);
  });
}
