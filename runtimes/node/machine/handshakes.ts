/**
 * Connections to a port that have not shown yet who they are: there may be many.
 * Source: channel-protocol 2.2, 11; node-network 2
 */
import type { Socket } from "node:net";
import { clientOf } from "../../../core/limits/client-address.ts";
import { LogThrottle } from "../../../core/limits/log-throttle.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { endpointText } from "./endpoint-text.ts";

/** This many may be shaking hands with a port at one time. */
export const MAX_HANDSHAKES = 256;

/** What a port grants to unauthenticated peers. */
interface HandshakeTerms {
  /** What the log says when there are too many. */
  readonly warning: string;
  /** Of one address at one time; absent: as many as of all. */
  readonly perAddress?: number;
  /** From the connection to the end of the handshake; absent: the port sees to it. */
  readonly deadlineMs?: number;
}

/** An unauthenticated connection. */
interface Handshake {
  readonly socket: Socket;
  readonly address: string;
  /** Stops the clock. */
  readonly settle: () => void;
}

/** `ip:port` of the other end. */
export function remoteOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return endpointText({ host: remoteAddress, port: remotePort });
}

/**
 * Cuts the oldest of the address that has most when there are too many: a caller that holds
 * connections open keeps out nobody but itself. A class because it owns them.
 */
export class Handshakes {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "steady" | "after">;
  readonly #terms: HandshakeTerms;
  readonly #complaints: LogThrottle<"many">;
  /** By the other end, oldest first. */
  readonly #open = new Map<string, Handshake>();

  constructor(log: Log, clock: Pick<Clock, "steady" | "after">, terms: HandshakeTerms) {
    this.#log = log;
    this.#clock = clock;
    this.#terms = terms;
    this.#complaints = new LogThrottle(clock);
  }

  /** A TCP connection, known by its other end from now on. */
  begin(socket: Socket, remote = remoteOf(socket)): void {
    const { deadlineMs, perAddress = MAX_HANDSHAKES } = this.#terms;
    const address = clientOf(socket.remoteAddress ?? "");
    const cut = () => void socket.destroy();
    const settle = deadlineMs === undefined ? () => {} : this.#clock.after(deadlineMs, cut);
    this.end(remote);
    this.#open.set(remote, { socket, address, settle });
    socket.once("close", () => {
      if (this.#open.get(remote)?.socket === socket) this.end(remote);
      settle();
    });
    if ((this.#counts().get(address) ?? 0) > perAddress) this.#cutOne(address);
    else if (this.#open.size > MAX_HANDSHAKES) this.#cutOne();
  }

  /** It has shown who it is, or failed. @returns the connection below TLS */
  end(remote: string): Socket | undefined {
    const handshake = this.#open.get(remote);
    this.#open.delete(remote);
    handshake?.settle();
    return handshake?.socket;
  }

  /** The port closes. */
  cutAll(): void {
    for (const { socket } of [...this.#open.values()]) socket.destroy();
  }

  #counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { address } of this.#open.values())
      counts.set(address, (counts.get(address) ?? 0) + 1);
    return counts;
  }

  /** The oldest of an address; of the one that has most when it is not said. */
  #cutOne(only?: string): void {
    const counts = this.#counts();
    const most = Math.max(...counts.values());
    for (const [remote, { socket, address }] of this.#open) {
      if (only === undefined ? counts.get(address) !== most : address !== only) continue;
      const handshakes = only === undefined ? this.#open.size : counts.get(address);
      this.end(remote);
      socket.destroy();
      if (this.#complaints.allows("many"))
        this.#log.write("warning", this.#terms.warning, { remote, handshakes });
      return;
    }
  }
}
