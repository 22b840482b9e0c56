/** Runs a case on a platform. */
import assert from "node:assert/strict";
import type { CodeCase } from "./code-case.ts";
import { Entry, type EntryPlace } from "./entry.ts";

/** Rejects when no answer has shown the code of the case. */
export async function runCase(
  place: EntryPlace,
  section: string,
  { code, run }: CodeCase,
): Promise<void> {
  const seen = new Set<string>();
  const entries: Entry[] = [];
  try {
    await run(async (options) => {
      const entry = await Entry.open(place, seen, options);
      entries.push(entry);
      return entry;
    });
  } finally {
    for (const entry of entries) await entry.close();
  }
  assert.ok(seen.has(`${section} ${code}`), `only these were seen: ${[...seen].join(", ")}`);
}
