/** An entry of the build: a worker that the manager started, as a process or as a thread. */
import { faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { readWords } from "../command-words.ts";
import { Settings } from "../settings.ts";
import { ownLink } from "./process-link.ts";
import { runWorker } from "./run-worker.ts";

try {
  const { flags } = readWords(process.argv.slice(2));
  const link = ownLink();
  if (link === undefined) throw new Error("this file is started by the benchmark's manager");
  const settings = await Settings.read({ flags, env: process.env, cwd: process.cwd() });
  await runWorker(settings, link);
} catch (cause) {
  process.stderr.write(`benchmark worker: ${faultText(cause)}\n`);
  process.exitCode = 1;
}
