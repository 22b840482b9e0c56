/** Questions about nodes and their connections. Source: console 4.2 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const PEER_COMMANDS: readonly ConsoleCommand[] = [];
