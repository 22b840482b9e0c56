/** What the resident memory of a process is made of, from its map. */
import { readFileSync } from "node:fs";

/** Pages of V8, of malloc in its heap and its arenas, of mapped tables of the ledger, others. */
export const MEMORY_KINDS = ["v8", "malloc", "arenas", "tables", "other"] as const;
/** Resident MiB of each kind. */
export type MemoryKinds = Readonly<Record<(typeof MEMORY_KINDS)[number], number>>;

const KIB = 1_024;
/** V8 takes its pages in pieces of this size; its large objects count as others. */
const V8_PAGE_BYTES = 256 * KIB;
const REGION = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \d+ *(.*)$/;
const RESIDENT = /^Rss: +(\d+) kB$/;
/** Arenas, stacks and compiled code lie in the upper part of the addresses. */
const UPPER = 0x7000_0000_0000;

function kindOf(from: number, to: number, path: string): keyof MemoryKinds {
  if (path === "[heap]") return "malloc";
  if (path.endsWith(".ldb")) return "tables";
  if (path !== "") return "other";
  if (from >= UPPER) return "arenas";
  return to - from <= V8_PAGE_BYTES ? "v8" : "other";
}

/** Sums the regions of `/proc/PID/smaps`. */
export function memoryKinds(smaps: string): MemoryKinds {
  const sums = { v8: 0, malloc: 0, arenas: 0, tables: 0, other: 0 };
  let kind: keyof MemoryKinds = "other";
  for (const line of smaps.split("\n")) {
    const region = REGION.exec(line);
    if (region) {
      const [, from = "", to = "", path = ""] = region;
      kind = kindOf(Number.parseInt(from, 16), Number.parseInt(to, 16), path);
    } else {
      sums[kind] += Number(RESIDENT.exec(line)?.[1] ?? 0) / KIB;
    }
  }
  return sums;
}

/** The kinds of a running process. */
export function memoryKindsOf(pid: number): MemoryKinds {
  return memoryKinds(readFileSync(`/proc/${pid}/smaps`, "latin1"));
}
