/** The folder that people work in: samples, templates and scripts. Source: generator 1 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { launcherScript, type ProgramPlace, shellWord } from "../../folder/node-scripts.ts";
import { launcherCmd } from "../../folder/windows-scripts.ts";
import type { FileToWrite } from "../../folder/whole-files.ts";
import type { PlacedFile } from "../../folder/whole-tree.ts";
import { type Action, pathOf, placed } from "./context.ts";
import { refusePresent } from "./actions/certificates.ts";
import { allUsualTemplates } from "./tool-templates.ts";
import { toolScripts } from "./tool-scripts.ts";
import { TOOL_VARIABLE } from "./tool-run.ts";

/** The program lies in the folder, or in its exchange area. */
const PLACES = ["", "/meta", "/.."];

interface SampleNode {
  readonly p2p: number;
  readonly channel: number;
  readonly rpc: number;
}

/** Node i of the samples; the first ports are those of the reference. Source: generator 3 */
function sampleNode(index: number): SampleNode {
  return { p2p: 30_300 + index, channel: 20_200 + index, rpc: 8545 + index };
}

function deploymentSample(nodes: readonly SampleNode[]): string {
  const sections = nodes.map(({ p2p, channel, rpc }, index) =>
    [
      "",
      `[node${index}]`,
      ...(index === 0 ? ["; where peers reach the node: use the address that you log in at"] : []),
      "p2p_ip=127.0.0.1",
      ...(index === 0 ? ["; where it listens for JSON-RPC; 127.0.0.1 is this host alone"] : []),
      "rpc_ip=127.0.0.1",
      ...(index === 0 ? ["; where it listens for SDKs and consoles"] : []),
      "channel_ip=0.0.0.0",
      `p2p_listen_port=${p2p}`,
      `channel_listen_port=${channel}`,
      `jsonrpc_listen_port=${rpc}`,
    ].join("\n"),
  );
  return `; The nodes of an agency: [node0], [node1] and so on.
[group]
group_id=1
${sections.join("\n")}
`;
}

const GENESIS_SAMPLE = `; The members of a new group, for generator --create_group_genesis.
[group]
group_id=2

; ip:p2p_port of each; its certificate has to be in meta as cert_<ip>_<p2p_port>.crt
[nodes]
node0=127.0.0.1:30300
node1=127.0.0.1:30301
node2=127.0.0.1:30302
node3=127.0.0.1:30303
`;

const META_TEXT = `Exchange area of the tool: chain-node (the node program), ca.crt, agency.crt,
agency.key, cert_<ip>_<p2p_port>.crt of all nodes, node_<ip>_<p2p_port>/ and sdk/ of the own agency,
group.<id>.genesis. After use, remove cert_* and group*.
`;

/** generator: this folder is the tool folder wherever it is called from. */
function generatorScript(program: ProgramPlace): string {
  return launcherScript(program, { command: "generator", places: PLACES, tells: TOOL_VARIABLE });
}

const ONE_CLICK_SCRIPT = `#!/usr/bin/env bash
# Builds or expands a chain from a folder with a folder for each agency:
#   bash one_click_generator.sh -b WORK_DIR    build a chain
#   bash one_click_generator.sh -e WORK_DIR    expand one
#   bash one_click_generator.sh -clean         remove what is in meta
#   bash one_click_generator.sh help
home=$(CDPATH= cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd) || exit 1
exec sh "$home/generator" one-click "$@"
`;

const LINE_END = "\r\n";

function generatorCmd(): string {
  const tells = ["@echo off", "setlocal", `set "${TOOL_VARIABLE}=%~dp0."`];
  return launcherCmd("generator", PLACES).replace("@echo off", tells.join(LINE_END));
}

const ONE_CLICK_CMD = ["@echo off", 'call "%~dp0generator.cmd" one-click %*', ""].join(LINE_END);

/** What every tool folder has; relative to it. */
export function toolFolderFiles(program: ProgramPlace): FileToWrite[] {
  const [agencyNode, ...others] = [0, 1, 2, 3].map(sampleNode);
  const own = [agencyNode ?? sampleNode(0), ...others.slice(0, 1)];
  return [
    { path: "generator", text: generatorScript(program), use: "script" },
    { path: "generator.cmd", text: generatorCmd(), use: "text" },
    { path: "one_click_generator.sh", text: ONE_CLICK_SCRIPT, use: "script" },
    { path: "one_click_generator.cmd", text: ONE_CLICK_CMD, use: "text" },
    { path: "conf/node_deployment.ini", text: deploymentSample(own), use: "text" },
    { path: "conf/group_genesis.ini", text: GENESIS_SAMPLE, use: "text" },
    { path: "meta/README.txt", text: META_TEXT, use: "text" },
    ...Object.entries(allUsualTemplates()).map(
      ([name, text]): FileToWrite => ({
        path: join("tpl", name),
        text,
        use: name.endsWith(".sh") ? "script" : "text",
      }),
    ),
    ...toolScripts(),
  ];
}

/** The ready samples of one_click_generator.sh. Source: generator 1 */
function sampleAgencies(): FileToWrite[] {
  const agencies = { agencyA: [0, 1], agencyB: [2, 3] };
  return Object.entries(agencies).map(([name, indexes]) => ({
    path: join("tmp_one_click", name, "node_deployment.ini"),
    text: deploymentSample(indexes.map(sampleNode)),
    use: "text",
  }));
}

/** --create_tool_folder DIR. Source: generator 1 */
export const createToolFolder: Action = async (context, [dir]) => {
  const folder = pathOf(context, dir);
  await refusePresent(folder, "choose a new folder");
  const script = shellWord(join(folder, "one_click_generator.sh"));
  const work = shellWord(join(folder, "tmp_one_click"));
  return {
    home: folder,
    files: placed(folder, [...toolFolderFiles(context.program), ...sampleAgencies()]),
    result: { folder },
    says: [
      `tool folder ${folder}; edit tmp_one_click/*/node_deployment.ini in it, then:`,
      `  bash ${script} -b ${work}`,
    ],
  };
};

/** Of a tool folder, what goes into copies of it: what people change, not what they exchange. */
const COPIED_FOLDERS = ["conf", "tpl", "scripts"];

async function filesBelow(home: string, folder: string): Promise<readonly PlacedFile[]> {
  const top = join(home, folder);
  const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch(() => []);
  const found = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  return found.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path: path.slice(home.length + 1), copyOf: path, isOwn: true };
  });
}

/** A copy of a tool folder for an agency, with its owner's templates. Source: generator 9.1 */
export async function toolFolderCopy(home: string, program: ProgramPlace): Promise<PlacedFile[]> {
  const files = new Map<string, PlacedFile>();
  for (const file of toolFolderFiles(program)) files.set(file.path, file);
  for (const folder of COPIED_FOLDERS) {
    for (const file of await filesBelow(home, folder)) files.set(file.path, file);
  }
  return [...files.values()];
}
