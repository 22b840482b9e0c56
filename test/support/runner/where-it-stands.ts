/** What a process does that says nothing: for one that was to be ready long ago. */
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program that is busy answers later than that, one whose main thread is stuck never. */
const REPORT_LIMIT_MS = 5_000;
const LOOK_MS = 50;

/** What Node reports of a process, as far as it is shown. */
interface Report {
  readonly javascriptStack?: { readonly stack?: readonly string[] };
  readonly libuv: readonly { readonly type: string; readonly is_active: boolean }[];
  readonly workers: readonly Report[];
}

/** A program that can be asked, and how it is started. */
export interface Reporting {
  /** Options of Node for it. */
  readonly options: readonly string[];
  /** What its threads and Node say; it goes on. */
  ask(child: ChildProcess, limitMs?: number): Promise<string>;
  close(): Promise<void>;
}

/** The threads as the system sees them; nothing where it does not show them. */
function threadsOf(pid: number | undefined): readonly string[] {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [];
  const read = (id: string, file: string) => {
    try {
      return readFileSync(join(tasks, id, file), "utf8").trim();
    } catch (cause) {
      return String(cause);
    }
  };
  return readdirSync(tasks).map((id) =>
    ["comm", "wchan", "syscall"].map((file) => read(id, file)).join(" | "),
  );
}

function linesOf({ javascriptStack, libuv, workers }: Report): readonly string[] {
  const handles = libuv.filter(({ is_active: active }) => active);
  return [
    ...(javascriptStack?.stack ?? []),
    `waits for ${handles.map(({ type }) => type).join(", ")}`,
    ...workers.flatMap((worker) => ["worker:", ...linesOf(worker)]),
  ];
}

async function reportIn(folder: string, limitMs: number): Promise<readonly string[]> {
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt) {
    const [name] = readdirSync(folder);
    try {
      if (name) return linesOf(JSON.parse(readFileSync(join(folder, name), "utf8")) as Report);
    } catch {
      // It is being written.
    }
    await new Promise((resume) => void setTimeout(resume, LOOK_MS));
  }
  return ["its main thread does not answer"];
}

/** Before a program is started that may have to be asked. */
export async function createReporting(): Promise<Reporting> {
  const folder = await mkdtemp(join(tmpdir(), "chain-report-"));
  return {
    options: [
      "--report-on-signal",
      "--report-signal=SIGUSR2",
      "--report-exclude-network",
      `--report-directory=${folder}`,
    ],
    async ask(child, limitMs = REPORT_LIMIT_MS) {
      const threads = threadsOf(child.pid);
      child.kill("SIGUSR2");
      return [...threads, ...(await reportIn(folder, limitMs))].join("\n");
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
