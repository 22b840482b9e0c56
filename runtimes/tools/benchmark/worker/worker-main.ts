/** An entry of the build: a worker that the manager started, as a process or as a thread. */
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { readWords } from "../command-words.ts";
import { Settings } from "../settings.ts";
import { distantLink } from "./distant-link.ts";
import { ownLink } from "./process-link.ts";
import { runWorker } from "./run-worker.ts";

const say = (line: string): void => void process.stderr.write(`benchmark worker: ${line}\n`);

try {
  const { flags } = readWords(process.argv.slice(2));
  const settings = await Settings.read({ flags, env: process.env, cwd: process.cwd() });
  const own = ownLink();
  const link = (await distantLink(settings, say)) ?? own;
  if (link === undefined) {
    throw new BenchmarkFault("usage", "this file is started by the manager of a benchmark");
  }
  // Nobody is left to work for, whatever connects this worker.
  process.once("disconnect", () => process.exit(1));
  await runWorker(settings, link, say);
  process.removeAllListeners("disconnect");
  if (process.connected) process.disconnect();
} catch (cause) {
  say(faultText(cause));
  process.exit(1);
}
