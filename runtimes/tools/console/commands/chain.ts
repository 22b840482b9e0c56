/** Questions about a group and its members. Source: console 4.2 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const CHAIN_COMMANDS: readonly ConsoleCommand[] = [];
