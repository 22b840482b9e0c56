/** CPU seconds and resident memory of a process and its children, read from /proc. */
import { readFileSync, readdirSync } from "node:fs";

/** What a process used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssMiB: number;
  /** Bytes handed to write calls. */
  readonly writtenMiB: number;
}

/** Clock ticks per second of /proc/PID/stat; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "latin1")
        .split(" ")
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

function usageOfOne(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"));
  const wchar = /wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "latin1"));
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    rssMiB: Number(rss?.[1] ?? 0) / 1024,
    writtenMiB: Number(wchar?.[1] ?? 0) / 1_048_576,
  };
}

/** Sums processes and their living children. */
export function usageOf(pids: readonly number[]): Usage {
  const all = pids.flatMap((pid) => [pid, ...childrenOf(pid)]).map(usageOfOne);
  return {
    cpuSeconds: all.reduce((sum, one) => sum + one.cpuSeconds, 0),
    rssMiB: all.reduce((sum, one) => sum + one.rssMiB, 0),
    writtenMiB: all.reduce((sum, one) => sum + one.writtenMiB, 0),
  };
}
