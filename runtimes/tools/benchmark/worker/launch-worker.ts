/** `launch worker`: a worker that finds its manager by itself. Source: benchmark 1 */
import type { CommandWords } from "../command-words.ts";
import { EXIT } from "../exit-codes.ts";
import { openLog } from "../log.ts";
import type { RunIo } from "../run-io.ts";
import { Settings } from "../settings.ts";
import { standAloneLink } from "./distant-link.ts";
import { runWorker } from "./run-worker.ts";

/** Works until the manager ends it; gives the exit code. @throws BenchmarkFault */
export async function launchWorker(
  { flags }: CommandWords,
  _args: readonly string[],
  io: RunIo,
): Promise<number> {
  const settings = await Settings.read({ flags, env: io.env, cwd: io.cwd });
  const log = openLog(settings, { module: "worker", write: (text) => io.stderr(text) });
  const say = (line: string): void => log.say("info", line);
  try {
    const link = await standAloneLink(settings, say);
    say(`worker ${link.id} is there`);
    await runWorker(settings, link, log);
    return EXIT.done;
  } finally {
    await log.close();
  }
}
