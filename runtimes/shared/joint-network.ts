/**
 * Two networks as one: the nodes of this process, joined in memory, and those that come over
 * sockets once somebody wants to. Who is in memory is reached there.
 */
import type { NodeId } from "../../core/bytes/ids.ts";
import { invariant } from "../../core/fault/invariant.ts";
import type { Network, NetworkEvents } from "../../core/ports/network.ts";

/** A network that can be widened while it runs. */
export interface JointNetwork extends Network {
  penalise(peer: NodeId, reason: string): void;
  /**
   * Adds the network over sockets, once; it is started with this one, or now.
   *
   * @throws what its start throws
   */
  widen(outer: Network): Promise<void>;
}

/** Over the network in memory. */
export function createJointNetwork(inner: Network): JointNetwork {
  const near = new Set<NodeId>();
  let events: NetworkEvents | undefined;
  let outer: Network | undefined;
  const startOuter = async (network: Network, to: NetworkEvents): Promise<void> => {
    const { admission } = to;
    await network.start({
      ...(admission ? { admission: (message) => admission.call(to, message) } : {}),
      message: (message) => to.message(message),
      peerUp: (peer) => {
        if (!near.has(peer)) to.peerUp(peer);
      },
      peerDown: (peer) => {
        if (!near.has(peer)) to.peerDown(peer);
      },
    });
  };
  return {
    self: inner.self,
    peers() {
      const all = inner.peers();
      const far = outer?.peers() ?? [];
      return [...all, ...far.filter(({ nodeId }) => !near.has(nodeId))];
    },
    async start(to) {
      events = to;
      await inner.start({
        message: (message) => to.message(message),
        peerUp(peer) {
          near.add(peer);
          to.peerUp(peer);
        },
        peerDown(peer) {
          near.delete(peer);
          to.peerDown(peer);
        },
      });
      if (outer) await startOuter(outer, to);
    },
    send(to, message) {
      if (near.has(to)) inner.send(to, message);
      else outer?.send(to, message);
    },
    penalise(peer, reason) {
      const network = near.has(peer) ? inner : outer;
      network?.penalise?.(peer, reason);
    },
    async stop() {
      events = undefined;
      near.clear();
      await Promise.all([inner.stop(), outer?.stop()]);
    },
    async widen(network) {
      invariant(!outer, "a network is widened once");
      outer = network;
      if (!events) return;
      try {
        await startOuter(network, events);
      } catch (cause) {
        outer = undefined;
        throw cause;
      }
    },
  };
}
