/** Life cycle of contracts. Source: console 4.9 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const LIFE_CYCLE_COMMANDS: readonly ConsoleCommand[] = [];
