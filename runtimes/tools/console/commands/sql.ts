/** Tables. Source: console 4.6 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const SQL_COMMANDS: readonly ConsoleCommand[] = [];
