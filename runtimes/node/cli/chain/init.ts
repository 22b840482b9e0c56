/** `chain-node init`: writes the folders of a new chain and shows what is in them. */
import { join, resolve } from "node:path";
import { sdkFolder } from "../../../folder/authority.ts";
import {
  createChainFolder,
  type OtherContents,
  otherContents,
  type WrittenNode,
} from "../../../folder/chain-folder.ts";
import {
  type ChainPlan,
  DEFAULT_JSON_RPC_IP,
  type NodePorts,
  type PlannedGroup,
  planChain,
} from "../../../folder/chain-layout.ts";
import { colours, columns, isColourful } from "../../log/terminal.ts";
import { createNodeEntropy } from "../../machine/entropy.ts";
import { programPlace } from "../../machine/program-place.ts";
import { portWarnings } from "./init-ports.ts";

interface InitOptions {
  readonly nodes: number;
  readonly agencies: readonly string[];
  readonly groups: readonly PlannedGroup[];
  readonly sm: boolean;
  readonly host: string;
  readonly basePorts: NodePorts;
  readonly days: number;
  readonly json: boolean;
}

/** A chain that was written. */
export interface WrittenChain {
  /** Absolute. */
  readonly folder: string;
  readonly plan: ChainPlan;
  readonly nodes: readonly WrittenNode[];
  /** What its operator should know; each a sentence without its full stop. */
  readonly warnings: readonly string[];
}

/** What `chain-node init` has written, for machines. */
export function initJson({ folder, plan, nodes, warnings }: WrittenChain): string {
  const list = nodes.map(({ name, agency, nodeId, endpoint, ports }) => {
    return { name, folder: join(folder, name), agency, nodeId, endpoint, ports };
  });
  const { agencies, groups } = plan;
  const sm = plan.suite === "national";
  const certificates = join(folder, "cert");
  const written = { folder, certificates, agencies, groups, sm, nodes: list, warnings };
  return `${JSON.stringify(written)}\n`;
}

/** Something to ask the first node. */
function firstRequest({ ports }: WrittenNode): string {
  const body = '{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[1]}';
  return `curl -s -d '${body}' http://${DEFAULT_JSON_RPC_IP}:${ports.rpc}`;
}

/** The table of nodes and the next steps. */
export function initScreen({ folder, plan, nodes }: WrittenChain, isTerminal: boolean): string {
  const { bold, dim, green } = colours(isTerminal);
  const hasWebSocket = nodes.some(({ ports }) => ports.ws !== undefined);
  const [head = "", ...rows] = columns([
    ["node", "agency", "rpc", "channel", "p2p", ...(hasWebSocket ? ["ws"] : []), "id"],
    ...nodes.map(({ name, agency, ports, endpoint, nodeId }) => [
      name,
      agency,
      `127.0.0.1:${ports.rpc}`,
      `${ports.channel}`,
      endpoint,
      ...(hasWebSocket ? [`${ports.ws ?? ""}`] : []),
      `${nodeId.slice(0, 8)}...`,
    ]),
  ]);
  const groups = plan.groups.map(({ id, consensus }) => `${id} (${consensus})`).join(", ");
  const sdks = plan.agencies.map((agency) => join(folder, agency, sdkFolder(plan.suite)));
  const [first] = nodes;
  return [
    `${green(bold("chain-node"))} wrote a chain to ${folder}`,
    "",
    bold(head),
    ...rows,
    "",
    `groups  ${groups}`,
    ...(plan.suite === "national" ? ["suite   SM2 and SM3"] : []),
    `keys    ${join(folder, "cert")} ${dim("issues certificates: keep it off the nodes' hosts")}`,
    `SDKs    ${sdks.join(", ")}`,
    "",
    "next",
    `  bash ${join(folder, "start_all.sh")}`,
    ...(first ? [`  ${firstRequest(first)}`] : []),
    `  bash ${join(folder, "stop_all.sh")}`,
    "",
  ].join("\n");
}

/** A sentence about a folder that was not empty. */
function besideOthers(folder: string, { count, some }: OtherContents): string[] {
  if (count === 0) return [];
  const more = count > some.length ? ` and ${count - some.length} more` : "";
  return [
    `${folder} is not empty: the chain lies next to ${some.join(", ")}${more}; ` +
      "a folder of its own is easier to copy and to remove",
  ];
}

/**
 * Writes the chain and prints it.
 * @throws FolderFault argument for choices that do not fit together; else what the folder is about
 */
export async function runInit(folder: string, options: InitOptions): Promise<void> {
  const plan = planChain(options);
  const home = resolve(folder);
  const others = await otherContents(home);
  const nodes = await createChainFolder(home, plan, {
    entropy: createNodeEntropy(),
    now: Date.now(),
    days: options.days,
    program: programPlace(),
  });
  const warnings = [...besideOthers(home, others), ...(await portWarnings(home, plan))];
  for (const text of warnings) process.stderr.write(`warning: ${text}\n`);
  const written = { folder: home, plan, nodes, warnings };
  process.stdout.write(options.json ? initJson(written) : initScreen(written, isColourful()));
}
