/** How the scripts of a tool folder tell the program where they lie. */

/** The variable of the environment with the absolute path of the folder. */
export const TOOL_VARIABLE = "CHAIN_NODE_TOOL";
