/** What keeps others from the keys of the nodes in this browser. */
import { useEffect, useState } from "preact/hooks";
import { type NodeKeyLock, nodeKeyLock } from "../../runtimes/browser/keys/node-keys.ts";

/** Undefined while it is not known, and where there are no keys; and what looks again. */
export function useNodeLock(
  chain: string | undefined,
): readonly [NodeKeyLock | undefined, () => void] {
  const [lock, setLock] = useState<NodeKeyLock>();
  const look = () => {
    if (chain !== undefined) nodeKeyLock(chain).then(setLock, () => setLock(undefined));
  };
  useEffect(look, [chain]);
  return [lock, look];
}
