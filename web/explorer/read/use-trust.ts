/** What is trusted of the chain that the pages show. */
import { useEffect, useReducer } from "preact/hooks";
import { ProofFault } from "../../../core/client/client-fault.ts";
import { type ChainTrust, type Standing, trustOf } from "../../data/trust.ts";
import { useAnswer } from "../../data/use-answer.ts";
import type { Place } from "./place.tsx";

/** What is trusted of the chain of a place. */
export async function trustHere({
  chain,
  reads,
  groupId,
}: Pick<Place, "chain" | "reads" | "groupId">): Promise<ChainTrust> {
  const { source, request } = reads;
  return trustOf({ source, groupId, facts: chain.facts, request, chain: await reads.chainKey() });
}

/** How it stands; undefined where the node contradicts itself, which checks tell. */
export async function standingOf(trust: ChainTrust): Promise<Standing | undefined> {
  try {
    return await trust.standing();
  } catch (cause) {
    if (cause instanceof ProofFault) return undefined;
    throw cause;
  }
}

/** Another number after each change of what is trusted. */
export function useTrustRevision(place: Place): number {
  const [revision, next] = useReducer((count: number, _: undefined) => count + 1, 0);
  // Another chain behind the same reads is trusted apart.
  const trust = useAnswer(() => trustHere(place), [place.reads, place.chainKey]);
  useEffect(() => trust?.onChange(() => next(undefined)), [trust]);
  return revision;
}
