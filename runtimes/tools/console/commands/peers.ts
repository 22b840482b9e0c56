/** Questions about nodes and their connections. Source: console 4.2 */
import { requireEndpointText, requireGroup } from "../arguments.ts";
import { type ConsoleCommand, ConsoleFault, type Outcome, type Parameter } from "../command.ts";
import { asConsoleFault } from "../faults.ts";
import { oneLine } from "../foreign-text.ts";
import { formatIds, formatJson, outcomeOf } from "../print.ts";
import type { NodeAccess, Session } from "../session.ts";
import type { GroupOperation } from "../../../../core/client/rpc-objects.ts";

const ENDPOINT: Parameter = {
  name: "endpoint",
  says: "the node that is asked, ip:port as the console connects to it",
  completes: "endpoint",
};
const SOME_NODE: Parameter = { ...ENDPOINT, isOptional: true };
const PEERS: Parameter = {
  name: "peer",
  says: "P2P addresses of nodes, ip:p2p_listen_port",
  isMany: true,
};

/** One node, or whichever the console talks to. */
async function nodeOf(
  session: Session,
  text: string | undefined,
): Promise<Pick<NodeAccess, "query">> {
  return text === undefined ? session : await session.nodeAt(requireEndpointText(text));
}

async function managePeers(
  session: Session,
  method: "addPeers" | "erasePeers",
  [endpoint = "", ...peers]: readonly string[],
): Promise<Outcome> {
  const addresses = peers.map(requireEndpointText);
  const node = await session.nodeAt(requireEndpointText(endpoint));
  return operationOutcome(await node.query(method, [addresses]));
}

/** What came of an operation on a node. @throws ConsoleFault for every code but 0x0 */
export function operationOutcome(answer: GroupOperation): Outcome {
  const { code, message } = answer;
  if (Number(code) === 0) return { ...outcomeOf(answer), message: message || "success" };
  throw new ConsoleFault(message, { code: Number(code), text: formatJson(answer), data: answer });
}

/** What a configured node says, or why it says nothing. */
interface Seen {
  readonly endpoint: string;
  readonly ok: boolean;
  readonly says: string;
}

async function lookAt(session: Session, endpoint: string): Promise<Seen> {
  try {
    const node = await session.nodeAt(endpoint);
    const version = await node.query("getClientVersion", []);
    const groups = await node.query("getGroupList", []);
    const chain = `chain ${version["Chain Id"]}, version ${version["Supported Version"]}`;
    const says = oneLine(`${chain}, groups ${groups.join(", ") || "none"}`);
    return { endpoint, ok: true, says };
  } catch (cause) {
    const says = asConsoleFault(cause)?.message;
    if (says === undefined) throw cause;
    return { endpoint, ok: false, says };
  }
}

/** Examines every configured node. @throws ConsoleFault when one of them does not answer */
async function doctor(session: Session): Promise<Outcome> {
  const seen = await Promise.all(session.configured.map((one) => lookAt(session, one)));
  const line = ({ endpoint, ok, says }: Seen): string =>
    `${ok ? "ok    " : "FAILED"} ${says.startsWith(endpoint) ? says : `${endpoint}: ${says}`}`;
  const text = seen.map(line).join("\n");
  const failed = seen.filter(({ ok }) => !ok).length;
  if (failed === 0) return { text, data: seen };
  const message = `${failed} of ${seen.length} nodes do not answer`;
  throw new ConsoleFault(message, { text, data: seen });
}

/** The commands of this family. */
export const PEER_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "getNodeInfo",
    says: "Show a node as its peers see it",
    parameters: [ENDPOINT],
    async run(session, [endpoint]) {
      return outcomeOf(await (await nodeOf(session, endpoint)).query("getNodeInfo", []));
    },
  },
  {
    name: "getPeers",
    says: "List the nodes that a node is connected to",
    parameters: [SOME_NODE],
    async run(session, [endpoint]) {
      const node = await nodeOf(session, endpoint);
      return outcomeOf(await node.query("getPeers", [session.groupId]));
    },
  },
  {
    name: "getGroupPeers",
    says: "List the sealers and observers of the group",
    parameters: [SOME_NODE],
    async run(session, [endpoint]) {
      const node = await nodeOf(session, endpoint);
      const found = await node.query("getGroupPeers", [session.groupId]);
      return { text: formatIds(found), data: found };
    },
  },
  {
    name: "getGroupList",
    says: "List the groups of a node",
    parameters: [SOME_NODE],
    async run(session, [endpoint]) {
      const node = await nodeOf(session, endpoint);
      return outcomeOf(await node.query("getGroupList", []));
    },
  },
  {
    name: "addPeers",
    says: "Let a node connect to further nodes, now and after each start",
    parameters: [ENDPOINT, PEERS],
    run: (session, args) => managePeers(session, "addPeers", args),
  },
  {
    name: "erasePeers",
    says: "Let a node forget addresses of nodes; connections stay",
    parameters: [ENDPOINT, PEERS],
    run: (session, args) => managePeers(session, "erasePeers", args),
  },
  {
    name: "queryPeers",
    says: "List the addresses that a node connects to",
    parameters: [ENDPOINT],
    async run(session, [endpoint = ""]) {
      const node = await session.nodeAt(requireEndpointText(endpoint));
      return outcomeOf(await node.query("queryPeers", []));
    },
  },
  {
    name: "getAvailableConnections",
    says: "List the nodes that the console is connected to",
    parameters: [],
    async run(session) {
      await session.channel();
      const found = await session.endpoints();
      return { text: formatIds(found), data: found };
    },
  },
  {
    name: "doctor",
    says: "Look at every configured node, and say why one does not answer",
    parameters: [],
    run: doctor,
  },
  {
    name: "getGroupConnections",
    says: "List the nodes of a group that the console is connected to",
    parameters: [
      { name: "groupId", says: "the group; the current one when absent", isOptional: true },
    ],
    async run(session, [text]) {
      const groupId = text === undefined ? session.groupId : requireGroup(text);
      await session.channel();
      const found = await connectionsOf(session, groupId);
      return { text: formatIds(found), data: found };
    },
  },
];

/** Nodes that say that they are a member of the group. */
async function connectionsOf(session: Session, groupId: number): Promise<readonly string[]> {
  const asked = (await session.endpoints()).map(async (endpoint) => {
    const node = await session.nodeAt(endpoint);
    const groups = await node.query("getGroupList", []);
    return groups.includes(groupId) ? [endpoint] : [];
  });
  return (await Promise.all(asked)).flat();
}
