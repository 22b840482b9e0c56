/** The arithmetic of a Raft sealer list. Source: raft 1 */

/** f: how many crashed sealers a list of that length tolerates. Source: raft 1 */
export function maxFaultyLeader(sealerCount: number): number {
  return sealerCount === 0 ? 0 : Math.floor((sealerCount - 1) / 2);
}

/** Q = N - f: how many sealers decide; any two such sets share one. Source: raft 1 */
export function majority(sealerCount: number): number {
  return sealerCount - maxFaultyLeader(sealerCount);
}
