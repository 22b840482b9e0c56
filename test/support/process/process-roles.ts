/** Changes roles in a group of nodes that run as processes, and examines who has which. */
import assert from "node:assert/strict";
import { encodeCall } from "../../../core/abi/encode.ts";
import { request, waitForReceipt } from "./dev-process.ts";
import type { NodeProcess } from "./node-processes.ts";
import { send, sendAndSee } from "./process-checks.ts";
import { STANDARD_SUITE as suite } from "../suites.ts";

const LIMIT_MS = 240_000;
const CONSENSUS = `0x${"1003".padStart(40, "0")}`;

/** A method of the Consensus precompiled contract. */
export type RoleChange = "addSealer" | "addObserver" | "remove";

/** What came of a change. */
export interface ChangedRole {
  /** What the contract answered: 1, or a negative code. */
  readonly code: bigint;
  /** The block that holds it; it is in force from the next one on. */
  readonly number: number;
}

/** Sends a change through a node and waits for its block. Source: precompiles 7 */
export async function changeRole(
  through: NodeProcess,
  change: RoleChange,
  nodeId: string,
): Promise<ChangedRole> {
  const input = encodeCall(`${change}(string)`, [nodeId], suite.hash);
  const hash = await send(through, { to: CONSENSUS, input });
  const { blockNumber } = await waitForReceipt(through.url, hash, LIMIT_MS);
  const receipt = await request(through.url, "getTransactionReceipt", [1, hash]);
  const { output, status } = receipt as { output: string; status: string };
  assert.equal(status, "0x0");
  return { code: BigInt.asIntN(256, BigInt(output)), number: Number(blockNumber) };
}

/** A header as far as roles show in it. */
export interface RoleHeader {
  readonly sealerList: readonly string[];
  /** Who proposed the block, as an index of the list. */
  readonly sealer: number;
}

/** The header of a block on a node. */
export async function headerOf({ url }: NodeProcess, number: number): Promise<RoleHeader> {
  const header = await request(url, "getBlockHeaderByNumber", [1, `${number}`, false]);
  const { sealerList, sealer } = header as { sealerList: string[]; sealer: string };
  return { sealerList, sealer: Number(sealer) };
}

/** The sealers and the observers that a node names. */
export async function rolesOn({ url }: NodeProcess) {
  const [sealers, observers] = await Promise.all(
    ["getSealerList", "getObserverList"].map((method) => request(url, method, [1])),
  );
  return { sealers: sealers as readonly string[], observers: observers as readonly string[] };
}

/**
 * Adds blocks until one of some nodes has proposed the last one. Without that node each other
 * sealer has its turn before its absence costs them a view.
 */
export async function untilOneLed(
  candidates: readonly NodeProcess[],
  chain: readonly NodeProcess[],
): Promise<NodeProcess> {
  const [first] = chain;
  assert.ok(first);
  for (;;) {
    // Whose turn is when is new since the last change of roles.
    await sendAndSee(first, chain);
    const { sealerList, sealer } = await headerOf(first, await first.blockNumber());
    const found = candidates.find(({ nodeId }) => nodeId === sealerList[sealer]);
    if (found) return found;
  }
}
