/** Permissions. Source: console 4.7 */
import { requireAddress } from "../arguments.ts";
import type { ConsoleCommand, Parameter } from "../command.ts";
import { managersOutcome } from "../print.ts";
import { PRECOMPILED, sendForCode } from "../precompiled.ts";
import type { Session } from "../session.ts";

const ACCOUNT: Parameter = {
  name: "address",
  says: "the account, 0x and up to 40 digits",
  completes: "account",
};
const TABLE: Parameter = { name: "table", says: "name of the table" };
const CONTRACT: Parameter = { name: "contractAddress", says: "address of the contract" };
const USER: Parameter = { ...ACCOUNT, name: "userAddress" };
/** Source: console 4.7 */
const WRITE_SINCE = "2.3.0";

async function listOf(session: Session, table: string) {
  const signature = "queryByName(string)(string)";
  const [answer] = await session.constantCall(PRECOMPILED.permission, signature, [table]);
  return managersOutcome(answer);
}

/** Grant, revoke and list of one of the chain's own tables. */
function ofSystemTable(manager: string, table: string, may: string): readonly ConsoleCommand[] {
  const change = (signature: string): ConsoleCommand["run"] => {
    return async (session, [account = ""]) => {
      const args = [table, requireAddress(account)];
      return await sendForCode(session, { to: PRECOMPILED.permission, signature, args });
    };
  };
  return [
    {
      name: `grant${manager}`,
      says: `Let an account ${may}`,
      parameters: [ACCOUNT],
      run: change("insert(string,string)"),
    },
    {
      name: `revoke${manager}`,
      says: `Let an account no longer ${may}`,
      parameters: [ACCOUNT],
      run: change("remove(string,string)"),
    },
    {
      name: `list${manager}`,
      says: `List the accounts that may ${may}`,
      parameters: [],
      run: (session) => listOf(session, table),
    },
  ];
}

function changeUserTable(signature: string): ConsoleCommand["run"] {
  return async (session, [table = "", account = ""]) => {
    const args = [table, requireAddress(account)];
    return await sendForCode(session, { to: PRECOMPILED.permission, signature, args });
  };
}

const OF_USER_TABLES: readonly ConsoleCommand[] = [
  {
    name: "grantUserTableManager",
    says: "Let an account write a table",
    parameters: [TABLE, ACCOUNT],
    run: changeUserTable("insert(string,string)"),
  },
  {
    name: "revokeUserTableManager",
    says: "Let an account no longer write a table",
    parameters: [TABLE, ACCOUNT],
    run: changeUserTable("remove(string,string)"),
  },
  {
    name: "listUserTableManager",
    says: "List the accounts that may write a table",
    parameters: [TABLE],
    run: (session, [table = ""]) => listOf(session, table),
  },
];

function changeWrite(signature: string): ConsoleCommand["run"] {
  return async (session, [contract = "", user = ""]) => {
    const args = [requireAddress(contract), requireAddress(user)];
    return await sendForCode(session, { to: PRECOMPILED.permission, signature, args });
  };
}

const OF_CONTRACTS: readonly ConsoleCommand[] = [
  {
    name: "grantContractWritePermission",
    says: "Let an account call the functions of a contract that write",
    parameters: [CONTRACT, USER],
    since: WRITE_SINCE,
    run: changeWrite("grantWrite(address,address)"),
  },
  {
    name: "revokeContractWritePermission",
    says: "Let an account no longer call the functions of a contract that write",
    parameters: [CONTRACT, USER],
    since: WRITE_SINCE,
    run: changeWrite("revokeWrite(address,address)"),
  },
  {
    name: "listContractWritePermission",
    says: "List the accounts that may call the functions of a contract that write",
    parameters: [CONTRACT],
    since: WRITE_SINCE,
    async run(session, [contract = ""]) {
      const signature = "queryPermission(address)(string)";
      const args = [requireAddress(contract)];
      const [answer] = await session.constantCall(PRECOMPILED.permission, signature, args);
      return managersOutcome(answer);
    },
  },
];

export const PERMISSION_COMMANDS: readonly ConsoleCommand[] = [
  ...OF_USER_TABLES,
  ...ofSystemTable("DeployAndCreateManager", "_sys_tables_", "deploy contracts and create tables"),
  ...ofSystemTable("NodeManager", "_sys_consensus_", "change the roles of nodes"),
  ...ofSystemTable("CNSManager", "_sys_cns_", "register contracts by name"),
  ...ofSystemTable("SysConfigManager", "_sys_config_", "change the system configuration"),
  ...OF_CONTRACTS,
];
