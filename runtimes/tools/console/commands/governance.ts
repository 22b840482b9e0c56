/** Governance. Source: console 4.8 */
import type { ConsoleCommand } from "../command.ts";

/** The commands of this family. */
export const GOVERNANCE_COMMANDS: readonly ConsoleCommand[] = [];
