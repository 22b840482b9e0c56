/**
 * Whether an address leads back to a port of this very process. Seen, not guessed: the connection
 * that goes out is the one that comes in.
 */
import { once } from "node:events";
import { connect, type Server, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { isOwnAddress } from "../machine/own-address.ts";

/** On one host a connection is there at once, or not at all. */
const LIMIT_MS = 500;
/** Of the event loop, until a port has taken what the system has accepted. */
const TURNS = 16;

/** A port for both families names addresses of the older one in its own way. */
function text(address = "", port = 0): string {
  return `${address.replace(/^::ffff:/i, "")} ${port}`;
}

/** Both ends of a connection, the one that dialled first. */
function path(socket: Socket, isDialler: boolean): string {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  const ends = [text(localAddress, localPort), text(remoteAddress, remotePort)];
  return (isDialler ? ends : ends.reverse()).join(" ");
}

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === "object" ? address?.port : undefined;
}

/** False also where that cannot be determined: behind a name, a proxy, or a translated address. */
export async function leadsHere(
  place: { readonly host: string; readonly port: number },
  servers: Iterable<Server>,
): Promise<boolean> {
  const asked = [...servers].filter((server) => portOf(server) === place.port);
  if (asked.length === 0 || !isOwnAddress(place.host)) return false;
  const came = new Set<string>();
  const hear = (socket: Socket) => void came.add(path(socket, false));
  for (const server of asked) server.on("connection", hear);
  const socket = connect(place);
  // After its connection no caller waits for its faults.
  socket.on("error", () => undefined);
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(LIMIT_MS) });
    const own = path(socket, true);
    for (let turns = 0; turns < TURNS && !came.has(own); turns++) await turn();
    return came.has(own);
  } catch {
    return false;
  } finally {
    socket.destroy();
    for (const server of asked) server.off("connection", hear);
  }
}
