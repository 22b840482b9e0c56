/** Every resident page is of one kind. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { memoryKinds, memoryKindsOf } from "./memory-kinds.ts";

const SMAPS = `13a1b6c0000-13a1b700000 rw-p 00000000 00:00 0 
Rss:                 256 kB
01c3d000-04a5e000 rw-p 00000000 00:00 0                                  [heap]
Rss:               46080 kB
7f2b1c000000-7f2b1d2f4000 rw-p 00000000 00:00 0 
Rss:               19456 kB
7f2b2c000000-7f2b2c100000 r--s 00000000 fe:00 786                        /data/block/000042.ldb
Rss:                1024 kB
00400000-00bdd000 r--p 00000000 fe:00 123                                /usr/bin/node
Rss:                2048 kB
`;

test("regions of a map are distinguished by what they hold", () => {
  const kinds = { v8: 0.25, malloc: 45, arenas: 19, tables: 1, other: 2 };
  assert.deepEqual(memoryKinds(SMAPS), kinds);
});

test("the kinds of a process are its resident memory", () => {
  const { rss } = process.memoryUsage;
  let before = rss();
  let kinds = memoryKindsOf(process.pid);
  // Other files run in this process: until it stood nearly still meanwhile.
  for (let left = 100; left > 0 && Math.abs(rss() - before) > before / 20; left--) {
    before = rss();
    kinds = memoryKindsOf(process.pid);
  }
  const { v8, malloc, arenas, tables, other } = kinds;
  const sum = v8 + malloc + arenas + tables + other;
  const resident = before / 1_048_576;
  assert.ok(v8 > 1 && malloc > 1, "a runner has a heap of either kind");
  assert.ok(Math.abs(sum - resident) < resident / 4, `${sum} of ${resident}`);
});
