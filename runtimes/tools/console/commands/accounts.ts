/** Accounts. Source: console 4.1 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const ACCOUNT_COMMANDS: readonly ConsoleCommand[] = [];
