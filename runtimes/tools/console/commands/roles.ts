/** Roles of nodes and the system configuration. Source: console 4.4 */
import {
  requireMayObserve,
  requireMaySeal,
  requireMember,
  requireNodeId,
  type RoleQuestions,
} from "../../../../core/fault/client-codes.ts";
import { requireNumber } from "../arguments.ts";
import { type ConsoleCommand, type Outcome, type Parameter, usageFault } from "../command.ts";
import { PRECOMPILED, sendForCode } from "../precompiled.ts";
import type { Session } from "../session.ts";
import { ONLY_RPBFT, SYSTEM_KEYS, type SystemKey } from "../system-keys.ts";

const NODE_ID: Parameter = {
  name: "nodeId",
  says: "the node ID, 128 hexadecimal digits",
  completes: "nodeId",
};

function questions(session: Session): RoleQuestions {
  const { groupId } = session;
  return {
    sealers: () => session.query("getSealerList", [groupId]),
    observers: () => session.query("getObserverList", [groupId]),
    connected: () => session.query("getNodeIDList", [groupId]),
  };
}

/** A change of role: what has to hold before, and the function that makes it. */
function changeRole(
  signature: string,
  requireMay: (ask: RoleQuestions, nodeId: string) => Promise<void>,
): ConsoleCommand["run"] {
  return async (session, [text = ""]) => {
    const nodeId = requireNodeId(text);
    await requireMay(questions(session), nodeId);
    const call = { to: PRECOMPILED.consensus, signature, args: [nodeId] };
    return await sendForCode(session, { ...call, hidesHash: true });
  };
}

function requireKey(text: string): SystemKey {
  const key = SYSTEM_KEYS.find(({ name }) => name === text);
  if (key) return key;
  const names = SYSTEM_KEYS.map(({ name }) => name).join(", ");
  throw usageFault(`"${text}" is no key of the system configuration. Keys: ${names}.`);
}

function requireValue({ name, range }: SystemKey, text: string): void {
  if (range !== "switch") return void requireNumber(text, name, ...range);
  if (text !== "on" && text !== "off") throw usageFault(`${name} "${text}": on or off is wanted.`);
}

async function setSystemConfig(session: Session, args: readonly string[]): Promise<Outcome> {
  const [name = "", value = ""] = args;
  const key = requireKey(name);
  requireValue(key, value);
  if (key.isOfRpbft) session.progress(ONLY_RPBFT);
  const signature = "setValueByKey(string,string)";
  const call = { to: PRECOMPILED.systemConfig, signature, args: [name, value] };
  return await sendForCode(session, call);
}

/** The commands of this family. */
export const ROLE_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "addSealer",
    says: "Make a node a sealer of the group",
    parameters: [NODE_ID],
    run: changeRole("addSealer(string)", requireMaySeal),
  },
  {
    name: "addObserver",
    says: "Make a node an observer of the group",
    parameters: [NODE_ID],
    run: changeRole("addObserver(string)", requireMayObserve),
  },
  {
    name: "removeNode",
    says: "Take a sealer or an observer out of the group",
    parameters: [NODE_ID],
    run: changeRole("remove(string)", requireMember),
  },
  {
    name: "setSystemConfigByKey",
    says: "Set a value of the system configuration",
    parameters: [
      {
        name: "key",
        says: SYSTEM_KEYS.map(({ name }) => name).join(", "),
        completes: "systemKey",
      },
      {
        name: "value",
        says:
          "tx_count_limit and rpbft keys 1 to 2147483647, tx_gas_limit 100000 to 2147483647, " +
          "consensus_timeout 3 to 2147482 (seconds), enable_charge_mgr on or off",
      },
    ],
    run: setSystemConfig,
  },
  {
    name: "getSystemConfigByKey",
    says: "Show a value of the system configuration",
    parameters: [
      {
        name: "key",
        says: SYSTEM_KEYS.map(({ name }) => name).join(", "),
        completes: "systemKey",
      },
    ],
    async run(session, [text = ""]) {
      const key = requireKey(text);
      const value = await session.query("getSystemConfigByKey", [session.groupId, key.name]);
      if (key.isOfRpbft) session.progress(ONLY_RPBFT);
      return { text: value, data: value };
    },
  },
];
