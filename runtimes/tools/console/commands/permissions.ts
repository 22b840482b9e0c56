/** Permissions. Source: console 4.7 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const PERMISSION_COMMANDS: readonly ConsoleCommand[] = [];
