/** What bounds the connections of a node below its sessions. */
import type { Connection } from "@libp2p/interface";
import { WatchedMuxers } from "./frame-watch.ts";
import { WatchedUpgrades } from "./upgrade-watch.ts";

/** One per network; a class because it knows its connections. */
export class ConnectionWatch {
  readonly upgrades: WatchedUpgrades;
  readonly muxers: WatchedMuxers;

  constructor(onOversize?: () => void) {
    this.upgrades = new WatchedUpgrades(onOversize);
    this.muxers = new WatchedMuxers(onOversize);
  }

  /** The other end of a connection has proved its certificate. */
  admit(connection: Connection): void {
    this.upgrades.admit(connection);
    this.muxers.admit(connection);
  }
}
