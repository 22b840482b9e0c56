/** Life cycle of groups; each command goes to the node that is named. Source: console 4.5 */
import { resolve } from "node:path";
import { ClientCodeFault, requireNodeId } from "../../../../core/fault/client-codes.ts";
import { readText } from "../../../folder/whole-files.ts";
import { requireEndpointText, requireGroup, requireNumber } from "../arguments.ts";
import {
  type ConsoleCommand,
  ConsoleFault,
  type Outcome,
  type Parameter,
  usageFault,
} from "../command.ts";
import { formatJson } from "../print.ts";
import type { Session } from "../session.ts";
import { operationOutcome } from "./peers.ts";

const ENDPOINT: Parameter = {
  name: "endpoint",
  says: "the node that is told, ip:port as the console connects to it",
  completes: "endpoint",
};
const GROUP: Parameter = { name: "groupId", says: "the group, 1 to 32767", completes: "group" };
const CURRENT_GROUP: Parameter = {
  ...GROUP,
  says: "the group, 1 to 32767; the current one when absent",
  isOptional: true,
};
const SINCE = "2.2.0";

type Operation = "startGroup" | "stopGroup" | "removeGroup" | "recoverGroup" | "queryGroupStatus";

function operation(name: Operation, says: string): ConsoleCommand {
  return {
    name,
    says,
    parameters: [ENDPOINT, CURRENT_GROUP],
    since: SINCE,
    async run(session, [endpoint = "", text]) {
      const groupId = text === undefined ? session.groupId : requireGroup(text);
      const node = await session.nodeAt(requireEndpointText(endpoint));
      return operationOutcome(await node.query(name, [groupId]));
    },
  };
}

interface Genesis {
  readonly timestamp: string;
  readonly sealers: readonly string[];
  readonly enable_free_storage: boolean;
}

/** Milliseconds since 1970. */
function requireTimestamp(text: string): string {
  return String(requireNumber(text, "timestamp", 0, Number.MAX_SAFE_INTEGER));
}

async function generateGroup(session: Session, args: readonly string[]): Promise<Outcome> {
  const [endpoint = "", group = "", timestamp = "", ...rest] = args;
  const groupId = requireGroup(group);
  // A word that says yes or no is no node ID.
  const isSwitch = rest[0] === "true" || rest[0] === "false";
  const sealers = (isSwitch ? rest.slice(1) : rest).map(requireNodeId);
  if (sealers.length === 0) throw usageFault("a node ID at least is wanted as sealer.");
  const genesis: Genesis = {
    timestamp: requireTimestamp(timestamp),
    sealers,
    enable_free_storage: rest[0] === "true",
  };
  const node = await session.nodeAt(requireEndpointText(endpoint));
  return operationOutcome(await node.query("generateGroup", [groupId, genesis]));
}

type Table = Readonly<Record<string, unknown>>;

function member(file: string, root: Table, section: string, key: string): unknown {
  const table = root[section];
  if (typeof table === "object" && table !== null) return (table as Table)[key];
  throw new ConsoleFault(`${file}: the section [${section}] is missing.`);
}

function textsOf(file: string, key: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.every((it) => typeof it === "string"))
    return value as string[];
  throw new ConsoleFault(`${file}: ${key}: a list of texts is wanted, one at least.`);
}

/** A node ID of a file: among many it is reported which one is none. */
function nodeIdIn(file: string, text: string): string {
  try {
    return requireNodeId(text);
  } catch (cause) {
    if (!(cause instanceof ClientCodeFault)) throw cause;
    const { code, message } = cause;
    const said = `${file}: consensus.sealerList: ${message}: "${text}"`;
    throw new ConsoleFault(`${said}; 128 hexadecimal digits are wanted.`, { code, cause });
  }
}

/** @throws ConsoleFault that names file and key */
async function readGroupFile(
  path: string,
): Promise<{ readonly peers: readonly string[]; readonly genesis: Genesis }> {
  const text = await readText(path);
  if (text === undefined) throw new ConsoleFault(`${path}: the file does not exist.`);
  const { parse, TomlError } = await import("smol-toml");
  let root: Table;
  try {
    root = parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    throw new ConsoleFault(`${path}:${cause.line}: ${cause.message.split("\n")[0]}.`, { cause });
  }
  const peers = textsOf(path, "groupPeers.peers", member(path, root, "groupPeers", "peers"));
  const list = member(path, root, "consensus", "sealerList");
  const ids = textsOf(path, "consensus.sealerList", list);
  const sealers = ids.map((id) => nodeIdIn(path, id));
  const genesis = root["genesis"] as Table | undefined;
  const given = String(genesis?.["timestamp"] ?? "");
  // One moment for all members: the groups would be different ones otherwise.
  const timestamp = given === "" ? String(Date.now()) : requireTimestamp(given);
  const isFree = genesis?.["enableFreeStorage"] === true;
  return {
    peers: peers.map(requireEndpointText),
    genesis: { timestamp, sealers, enable_free_storage: isFree },
  };
}

async function generateFromFile(session: Session, args: readonly string[]): Promise<Outcome> {
  const [file = "", group = ""] = args;
  const groupId = requireGroup(group);
  const { peers, genesis } = await readGroupFile(resolve(file));
  const results: { peer: string; code: string; message: string }[] = [];
  for (const peer of peers) {
    const node = await session.nodeAt(peer);
    const { code, message } = await node.query("generateGroup", [groupId, genesis]);
    results.push({ peer, code, message });
  }
  const parts = results.map(
    ({ peer, code, message }) => `* Result of ${peer}:\n${formatJson({ code, message })}`,
  );
  const text = parts.join("\n");
  const data = { timestamp: genesis.timestamp, results };
  const failed = results.find(({ code }) => Number(code) !== 0);
  if (failed === undefined) return { text, data };
  throw new ConsoleFault(failed.message, { code: Number(failed.code), text, data });
}

/** The commands of this family. */
export const GROUP_COMMANDS: readonly ConsoleCommand[] = [
  operation("startGroup", "Start a stopped group on a node"),
  operation("stopGroup", "Stop a group on a node"),
  operation("removeGroup", "Mark a group deleted on a node; its data stays"),
  operation("recoverGroup", "Make a deleted group a stopped one on a node"),
  operation("queryGroupStatus", "Show the state of a group on a node"),
  {
    name: "generateGroup",
    says: "Write the files of a new group on a node; startGroup starts it",
    parameters: [
      ENDPOINT,
      GROUP,
      { name: "timestamp", says: "genesis time in milliseconds, the same for all members" },
      {
        name: "sealer",
        says: "true or false first for free storage, then the node IDs of the sealers",
        isMany: true,
      },
    ],
    since: SINCE,
    run: generateGroup,
  },
  {
    name: "generateGroupFromFile",
    says: "Write the files of a new group on each node that a TOML file names",
    parameters: [
      { name: "file", says: "with [groupPeers], [consensus] and [genesis]", completes: "file" },
      GROUP,
    ],
    since: SINCE,
    run: generateFromFile,
  },
];
