/** Each code of interface 7.3, 7.4 and 7.5 in the answers of a running node, over HTTP. */
// rules: interface 7.3, interface 7.4, interface 7.5
import assert from "node:assert/strict";
import { test } from "vitest";
import type { CodeCase } from "./code-case.ts";
import { Door } from "./door.ts";
import { SECTIONS } from "./sections.ts";

async function runCase(section: string, { code, run }: CodeCase): Promise<void> {
  const seen = new Set<string>();
  const doors: Door[] = [];
  try {
    await run(async (options) => {
      const door = await Door.open(seen, options);
      doors.push(door);
      return door;
    });
  } finally {
    for (const door of doors) await door.close();
  }
  assert.ok(seen.has(`${section} ${code}`), `only these were seen: ${[...seen].join(", ")}`);
}

for (const { section, cases, show } of SECTIONS) {
  for (const it of cases) {
    test.concurrent(`${section} ${show(it.code)}: ${it.test}`, () => runCase(section, it));
  }
}
