/** The arithmetic of sealer lists: faults tolerated, quorum, leader. Source: pbft 1; raft 1 */

/** f: how many faulty sealers a list of that length tolerates. Source: pbft 1 */
export function maxFaulty(sealerCount: number): number {
  return sealerCount === 0 ? 0 : Math.floor((sealerCount - 1) / 3);
}

/** Q = N - f: how many sealers decide. Source: pbft 1 */
export function quorum(sealerCount: number): number {
  return sealerCount - maxFaulty(sealerCount);
}

/** Index of the leader above the committed height; the list is not empty. Source: pbft 1 */
export function leaderIndex(height: number, view: number, sealerCount: number): number {
  return (view + height) % sealerCount;
}

/** f: how many crashed sealers a list of that length tolerates. Source: raft 1 */
export function maxFaultyLeader(sealerCount: number): number {
  return sealerCount === 0 ? 0 : Math.floor((sealerCount - 1) / 2);
}

/** Q = N - f: how many sealers decide; any two such sets share one. Source: raft 1 */
export function majority(sealerCount: number): number {
  return sealerCount - maxFaultyLeader(sealerCount);
}
