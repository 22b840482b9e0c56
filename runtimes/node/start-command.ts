/** `chain-node start`: starts a node, prints what its operator needs, ends on a signal. */
import { dirname, resolve } from "node:path";
import { formatVersion } from "../../core/model/version.ts";
import type { StartCommand } from "./args.ts";
import { outliveReaders, untilAsked } from "./ending.ts";
import { createLog } from "./log.ts";
import { type StartedNode, startNode } from "./start.ts";

/** Digits of a node ID that tell nodes apart. */
const ID_DIGITS = 8;

/** What an operator sees first. */
function startScreen({ node, config, server, network, identity }: StartedNode, path: string) {
  const { agency, node: name } = identity.membership;
  const version = formatVersion(config.chain.supportedVersion);
  const groups = node.api.groupList().join(" ");
  return [
    `running  ${name} of ${agency}, ${node.api.nodeId.slice(0, ID_DIGITS)}`,
    `chain    ${config.chain.chainId}, version ${version}`,
    `folder   ${dirname(path)}`,
    `rpc      ${server.url}`,
    `peers    ${network.addresses().join(" ")}`,
    `groups   ${groups || "none runs; generateGroup and startGroup make and start one"}`,
    "",
  ].join("\n");
}

/** One line for machines. */
function readyLine({ node, config, server, network }: StartedNode, path: string): string {
  const facts = {
    ready: true,
    rpc: server.url,
    peers: network.addresses(),
    chainId: config.chain.chainId,
    groups: node.api.groupList(),
    nodeId: node.api.nodeId,
    folder: dirname(path),
  };
  return `${JSON.stringify(facts)}\n`;
}

/** Runs a node until SIGINT or SIGTERM, or its terminal closes; resolves with the exit code. */
export async function runStart(options: StartCommand): Promise<number> {
  const { end, fail } = untilAsked("server");
  outliveReaders();
  const path = resolve(options.config);
  const log = createLog({ level: options.logLevel, target: process.stderr });
  const started = await startNode({ config: path, log, onFailure: fail });
  process.stdout.write(options.json ? readyLine(started, path) : startScreen(started, path));
  const code = await end;
  await started.close();
  if (!options.json) process.stdout.write("\nstopped; ledgers are kept\n");
  return code;
}
