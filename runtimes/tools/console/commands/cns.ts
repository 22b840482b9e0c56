/** Contracts by name. Source: console 4.3 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const CNS_COMMANDS: readonly ConsoleCommand[] = [];
