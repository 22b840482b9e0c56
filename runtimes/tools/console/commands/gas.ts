/** Gas charge management. Source: console 4.10 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const GAS_COMMANDS: readonly ConsoleCommand[] = [];
