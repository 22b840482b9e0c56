/** How much memory and processor the process of a node takes. Source: generator 10.3 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { totalmem } from "node:os";
import type { NodeFolder } from "../observe/node-folders.ts";
import type { Finding } from "./finding.ts";
import { takeSample } from "./samples.ts";

/** A process, at a moment. */
export interface ProcessLoad {
  readonly residentBytes: number;
  /** Seconds of processor time that it has had, all processors together. */
  readonly processorSeconds: number;
  /** How long it has been there. */
  readonly ageSeconds: number;
}

/** Of this host's memory, in percent. */
const MOST_MEMORY = 20;
/** Of one processor, in percent: six of them. */
const MOST_PROCESSOR = 600;
const PERCENT = 100;
const KIB = 1024;
/** Linux counts processor time in these, whatever the machine. */
const TICKS_PER_SECOND = 100;
const SECONDS_PER_MINUTE = 60;
/** Fields of /proc/<pid>/stat behind the name in brackets. */
const UTIME = 11;
const STIME = 12;
const START = 19;

async function loadByProc(pid: number): Promise<ProcessLoad | undefined> {
  const paths = [`/proc/${pid}/stat`, `/proc/${pid}/status`, "/proc/uptime"];
  const [stat, status = "", uptime] = await Promise.all(
    paths.map((path) => readFile(path, "utf8").catch(() => "")),
  );
  // Not in pages, whose size is the machine's.
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  const at = (index: number) => Number(fields[index]);
  if (fields.length <= START || resident === undefined || !uptime) return undefined;
  return {
    residentBytes: Number(resident) * KIB,
    processorSeconds: (at(UTIME) + at(STIME)) / TICKS_PER_SECOND,
    ageSeconds: Number.parseFloat(uptime) - at(START) / TICKS_PER_SECOND,
  };
}

/** `1-02:03:04.5` as ps writes times. */
function secondsOf(text: string): number {
  const [rest = "", days = "0"] = text.split("-").reverse();
  const parts = rest.split(":").map(Number);
  const seconds = parts.reduce((sum, part) => sum * SECONDS_PER_MINUTE + part, 0);
  return Number(days) * 24 * SECONDS_PER_MINUTE * SECONDS_PER_MINUTE + seconds;
}

/** Systems without /proc have ps; Windows has neither. */
function loadByPs(pid: number): Promise<ProcessLoad | undefined> {
  return new Promise((resolve) => {
    const args = ["-o", "rss=,time=,etime=", "-p", String(pid)];
    execFile("ps", args, (error, stdout) => {
      const [rss, time, age] = stdout.trim().split(/\s+/);
      if (error || !rss || !time || !age) return resolve(undefined);
      const [processorSeconds, ageSeconds] = [secondsOf(time), secondsOf(age)];
      resolve({ residentBytes: Number(rss) * KIB, processorSeconds, ageSeconds });
    });
  });
}

/** Undefined where the system does not show it. */
export async function loadOf(pid: number): Promise<ProcessLoad | undefined> {
  return (await loadByProc(pid)) ?? (await loadByPs(pid));
}

/** Percent of one processor since the last run, or since the process began. */
function processorPercent(load: ProcessLoad, last: string | undefined, mark: string): number {
  const [began, seconds, at] = last?.split(" ") ?? [];
  const isSame = began === mark.split(" ")[0] && Number(at) < load.ageSeconds;
  const used = isSame ? load.processorSeconds - Number(seconds) : load.processorSeconds;
  const span = isSame ? load.ageSeconds - Number(at) : load.ageSeconds;
  return span <= 0 ? 0 : (used / span) * PERCENT;
}

/** Compares a process with the bounds; its processor time is kept for the next run. */
export async function checkLoad(
  folder: NodeFolder,
  pid: number,
  load: ProcessLoad | undefined,
  memoryBytes = totalmem(),
): Promise<readonly Finding[]> {
  if (!load) return [];
  const mark = `${pid} ${load.processorSeconds} ${load.ageSeconds}`;
  const last = await takeSample(folder, "processor", mark);
  const memory = (load.residentBytes / memoryBytes) * PERCENT;
  const processor = processorPercent(load, last, mark);
  const node = folder.name;
  const found: Finding[] = [];
  if (memory > MOST_MEMORY) {
    const says = `${pid} has ${memory.toFixed(1)} % of the memory, above ${MOST_MEMORY} %`;
    found.push({ node, check: "memory", says });
  }
  if (processor > MOST_PROCESSOR) {
    const says = `${pid} takes ${processor.toFixed(0)} % of a processor, above ${MOST_PROCESSOR} %`;
    found.push({ node, check: "processor", says });
  }
  return found;
}
