/** Runs a case on a platform. */
import assert from "node:assert/strict";
import type { CodeCase } from "./code-case.ts";
import { Door, type DoorPlace } from "./door.ts";

/** Rejects when no answer has shown the code of the case. */
export async function runCase(
  place: DoorPlace,
  section: string,
  { code, run }: CodeCase,
): Promise<void> {
  const seen = new Set<string>();
  const doors: Door[] = [];
  try {
    await run(async (options) => {
      const door = await Door.open(place, seen, options);
      doors.push(door);
      return door;
    });
  } finally {
    for (const door of doors) await door.close();
  }
  assert.ok(seen.has(`${section} ${code}`), `only these were seen: ${[...seen].join(", ")}`);
}
