/** Help, leaving, the current group. Source: console 4.1 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const SESSION_COMMANDS: readonly ConsoleCommand[] = [];
