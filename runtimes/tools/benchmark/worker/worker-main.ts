/** An entry of the build: a worker that the manager started, as a process or as a thread. */
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { readWords } from "../command-words.ts";
import { openLog } from "../log.ts";
import { Settings } from "../settings.ts";
import { distantLink } from "./distant-link.ts";
import { ownLink } from "./process-link.ts";
import { runWorker } from "./run-worker.ts";

const PREFIX = "benchmark worker: ";
const write = (text: string): void => void process.stderr.write(text);

async function main(): Promise<void> {
  const { flags } = readWords(process.argv.slice(2));
  const settings = await Settings.read({ flags, env: process.env, cwd: process.cwd() });
  const log = openLog(settings, { module: "worker", write, prefix: PREFIX });
  try {
    const own = ownLink();
    const link = (await distantLink(settings, (line) => log.say("info", line))) ?? own;
    if (link === undefined)
      throw new BenchmarkFault("usage", "this file is started by the manager of a benchmark");
    // Nobody is left to work for, whatever connects this worker.
    process.once("disconnect", () => process.exit(1));
    await runWorker(settings, link, log);
    process.removeAllListeners("disconnect");
    if (process.connected) process.disconnect();
  } finally {
    await log.close();
  }
}

try {
  await main();
} catch (cause) {
  write(`${PREFIX}${faultText(cause)}\n`);
  process.exit(1);
}
