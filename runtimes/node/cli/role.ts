/** `chain-node role`: changes the role of a node in a group and waits for the block. */
import { ClientCodeFault, type ClientCodeName } from "../../../core/fault/client-codes.ts";
import { changeRole, type RoleChange, type RoleRequest } from "../client/role-change.ts";
import type { Role } from "../client/role-guard.ts";

interface RoleOptions extends RoleRequest {
  readonly json: boolean;
}

const WORDS: Readonly<Record<Role, string>> = {
  sealer: "a sealer of",
  observer: "an observer of",
  free: "outside of",
};

/** What a client says of a role that a node has already. Source: interface 7.5 */
const UNCHANGED: Readonly<Record<Role, ClientCodeName>> = {
  sealer: "alreadySealer",
  observer: "alreadyObserver",
  free: "notGroupPeer",
};

/** What is reported while it waits. */
function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** What `--json` prints of a change that was not made, and why. */
function printCode({ code, message: msg }: ClientCodeFault, change: Partial<RoleChange>): number {
  process.stdout.write(`${JSON.stringify({ code, msg, ...change })}\n`);
  return 1;
}

/** One document, with the code that a client gives before it sends; the exit code. */
async function runForPrograms(node: string, options: RoleOptions): Promise<number> {
  try {
    const change = await changeRole(node, { ...options, tell });
    if (!change.changed) return printCode(new ClientCodeFault(UNCHANGED[change.role]), change);
    process.stdout.write(`${JSON.stringify(change)}\n`);
    return 0;
  } catch (cause) {
    if (!(cause instanceof Error) || !(cause.cause instanceof ClientCodeFault)) throw cause;
    process.stderr.write(`${cause.message}\n`);
    return printCode(cause.cause, {});
  }
}

/** Changes the role and prints what came of it; gives the exit code. */
export async function runRole(node: string, options: RoleOptions): Promise<number> {
  if (options.json) return await runForPrograms(node, options);
  const change = await changeRole(node, { ...options, tell });
  const { nodeId, group, role, blockNumber, changed } = change;
  const who = `node ${nodeId.slice(0, 8)}... is ${WORDS[role]} group ${group}`;
  const block = blockNumber === undefined ? "now" : `from block ${blockNumber + 1} on`;
  process.stdout.write(`${who} ${changed ? block : "already"}\n`);
  return 0;
}
