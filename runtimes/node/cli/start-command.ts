/** `chain-node start`: starts a node, prints what its operator needs, ends on a signal. */
import { openingText } from "../observe/opening.ts";
import { resolve } from "node:path";
import { formatVersion } from "../../../core/model/version.ts";
import type { LogLevel } from "../../../core/ports/log.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { outliveReaders, untilAsked } from "../process/ending.ts";
import { groupLines, reportGroups } from "../process/group-report.ts";
import { createLog } from "../log/log.ts";
import { type StartedNode, startNode } from "../process/start.ts";

/** Options of `chain-node start`. */
export interface StartCommand {
  readonly config: string;
  readonly logLevel: LogLevel | undefined;
  readonly json: boolean;
}

function logLine(file: string | undefined): string[] {
  return file === undefined ? [] : [`log      ${file}`];
}

/** What an operator sees first. */
export function startScreen(started: StartedNode): string {
  const { node, config, server, channel, network, identity, home } = started;
  const { agency, node: name } = identity.membership;
  const version = formatVersion(config.chain.supportedVersion);
  const national = config.chain.nationalCrypto ? ", SM2 and SM3" : "";
  const opening = openingText(config);
  return [
    `running  ${name} of ${agency}, ${node.api.nodeId.slice(0, 8)}`,
    `chain    ${config.chain.chainId}, version ${version}${national}`,
    `folder   ${home}`,
    `rpc      ${server.url}`,
    ...(config.rpc.page ? [`page     ${server.url}/  (open it in a browser)`] : []),
    ...(channel ? [`channel  ${endpointText(channel.server)}`] : []),
    `peers    ${network.addresses().join(" ")}`,
    ...(opening === undefined ? [] : [`open     ${opening}`]),
    ...logLine(started.logFile()),
    ...groupLines(reportGroups(node.api)),
    "",
  ].join("\n");
}

/** One line for machines. */
export function readyLine(started: StartedNode): string {
  const { node, config, server, channel, network, home } = started;
  const { running, failed } = reportGroups(node.api);
  const facts = {
    ready: true,
    rpc: server.url,
    ...(channel ? { channel: endpointText(channel.server) } : {}),
    peers: network.addresses(),
    chainId: config.chain.chainId,
    groups: running,
    failed: failed.map(({ groupId = null, cause }) => ({ group: groupId, cause })),
    nodeId: node.api.nodeId,
    folder: home,
  };
  return `${JSON.stringify(facts)}\n`;
}

/** Without log files, or with `enable_console_output`, the terminal gets all that they would. */
function terminalLevel({ enable, enable_console_output: asked, level }: NodeConfig["log"]) {
  return asked || !enable ? level : "warning";
}

/**
 * Runs a node until SIGINT or SIGTERM, or its terminal closes; resolves with the exit code.
 * @param onRunning called when the node runs, with what tells the bytes that its clients hold
 */
export async function runStart(
  options: StartCommand,
  onRunning: (heldBytes: () => number) => void,
): Promise<number> {
  const { end, fail } = untilAsked("server");
  outliveReaders();
  const path = resolve(options.config);
  const terminal = (settings: NodeConfig["log"]) =>
    createLog({
      level: options.logLevel ?? terminalLevel(settings),
      target: process.stderr,
      readable: !options.json,
    });
  const started = await startNode({ config: path, terminal, onFailure: fail });
  process.stdout.write(options.json ? readyLine(started) : startScreen(started));
  const { server, channel } = started;
  const ofSdks = () => channel?.service.counters().heldBytes ?? 0;
  onRunning(() => server.heldBytes() + ofSdks());
  const code = await end;
  await started.close();
  if (!options.json) process.stdout.write("\nstopped; ledgers are kept\n");
  return code;
}
