/**
 * `chain-node monitor`: finds what a person should learn of, run after run. Source: generator 10.3
 */
import { appendFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import type { NodeConfig } from "../../../formats/config/node-config.ts";
import { urlOf } from "../../machine/listen-url.ts";
import { findNodeFolders, type NodeFolder } from "../../observe/node-folders.ts";
import { type NodeProbe, probeNode } from "../../observe/node-probe.ts";
import { columns } from "../../log/terminal.ts";
import { sendAlert } from "../../monitor/alert.ts";
import { type Finding, findingText } from "../../monitor/finding.ts";
import { watchGroups } from "../../monitor/group-watch.ts";
import { linesSince } from "../../monitor/log-lines.ts";
import { countLog, findTroubles, type GroupCounts } from "../../monitor/log-watch.ts";
import { loadByMetrics, readMetrics } from "../../monitor/metrics-port.ts";
import { checkLoad, loadOf } from "../../monitor/process-load.ts";
import { ask } from "../../client/json-rpc.ts";

interface MonitorOptions {
  readonly nodes: string;
  readonly mode: "monitor" | "statistics";
  readonly server: string | undefined;
  readonly receiver: string | undefined;
  readonly file: string | undefined;
  readonly groups: readonly number[] | undefined;
  readonly minutes: number;
  readonly connections: number;
  readonly restart: boolean;
  readonly json: boolean;
}

const MINUTE_MS = 60_000;

/** Starts a node that does not run; gives the finding that says how that went. */
function restart({ name, path }: NodeFolder): Finding {
  const script = join(path, "start.sh");
  if (!existsSync(script))
    return { node: name, check: "process", says: `it cannot be restarted: ${script} is not there` };
  const { status, stdout } = spawnSync("bash", [script], { cwd: path, encoding: "utf8" });
  const last = stdout.trim().split("\n").at(-1) ?? "";
  const how = status === 0 ? "it was restarted" : `it could not be restarted: ${last}`;
  return { node: name, check: "process", says: how };
}

function stopped({ folder, silence }: NodeProbe): Finding {
  return { node: folder.name, check: "process", says: `it does not run: ${silence}` };
}

/** By the metrics port where the node has one, else by the system. */
async function watchLoad(
  folder: NodeFolder,
  pid: number,
  { metrics }: NodeConfig,
  now: number,
): Promise<readonly Finding[]> {
  if (!metrics) return await checkLoad(folder, pid, await loadOf(pid));
  try {
    return await checkLoad(folder, pid, loadByMetrics(await readMetrics(urlOf(metrics)), now));
  } catch (cause) {
    if (cause instanceof FolderFault) throw cause;
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const says = `${urlOf(metrics)} gives no figures: ${reasonOf(reason)}`;
    const others = await checkLoad(folder, pid, await loadOf(pid));
    return [{ node: folder.name, check: "metrics", says }, ...others];
  }
}

async function watchNode(
  folder: NodeFolder,
  options: MonitorOptions,
  now: number,
): Promise<readonly Finding[]> {
  const probe = await probeNode(folder);
  const { config, problems, rpcUrl } = probe;
  const node = folder.name;
  if (!config) return problems.map((says): Finding => ({ node, check: "process", says }));
  const pid = probe.pid ?? probe.health?.pid;
  if (pid === undefined)
    return options.restart ? [stopped(probe), restart(folder)] : [stopped(probe)];
  const found = await Promise.all([
    watchLoad(folder, pid, config, now),
    rpcUrl === undefined ? [] : watchGroups(folder, rpcUrl, ask, options),
    findTroubles(folder, linesSince(folder, config, now - MINUTE_MS)),
  ]);
  return found.flat();
}

async function countNode(
  folder: NodeFolder,
  { minutes, groups }: MonitorOptions,
  now: number,
): Promise<readonly GroupCounts[]> {
  const { config, problems } = await probeNode(folder);
  if (!config) throw new FolderFault("unusable", `${folder.config}: ${problems.join("; ")}`);
  const since = now - minutes * MINUTE_MS;
  return await countLog(folder, linesSince(folder, config, since), groups);
}

const HEAD = "node,group,sealed,written,view changes,warnings,errors,by sealer".split(",");

/** A table of counts. */
export function countsScreen(counts: readonly GroupCounts[], minutes: number): string {
  const rows = counts.map((each) => {
    const { node, group, sealed, written, viewChanges, warnings, errors, bySealer } = each;
    const numbers = [group, sealed, written, viewChanges, warnings, errors].map(String);
    const shares = Object.entries(bySealer).map(([index, blocks]) => `${index}:${blocks}`);
    return [node, ...numbers, shares.join(" ") || "-"];
  });
  const title = `log of the last ${minutes} minutes`;
  if (rows.length === 0) return `${title}: no line of a group\n`;
  return `${[title, ...columns([HEAD, ...rows], (cell) => cell)].join("\n")}\n`;
}

/** Writes to standard output and, where that is wanted, to a file. */
async function print(text: string, file: string | undefined, now: number): Promise<void> {
  process.stdout.write(text);
  if (file === undefined) return;
  try {
    await appendFile(file, `${new Date(now).toISOString()} ${text}`);
  } catch (cause) {
    const message = `${file} cannot be written: ${reasonOf(cause)}.`;
    throw new FolderFault("unusable", message, { cause });
  }
}

/**
 * Examines the nodes of a folder once. The exit code is 0 when nothing was found, and when counts
 * were wanted.
 * @throws FolderFault
 */
export async function runMonitor(options: MonitorOptions): Promise<number> {
  const now = Date.now();
  const folders = await findNodeFolders(options.nodes);
  const { mode, json, file, minutes, server, receiver } = options;
  if (mode === "statistics") {
    const all = await Promise.all(folders.map((folder) => countNode(folder, options, now)));
    const counts = all.flat();
    await print(json ? `${JSON.stringify(counts)}\n` : countsScreen(counts, minutes), file, now);
    return 0;
  }
  const all = await Promise.all(
    folders.map((folder) =>
      // What is wrong with one is no reason to be silent about the others.
      watchNode(folder, options, now).catch((cause: unknown): readonly Finding[] => {
        const says = `it cannot be examined: ${reasonOf(cause).replace(/\.$/, "")}`;
        return [{ node: folder.name, check: "process", says }];
      }),
    ),
  );
  const findings = all.flat();
  const lines = findings.map((each) => `${findingText(each)}\n`);
  const none = `nothing found at ${folders.map(({ name }) => name).join(", ")}\n`;
  await print(json ? `${JSON.stringify(findings)}\n` : lines.join("") || none, file, now);
  if (findings.length === 0) return 0;
  const failure =
    server === undefined ? undefined : await sendAlert({ url: server, receiver }, findings);
  if (failure !== undefined) process.stderr.write(`the alert was not delivered: ${failure}\n`);
  return 1;
}
