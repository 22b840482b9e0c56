/**
 * Replays the stories of a cluster and compares what was printed. REWRITE=1 writes what is printed
 * now.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { Script } from "./script.ts";

// rules: pbft 16.3.1, pbft 16.3.2, pbft 16.3.4, pbft 16.3.5, pbft 16.3.6, pbft 16.3.7, pbft 16.3.9, pbft 16.5

const FOLDER = join(import.meta.dirname, "pbft");
const SEPARATOR = "----";

/** Runs the commands of a story; gives the story with what they print now. */
function replay(story: string): string {
  const script = new Script();
  const parts = story.trimEnd().split(/\n{2,}/);
  return `${parts.map((part) => replayPart(script, part)).join("\n")}`;
}

/** A part is comment lines, a command, the separator and its output. */
function replayPart(script: Script, part: string): string {
  const [head = ""] = part.split(`\n${SEPARATOR}`);
  const commands = head.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  if (commands.length === 0) return `${head}\n`;
  const printed = commands.map((command) => script.run(command)).join("");
  return `${head}\n${SEPARATOR}\n${printed}`;
}

for (const name of readdirSync(FOLDER).sort()) {
  test(`the story of ${name.replace(".txt", "").replaceAll("-", " ")} goes as written`, () => {
    const path = join(FOLDER, name);
    const story = readFileSync(path, "utf8");
    const now = replay(story);
    if (process.env.REWRITE === "1") writeFileSync(path, now);
    else assert.equal(now, story);
  });
}
