/** The functions in which a piece of work spends its time: a CPU profile of this process. */
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** A function and the share of samples that it was at the top of the stack. */
export interface HotFunction {
  readonly name: string;
  readonly share: number;
}

const SAMPLING_MICROS = 200;
/** What the profiler calls time in which nothing of the work ran. */
const NOT_WORK = new Set(["(idle)", "(root)", "(program)"]);

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

const bundles = new Map<string, readonly string[]>();

/** The source file of a line of a bundle: the bundler names each in a comment above it. */
function sourceOf({ url, lineNumber }: CallFrame): string {
  if (!url.startsWith("file:")) return "";
  const path = fileURLToPath(url);
  const lines = bundles.get(path) ?? readFileSync(path, "utf8").split("\n");
  bundles.set(path, lines);
  for (let line = lineNumber; line >= 0; line--) {
    const named = /^\/\/ ([\w./@-]+\.(?:ts|js))$/.exec(lines[line] ?? "")?.[1];
    if (named !== undefined) return basename(named);
  }
  return basename(path);
}

function nameOf(frame: CallFrame): string {
  const { functionName } = frame;
  if (functionName.startsWith("wasm-")) return "WebAssembly";
  if (functionName.startsWith("(")) return functionName.slice(1, -1);
  const source = sourceOf(frame);
  const name = functionName === "" ? `line ${frame.lineNumber + 1}` : functionName;
  return source === "" ? name : `${name} (${source})`;
}

/** Runs work under the profiler; the functions by self time, the hottest first. */
export async function hottestOf(work: () => Promise<void>, most: number): Promise<HotFunction[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: SAMPLING_MICROS });
    await session.post("Profiler.start");
    // The answer comes on the profiler's own stack.
    await new Promise((resume) => setImmediate(resume));
    await work();
    const { profile } = await session.post("Profiler.stop");
    const counts = new Map<string, number>();
    let total = 0;
    for (const { callFrame, hitCount = 0 } of profile.nodes) {
      if (hitCount === 0 || NOT_WORK.has(callFrame.functionName)) continue;
      total += hitCount;
      const name = nameOf(callFrame);
      counts.set(name, (counts.get(name) ?? 0) + hitCount);
    }
    return [...counts]
      .sort(([, left], [, right]) => right - left)
      .slice(0, most)
      .map(([name, hits]) => ({ name, share: hits / total }));
  } finally {
    session.disconnect();
  }
}
