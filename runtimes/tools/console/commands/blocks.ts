/** Blocks. Source: console 4.2 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const BLOCK_COMMANDS: readonly ConsoleCommand[] = [];
