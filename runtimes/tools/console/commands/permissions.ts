/** Permissions. Source: console 4.7 */
import { requireAddress } from "../arguments.ts";
import type { ConsoleCommand, Parameter } from "../command.ts";
import { managersOutcome } from "../print.ts";
import { PRECOMPILED, sendForCode } from "../precompiled.ts";

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
const TO = PRECOMPILED.permission;

/** What a right is about, and how it is asked for. */
interface Right {
  /** What is typed; the account comes last. */
  readonly parameters: readonly Parameter[];
  /** Signatures of the contract. */
  readonly grant: string;
  readonly revoke: string;
  readonly query: string;
  /** The argument that the typed words name, besides the account. */
  place(words: readonly string[]): string;
  readonly since?: string;
}

/** Grant, revoke and list of a right. */
function ofRight(manager: string, may: string, right: Right): readonly ConsoleCommand[] {
  const { parameters, grant, revoke, query, place, since } = right;
  const change = (signature: string): ConsoleCommand["run"] => {
    return async (session, words) => {
      const args = [place(words), requireAddress(words.at(-1) ?? "")];
      return await sendForCode(session, { to: TO, signature, args });
    };
  };
  const all = { parameters, ...(since === undefined ? {} : { since }) };
  const [granted, revoked] = [`Let an account ${may}`, `Let an account no longer ${may}`];
  return [
    { ...all, name: `grant${manager}`, says: granted, run: change(grant) },
    { ...all, name: `revoke${manager}`, says: revoked, run: change(revoke) },
    {
      ...all,
      name: `list${manager}`,
      says: `List the accounts that may ${may}`,
      parameters: parameters.slice(0, -1),
      async run(session, words) {
        const [answer] = await session.constantCall(TO, query, [place(words)]);
        return managersOutcome(answer);
      },
    },
  ];
}

const OF_TABLES = {
  grant: "insert(string,string)",
  revoke: "remove(string,string)",
  query: "queryByName(string)(string)",
};

/** A right on one of the chain's own tables. */
function ofSystemTable(manager: string, table: string, may: string): readonly ConsoleCommand[] {
  return ofRight(manager, may, { ...OF_TABLES, parameters: [ACCOUNT], place: () => table });
}

/** The commands of this family. */
export const PERMISSION_COMMANDS: readonly ConsoleCommand[] = [
  ...ofRight("UserTableManager", "write a table", {
    ...OF_TABLES,
    parameters: [TABLE, ACCOUNT],
    place: ([table = ""]) => table,
  }),
  ...ofSystemTable("DeployAndCreateManager", "_sys_tables_", "deploy contracts and create tables"),
  ...ofSystemTable("NodeManager", "_sys_consensus_", "change the roles of nodes"),
  ...ofSystemTable("CNSManager", "_sys_cns_", "register contracts by name"),
  ...ofSystemTable("SysConfigManager", "_sys_config_", "change the system configuration"),
  ...ofRight("ContractWritePermission", "call the functions of a contract that write", {
    parameters: [CONTRACT, USER],
    grant: "grantWrite(address,address)",
    revoke: "revokeWrite(address,address)",
    query: "queryPermission(address)(string)",
    place: ([contract = ""]) => requireAddress(contract),
    since: WRITE_SINCE,
  }),
];
