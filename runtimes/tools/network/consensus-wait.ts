/** Waits until groups have consensus: until sealers are seen to agree, not merely to run. */
import { setTimeout as sleep } from "node:timers/promises";
import { isNodeId } from "../../../core/bytes/hex.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { ask } from "../../node/client/json-rpc.ts";
import type { GroupHealth } from "../../shared/health.ts";
import { groupIn, type GroupLook, lookAt } from "./group-look.ts";
import { type LiveNetwork, type LiveNode, nodesNamed } from "./live-network.ts";
import type { NetworkGroup } from "./network-spec.ts";

const POLL_MS = 250;
/** Under load a block is on its way to one or the other at any moment. */
const NEAR_BLOCKS = 2;

/** Whether a node has about all blocks of its group. */
export function isNear(behind: number): boolean {
  return behind <= NEAR_BLOCKS;
}

/** Whether a sealer of its group can take part in decisions. */
export function isAble({ running, role, stall, silence, behind = 0 }: GroupHealth): boolean {
  return running && role === "sealer" && !stall && !silence && isNear(behind);
}

/** Why a sealer takes no part, in words; undefined when it does. */
export function inability(health: GroupHealth | undefined): string | undefined {
  if (!health) return "does not answer";
  const { running, role, stall, silence, behind = 0, status } = health;
  if (!running) return `is ${status}`;
  if (role !== "sealer") return "is no sealer yet";
  if (silence) return "follows without a vote";
  if (stall) return "cannot write blocks";
  return isNear(behind) ? undefined : `is ${behind} blocks behind`;
}

/** Whether a Raft node knows who leads. */
async function knowsLeader(node: LiveNode, id: number): Promise<boolean> {
  const status = await ask(node.url, "getConsensusStatus", [id]).catch(() => []);
  const [first] = status as readonly Readonly<Record<string, unknown>>[];
  return isNodeId(first?.["leaderId"]);
}

/** Examines sealers from time to time and tells who was seen to agree with others. */
export class AgreementWatch {
  readonly #group: number;
  readonly #first = new Map<string, { readonly height: number; readonly view: number }>();

  constructor(group: number) {
    this.#group = group;
  }

  /**
   * Why a sealer is not seen to vote; undefined once it is. A view moves on, and a block comes,
   * only when a quorum agrees, and a node follows only as one of those who hear it.
   */
  async missing(node: LiveNode, look: GroupLook): Promise<string | undefined> {
    const own = groupIn(look, node, this.#group);
    const reason = inability(own);
    if (reason !== undefined || !own) return reason ?? "does not run the group";
    const sight = { height: own.height ?? 0, view: own.view ?? 0 };
    const first = this.#first.get(node.spec.name);
    if (!first) this.#first.set(node.spec.name, sight);
    if (own.consensus === "raft")
      return (await knowsLeader(node, this.#group)) ? undefined : "knows no leader yet";
    const moved = first && (sight.height > first.height || sight.view !== first.view);
    return moved ? undefined : "has seen no view or block yet";
  }
}

/** How the wait for one group is going. */
interface GroupWait {
  readonly group: NetworkGroup;
  readonly watch: AgreementWatch;
  readonly sealers: readonly LiveNode[];
}

async function reasonsOf(
  { watch, sealers }: GroupWait,
  look: GroupLook,
): Promise<readonly string[]> {
  const found = await Promise.all(
    sealers.map(async (node) => ({ node, reason: await watch.missing(node, look) })),
  );
  return found.flatMap(({ node, reason }) =>
    reason === undefined ? [] : [`${node.spec.name} ${reason}`],
  );
}

/**
 * Waits until every sealer of this host votes in its groups; groups that have none here are left
 * out.
 * @throws FolderFault unusable, with who does not vote and why
 */
export async function untilConsensus(
  network: LiveNetwork,
  groups: readonly NetworkGroup[],
  patienceMs: number,
): Promise<void> {
  let waits: readonly GroupWait[] = groups.map((group) => ({
    group,
    watch: new AgreementWatch(group.id),
    sealers: nodesNamed(network, group.sealers).filter(({ isHere }) => isHere),
  }));
  const deadline = performance.now() + patienceMs;
  for (let turn = 1; waits.length > 0; turn++) {
    const look = await lookAt([...new Set(waits.flatMap(({ sealers }) => sealers))]);
    const looks = await Promise.all(
      waits.map(async (wait) => ({ wait, reasons: await reasonsOf(wait, look) })),
    );
    const open = looks.filter(({ reasons }) => reasons.length > 0);
    waits = open.map(({ wait }) => wait);
    if (waits.length === 0) return;
    // That something moves is seen by two looks.
    if (performance.now() > deadline && turn > 1) {
      const lines = open.map(
        ({ wait, reasons }) => `group ${wait.group.id}: ${reasons.join(", ")}`,
      );
      const said = `no consensus after ${Math.round(patienceMs / 1_000)} s`;
      const next = "chain-node doctor, with the chain's folder, says what to do.";
      throw new FolderFault("unusable", [`${said}:`, ...lines, next].join("\n"));
    }
    await sleep(POLL_MS);
  }
}
