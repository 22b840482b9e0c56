/** What docs/theatre.md writes can be played, and both languages write the same. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { parseScenario } from "../../../runtimes/shared/theatre/scenario-text.ts";
import { KEYS } from "../../../web/theatre/keys.ts";
import { ROOT } from "../../support/runner/root.ts";

const PAGES = ["docs/theatre.md", "docs/theatre.zh.md"] as const;

/** First columns of the tables: keys, settings, actions. */
function tablesOf(page: string): readonly (readonly string[])[] {
  const tables = readFileSync(join(ROOT, page), "utf8").match(/(^\|.*\|\n)+/gm) ?? [];
  return tables.map((table) =>
    table
      .trim()
      .split("\n")
      .slice(2)
      .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)])
      .map(([, word = ""]) => word),
  );
}

for (const page of PAGES) {
  test(`each setting, action and example of ${page} can be played`, () => {
    const [, settings = [], actions = []] = tablesOf(page);
    assert.ok(settings.length >= 9 && actions.length >= 20);
    const [, example = ""] =
      /^#\/theatre\?play=(\S+)$/m.exec(readFileSync(join(ROOT, page), "utf8")) ?? [];
    const texts = [
      example,
      ...settings.map((setting) => `1.raft.${setting}`),
      ...actions.map((action) => `1.pbft.nodes-5.t100-${action}`),
    ];
    for (const text of texts) assert.ok(parseScenario(text).ok, text);
  });

  test(`the keys of ${page} are those of the stage`, () => {
    const [written = []] = tablesOf(page);
    const names: Readonly<Record<string, string>> = {
      " ": "Space",
      ArrowRight: "→",
      ArrowLeft: "←",
    };
    const known = KEYS.flatMap(({ keys }) => keys.map((key) => names[key] ?? key));
    for (const key of written) assert.ok(key === "?" || known.includes(key), key);
    for (const { keys } of KEYS)
      assert.ok(
        keys.some((key) => written.includes(names[key] ?? key)) || keys.includes("m"),
        keys.join(),
      );
  });
}

test("both languages list the same", () => {
  const [english, chinese] = PAGES.map(tablesOf);
  assert.deepEqual(chinese, english);
});
