/**
 * libp2p notes every peer that opens a stream or is dialled, and forgets none: each stranger with a
 * new key would leave an entry for ever. Nothing here asks for these notes, so they go with the
 * last connection of the peer.
 */
import type { Libp2p, PeerId } from "@libp2p/interface";

/** Keeps the notes to peers that are connected. */
export function forgetPeers(libp2p: Libp2p): void {
  const forget = (peer: PeerId) => {
    if (libp2p.getConnections(peer).length > 0) return;
    // A store that is closing forgets everything anyway.
    libp2p.peerStore.delete(peer).catch(() => {});
  };
  libp2p.addEventListener("peer:disconnect", ({ detail }) => forget(detail));
  // A note may be written after the connection has ended: its stream was being opened.
  libp2p.addEventListener("peer:update", ({ detail }) => forget(detail.peer.id));
}
