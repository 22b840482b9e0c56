/** The processes of this machine with what they used so far: from /proc, or from `ps`. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";

/** What a process is called. */
export interface ProcessName {
  readonly pid: number;
  /** Names that a pattern may hit: the kernel's, the program's path and its last part. */
  readonly names: readonly string[];
  /** The rest of its command line, joined by spaces. */
  readonly arguments: string;
}

/** What a process used up to now. */
export interface ProcessUse {
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** Where processes are looked up. */
export interface ProcessSource {
  /** @throws Error when this machine does not tell */
  list(): Promise<readonly ProcessName[]>;
  /** Undefined for one that has ended. */
  use(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessUse>>;
}

const run = promisify(execFile);

/** Clock ticks of /proc/PID/stat are a hundredth of a second on every Linux that Node runs on. */
const TICK_MS = 10;
/** Fields of /proc/PID/stat behind the name, from 0: utime, stime, and resident pages. */
const UTIME = 11;
const STIME = 12;

function nameOf(pid: number, kernelName: string, words: readonly string[]): ProcessName {
  const [program = "", ...rest] = words;
  const names = [kernelName.trim(), program, basename(program)];
  return { pid, names: [...new Set(names)].filter(Boolean), arguments: rest.join(" ") };
}

/** @param root another folder than /proc, for tests */
export function procSource(root = "/proc"): ProcessSource {
  const read = (pid: number, file: string) =>
    readFile(`${root}/${pid}/${file}`, "utf8").catch(() => undefined);
  const name = async (pid: number): Promise<ProcessName[]> => {
    const [kernelName, line] = await Promise.all([read(pid, "comm"), read(pid, "cmdline")]);
    if (kernelName === undefined) return [];
    return [nameOf(pid, kernelName, (line ?? "").split("\0").filter(Boolean))];
  };
  const use = async (pid: number): Promise<[number, ProcessUse][]> => {
    const [stat, status] = await Promise.all([read(pid, "stat"), read(pid, "status")]);
    if (stat === undefined) return [];
    // The name stands in brackets and may have brackets and spaces of its own.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const kib = /^VmRSS:\s+(\d+)/m.exec(status ?? "")?.[1];
    const ticks = Number(fields[UTIME]) + Number(fields[STIME]);
    return [[pid, { cpuMs: ticks * TICK_MS, memoryBytes: Number(kib ?? 0) * 1024 }]];
  };
  return {
    list: async () => {
      const pids = (await readdir(root)).filter((entry) => /^\d+$/.test(entry)).map(Number);
      return (await Promise.all(pids.map(name))).flat();
    },
    use: async (pids) => new Map((await Promise.all(pids.map(use))).flat()),
  };
}

/** `[days-]hours:minutes:seconds.hundredths` as `ps` writes CPU time. */
function cpuMsOf(text: string): number {
  const [clock = "", days = "0"] = text.split("-").reverse();
  const seconds = clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}

const PS_LINE = /^\s*(\d+)\s+(\S+)\s+(\d+)\s+(.*)$/;

/** A line of `ps -o pid=,time=,rss=,args=`; undefined for any other text. */
export function readPsLine(line: string): (ProcessName & ProcessUse) | undefined {
  const [, pid, time = "", kib, args = ""] = PS_LINE.exec(line) ?? [];
  if (pid === undefined) return undefined;
  const name = nameOf(Number(pid), "", args.split(" ").filter(Boolean));
  return { ...name, cpuMs: cpuMsOf(time), memoryBytes: Number(kib) * 1024 };
}

/** For systems without /proc (macOS, BSD). */
function psSource(): ProcessSource {
  const ask = async () => {
    const options = { maxBuffer: 16 * 1_048_576 };
    const { stdout } = await run("ps", ["-A", "-o", "pid=,time=,rss=,args="], options);
    return stdout.split("\n").flatMap((line) => readPsLine(line) ?? []);
  };
  return {
    list: ask,
    use: async (pids) => {
      const wanted = new Set(pids);
      const found = (await ask()).filter(({ pid }) => wanted.has(pid));
      return new Map(found.map((one) => [one.pid, one]));
    },
  };
}

/** The source of this machine; undefined where there is none (Windows). */
export function machineProcesses(platform = process.platform): ProcessSource | undefined {
  if (platform === "linux") return procSource();
  return platform === "win32" ? undefined : psSource();
}
