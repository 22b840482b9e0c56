/** Life cycle of groups. Source: console 4.5 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const GROUP_COMMANDS: readonly ConsoleCommand[] = [];
