/** `chain-node doctor`: looks for what is wrong with nodes and says what to do. */
import { shellWord } from "../../../folder/node-scripts.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../../folder/folder-fault.ts";
import { CopyFault } from "../../../shared/p2p/copy-fault.ts";
import { colours, isColourful } from "../../log/terminal.ts";
import {
  checkConfig,
  checkDisk,
  checkFileTimes,
  checkIdentity,
  checkUsedCertificate,
  checkLists,
  checkToken,
} from "../../observe/doctor-folder.ts";
import { checkGroups, holdsCopy } from "../../observe/doctor-groups.ts";
import { checkLog, lastStartFault } from "../../observe/doctor-log.ts";
import { checkClocks, checkPeers, checkPorts, STOP_COPY } from "../../observe/doctor-network.ts";
import { findNodeFolders, type NodeFolder } from "../../observe/node-folders.ts";
import { type NodeProbe, probeNode } from "../../observe/node-probe.ts";
import { failure, note, ok, type Outcome, type Verdict, warning } from "../../observe/verdict.ts";

interface Diagnosis {
  readonly name: string;
  readonly folder: string;
  readonly verdicts: readonly Verdict[];
}

/** Whether the process runs, answers, and is ready; the checks of groups say what they lack. */
function checkProcess(
  { health, pid, silence, folder, user }: NodeProbe,
  startFault: string | undefined,
): readonly Verdict[] {
  const check = "process";
  if (health) {
    if (health.ready) return [ok(check, `${health.pid} runs and is ready`)];
    const own = health.reasons.filter((reason) => !/^(a group|group \d+)\b/.test(reason));
    const says = [`${health.pid} runs and is not ready`, ...own].join(": ");
    const next = "See the checks of groups below; while it starts, ask again in a moment.";
    return [failure(check, says, next)];
  }
  if (pid === undefined) {
    const why = !user || user.kind === "silent" ? "" : `: ${silence}`;
    const start = startOf(folder.path);
    if (startFault === undefined)
      return [warning(check, `it does not run${why}`, `Start it: ${start}`)];
    const said = `it does not run, its last start failed: ${startFault}`;
    return [failure(check, said, `Once that is mended, start it: ${start}`)];
  }
  const next = `Read the log of ${folder.name}; if it hangs, end process ${pid} and start anew.`;
  return [failure(check, `${pid} does not answer: ${silence}`, next)];
}

/** The script that init writes next to config.ini, where it is still there. */
function startOf(folder: string): string {
  const script = join(folder, "start.sh");
  return existsSync(script)
    ? `bash ${script}`
    : `chain-node start -c ${shellWord(join(folder, "config.ini"))}`;
}

type Identity = Awaited<ReturnType<typeof checkIdentity>>["identity"];

/** Peers and clocks: as the node sees them, or as a trial does while it does not run. */
async function checkOthers(probe: NodeProbe, identity: Identity): Promise<readonly Verdict[]> {
  const { health, config, pid } = probe;
  if (health) return [...checkPeers(health.endpoints, health.peers), ...checkClocks(health.peers)];
  // A second session with the same key would take the place of the node's own.
  const isInUse = pid !== undefined || probe.user?.kind === "copy";
  if (!config || !identity || isInUse || (await holdsCopy(probe.folder, config)))
    return [note("peers", "are not asked: a second session with this key would disturb the node")];
  try {
    // Loaded when it is needed: libp2p takes longer to load than the other checks to run.
    const { tryPeers } = await import("../../observe/peer-trial.ts");
    const { endpoints, peers } = await tryPeers(config, identity);
    return [...checkPeers(endpoints, peers), ...checkClocks(peers)];
  } catch (cause) {
    if (cause instanceof CopyFault) {
      const says = `another node with this node's key runs at ${cause.copy.endpoint}`;
      return [failure("peers", says, STOP_COPY)];
    }
    return [failure("peers", reasonOf(cause), "Correct the network of this host.")];
  }
}

/** Examines one node. */
export async function diagnose(folder: NodeFolder): Promise<Diagnosis> {
  const now = Date.now();
  const probe = await probeNode(folder);
  const { name, path } = folder;
  const { config } = probe;
  const startFault = config && !probe.health ? await lastStartFault(path, config) : undefined;
  const first = [...checkConfig(probe), ...checkProcess(probe, startFault)];
  if (!config) return { name, folder: path, verdicts: first };
  const { verdicts, identity } = await checkIdentity(path, config, now);
  const inUse = checkUsedCertificate(probe, identity, now);
  const ports = checkPorts(probe, config);
  const rest = await Promise.all([
    ports,
    ports.then(() => checkOthers(probe, identity)),
    checkLists(probe, config),
    checkToken(path, config),
    checkGroups(probe, config),
    checkDisk(path, config),
    checkFileTimes(path, config, now),
    checkLog(path, config, now, startFault !== undefined),
  ]);
  return { name, folder: path, verdicts: [...first, ...verdicts, ...inUse, ...rest.flat()] };
}

const WORDS: Readonly<Record<Outcome, string>> = {
  ok: "ok",
  note: "--",
  warning: "WARN",
  failure: "FAIL",
};
const OUTCOME_WIDTH = 4;

/** All verdicts, and how many of each. */
export function doctorScreen(found: readonly Diagnosis[], isTerminal: boolean): string {
  const { bold, dim, green, red, yellow } = colours(isTerminal);
  const paint = { ok: green, note: dim, warning: yellow, failure: red };
  const all = found.flatMap(({ verdicts }) => verdicts);
  const width = Math.max(0, ...all.map(({ check }) => check.length));
  const lines = found.flatMap(({ name, folder, verdicts }) => [
    `${bold(name)}  ${dim(folder)}`,
    ...verdicts.flatMap(({ check, outcome, says, next }) => {
      const word = paint[outcome](WORDS[outcome].padEnd(OUTCOME_WIDTH));
      const shown = says.replaceAll(/\s*\n\s*/g, "; ");
      const line = `  ${word}  ${check.padEnd(width)}  ${shown}`;
      const indent = " ".repeat(OUTCOME_WIDTH + width + 6);
      return next === undefined ? [line] : [line, `${indent}-> ${next}`];
    }),
    "",
  ]);
  const count = (outcome: Outcome) => all.filter((verdict) => verdict.outcome === outcome).length;
  const failures = count("failure");
  const sum = `${failures} failed, ${count("warning")} warnings, ${count("ok")} in order`;
  return `${[...lines, failures > 0 ? red(sum) : green(sum)].join("\n")}\n`;
}

/** Prints what was found; the exit code is 1 when a check failed. @throws FolderFault */
export async function runDoctor(
  folder: string,
  { json }: { readonly json: boolean },
): Promise<number> {
  const found = await Promise.all((await findNodeFolders(folder)).map(diagnose));
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : doctorScreen(found, isColourful()));
  const failed = found.some(({ verdicts }) => verdicts.some((one) => one.outcome === "failure"));
  return failed ? 1 : 0;
}
