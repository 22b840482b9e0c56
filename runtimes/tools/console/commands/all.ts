/** Every command of the console. Source: console 4 */
import type { ConsoleCommand } from "../command.ts";
import { ACCOUNT_COMMANDS } from "./accounts.ts";
import { BINDING_COMMANDS } from "./bindings.ts";
import { BLOCK_COMMANDS } from "./blocks.ts";
import { CHAIN_COMMANDS } from "./chain.ts";
import { CNS_COMMANDS } from "./cns.ts";
import { CONTRACT_COMMANDS, EVENT_COMMANDS } from "./contracts.ts";
import { GAS_COMMANDS } from "./gas.ts";
import { GOVERNANCE_COMMANDS } from "./governance.ts";
import { GROUP_COMMANDS } from "./groups.ts";
import { LIFE_CYCLE_COMMANDS } from "./life-cycle.ts";
import { PEER_COMMANDS } from "./peers.ts";
import { PERMISSION_COMMANDS } from "./permissions.ts";
import { ROLE_COMMANDS } from "./roles.ts";
import { helpCommand, SESSION_COMMANDS } from "./session.ts";
import { SQL_COMMANDS } from "./sql.ts";
import { TRANSACTION_COMMANDS } from "./transactions.ts";

/** All families, in the order of the documentation. What a command loads, it loads when it runs. */
export const COMMANDS: readonly ConsoleCommand[] = [
  helpCommand(() => COMMANDS),
  ...SESSION_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...CHAIN_COMMANDS,
  ...PEER_COMMANDS,
  ...BLOCK_COMMANDS,
  ...TRANSACTION_COMMANDS,
  ...CONTRACT_COMMANDS,
  ...CNS_COMMANDS,
  ...ROLE_COMMANDS,
  ...GROUP_COMMANDS,
  ...SQL_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...GOVERNANCE_COMMANDS,
  ...LIFE_CYCLE_COMMANDS,
  ...GAS_COMMANDS,
  ...EVENT_COMMANDS,
  ...BINDING_COMMANDS,
];
