/** Events of contracts, as they come. Source: channel-protocol 7.3 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const EVENT_COMMANDS: readonly ConsoleCommand[] = [];
