/** Memory of nodes that have nothing to do. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { NodeProcess, ProcessChain } from "../support/process/node-processes.ts";

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

/** The memory of each node of a started chain after a time without any request. */
export async function measureIdle({ nodes }: ProcessChain, waitMs: number): Promise<IdleMemory[]> {
  await new Promise((resume) => setTimeout(resume, waitMs));
  return nodes.map(memoryOf);
}
