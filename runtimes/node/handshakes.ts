/**
 * Connections of the SDK port whose TLS handshake is not over: strangers, who may be many.
 *
 * Source: channel-protocol 2.2, 11
 */
import type { Socket } from "node:net";
import { ComplaintGate } from "../../core/node/complaint-gate.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";

/** So many may be shaking hands at one time. */
export const MAX_HANDSHAKES = 256;

/** `ip:port` of the other end. */
export function remoteOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress.includes(":") ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

/**
 * Cuts the oldest of the address that has most when there are too many: whoever holds connections
 * open keeps out nobody but itself. A class because it owns them.
 */
export class Handshakes {
  readonly #log: Log;
  readonly #complaints: ComplaintGate<"many">;
  /** By the other end, oldest first. */
  readonly #open = new Map<string, Socket>();

  constructor(log: Log, clock: Pick<Clock, "steady">) {
    this.#log = log;
    this.#complaints = new ComplaintGate(clock);
  }

  /** A TCP connection. */
  begin(socket: Socket): void {
    const remote = remoteOf(socket);
    this.#open.set(remote, socket);
    socket.once("close", () => {
      if (this.#open.get(remote) === socket) this.#open.delete(remote);
    });
    if (this.#open.size > MAX_HANDSHAKES) this.#cutOne();
  }

  /** It has shown who it is, or failed. @returns the connection below TLS */
  end(socket: Socket): Socket | undefined {
    const remote = remoteOf(socket);
    const below = this.#open.get(remote);
    this.#open.delete(remote);
    return below;
  }

  #cutOne(): void {
    const counts = new Map<string, number>();
    for (const { remoteAddress = "" } of this.#open.values())
      counts.set(remoteAddress, (counts.get(remoteAddress) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const [remote, socket] of this.#open) {
      if (counts.get(socket.remoteAddress ?? "") !== most) continue;
      this.#open.delete(remote);
      socket.destroy();
      if (this.#complaints.opens("many"))
        this.#log.write("warning", "connections to the SDK port are cut: too many shake hands", {
          remote,
          handshakes: MAX_HANDSHAKES,
        });
      return;
    }
  }
}
