/** The group that the pages are about, as it is known so far. */
import { useEffect, useMemo } from "preact/hooks";
import type { Chain } from "../../data/chain.ts";
import { useAnswer } from "../../data/use-answer.ts";
import type { Place } from "./place.tsx";
import { readsOf } from "./reads.ts";
import { useDecoder } from "./use-decoder.ts";
import { trustHere } from "./use-trust.ts";

/** The place of a group; its height is that of the group that the shell shows. */
export function useGroup(chain: Chain, groupId: number): Place {
  const reads = readsOf(chain.source, groupId);
  const chainKey = useAnswer(() => reads.chainKey(), [reads]);
  const decoder = useDecoder(chain.facts, chainKey);
  const height = chain.groupId === groupId ? chain.height : undefined;
  const place = useMemo<Place>(
    () => ({ chain, reads, groupId, height, chainKey, decoder }),
    [chain, reads, groupId, height, chainKey, decoder],
  );
  // What is trusted begins with the first look at a chain, not with the first doubt.
  useEffect(() => {
    if (chainKey === undefined || height === undefined) return;
    trustHere(place)
      .then((trust) => trust.standing())
      .catch(() => undefined);
  }, [chainKey, height === undefined]);
  return place;
}
