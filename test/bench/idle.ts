/** What nodes take that have nothing to do: memory, and time of a processor. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { NodeProcess, ProcessChain } from "../support/process/node-processes.ts";
import { usageOf } from "./process-usage.ts";

/** Resident memory of one node, in MiB: all, its own pages, pages of mapped files. */
export interface IdleMemory {
  readonly name: string;
  readonly rssMiB: number;
  readonly ownMiB: number;
  readonly fileMiB: number;
  readonly threads: number;
}

const KIB = 1_024;

/** Reads the memory of a node. */
export function memoryOf({ folder, pid }: Pick<NodeProcess, "folder" | "pid">): IdleMemory {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const of = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? Number.NaN);
  return {
    name: basename(folder),
    rssMiB: of("VmRSS") / KIB,
    ownMiB: of("RssAnon") / KIB,
    fileMiB: (of("RssFile") + of("RssShmem")) / KIB,
    threads: of("Threads"),
  };
}

/** What one node took over a time without any request. */
export interface IdleNode extends IdleMemory {
  /** Of one core. */
  readonly cpuPercent: number;
}

/** A started node has compiled and settled by then. */
const SETTLED_MS = 15_000;
const SECOND_MS = 1_000;
const PERCENT = 100;

/** What each node of a started chain takes, after `waitMs` without any request. */
export async function measureIdle({ nodes }: ProcessChain, waitMs: number): Promise<IdleNode[]> {
  const sleep = (ms: number) => new Promise((resume) => setTimeout(resume, ms));
  const cpuOf = ({ pid }: NodeProcess) => usageOf([pid]).cpuSeconds;
  await sleep(SETTLED_MS);
  const before = nodes.map(cpuOf);
  await sleep(waitMs);
  return nodes.map((node, index) => {
    const seconds = cpuOf(node) - (before[index] ?? 0);
    return { ...memoryOf(node), cpuPercent: (PERCENT * seconds * SECOND_MS) / waitMs };
  });
}
