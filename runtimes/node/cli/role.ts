/** `chain-node role`: changes the role of a node in a group and waits for the block. */
import { changeRole, type Role, type RoleWish } from "../client/role-change.ts";

/** Options of `chain-node role`. */
export interface RoleOptions extends RoleWish {
  readonly json: boolean;
}

/** Digits of a node ID that tell nodes apart. */
const ID_DIGITS = 8;

const WORDS: Readonly<Record<Role, string>> = {
  sealer: "a sealer of",
  observer: "an observer of",
  free: "outside of",
};

/** Changes the role and prints what came of it. */
export async function runRole(node: string, options: RoleOptions): Promise<void> {
  const change = await changeRole(node, options);
  const { nodeId, group, role, blockNumber, changed } = change;
  const who = `node ${nodeId.slice(0, ID_DIGITS)}... is ${WORDS[role]} group ${group}`;
  const block = blockNumber === undefined ? "now" : `from block ${blockNumber + 1} on`;
  const since = changed ? block : "already";
  process.stdout.write(options.json ? `${JSON.stringify(change)}\n` : `${who} ${since}\n`);
}
