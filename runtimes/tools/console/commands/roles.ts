/** Roles of nodes and the system configuration. Source: console 4.4 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const ROLE_COMMANDS: readonly ConsoleCommand[] = [];
