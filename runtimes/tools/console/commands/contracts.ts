/** Contracts. Source: console 4.3 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const CONTRACT_COMMANDS: readonly ConsoleCommand[] = [];
