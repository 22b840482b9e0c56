/** What may be asked about the planner: projections of its state. Source: sync 4, 8 */
import type { SyncState } from "./state.ts";

/** What getSyncStatus tells: peers ordered by node ID, the own one absent. Source: sync 8 */
export function syncStatus(state: SyncState) {
  const peers = [...state.peers.values()].map(
    ({ id, number, genesisHash, latestHash, statusAt }) => ({
      nodeId: id,
      number,
      genesisHash,
      latestHash,
      isHeard: Number.isFinite(statusAt),
    }),
  );
  peers.sort((left, right) => (left.nodeId < right.nodeId ? -1 : 1));
  return {
    isSyncing: state.downloading,
    knownHighestNumber: state.knownHighest,
    knownLatestHash: state.knownHash,
    peers,
  };
}

/** The height of an honest sealer at least, or of a good certificate: f claims may be lies. */
export function believableHeight(state: SyncState): number {
  const { sealers, self, maxFaulty } = state.config;
  const heights = sealers.map((sealer) =>
    sealer === self ? state.height : (state.peers.get(sealer)?.number ?? 0),
  );
  heights.sort((left, right) => right - left);
  return Math.max(heights[maxFaulty] ?? 0, state.provenHighest, state.height);
}
