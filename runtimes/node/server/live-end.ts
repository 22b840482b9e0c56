/**
 * The live view of a running node at its RPC port: `GET /live?group=1` as server-sent events. They
 * go one way only, which is all that a read-only view needs, come through whatever lets HTTP
 * through, and browsers take them up again by themselves; what a watcher leaves unread is counted
 * by the socket.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { LiveMessage } from "../../shared/theatre/api.ts";
import type { WatchPost } from "../../shared/theatre/live/watch-post.ts";
import { type Caller, hostRefusal, NO_SNIFFING, ORIGIN_REFUSAL } from "../../shared/http-caller.ts";
import { isHandedOn } from "../../shared/request-headers.ts";
import type { UpgradeHandler } from "./http-server.ts";

/** Who may watch: nobody, programs of this machine, or everybody who reaches the port. */
export type LiveAccess = "off" | "loopback" | "on";

/** How a node may be watched. */
export interface LiveOptions {
  readonly post: WatchPost;
  readonly access: LiveAccess;
  /** What a watcher may leave unread before he is dropped; a MiB when absent. */
  readonly maxUnreadBytes?: number;
}

/** Where the view is. */
export const LIVE_PATH = "/live";
/** What a watcher may leave unread before he is dropped. */
const MOST_UNREAD_BYTES = 1024 * 1024;
const MOST_GROUP_ID = 32_767;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** A port with the live view next to what it takes already. */
export function withLiveView(inner: UpgradeHandler, options: LiveOptions): UpgradeHandler {
  return {
    upgrade: (upgrade) => inner.upgrade(upgrade),
    answer: (incoming, outgoing, caller) => {
      // What stands there is anybody's text: it need not be a URL.
      const [path] = (incoming.url ?? "").split("?", 1);
      if (path !== LIVE_PATH || incoming.method !== "GET") return false;
      const refused = refusal(incoming, caller, options);
      if (refused !== undefined) refuse(outgoing, 403, refused);
      else answerLive(incoming, outgoing, { ...options, cors: caller.cors });
      return true;
    },
    close: async () => {
      options.post.close();
      await inner.close();
    },
  };
}

/** Why somebody may not watch, in words; undefined: he may. */
function refusal(
  incoming: IncomingMessage,
  caller: Caller,
  { access }: LiveOptions,
): string | undefined {
  if (access === "off") return "rpc.live_view is off\n";
  if (access === "loopback" && !isOfThisMachine(incoming))
    return "the live view is for this machine only: set rpc.live_view = on to open it\n";
  if (!caller.isSentHere) return hostRefusal(caller);
  return caller.leave === "all" ? undefined : ORIGIN_REFUSAL;
}

/** Not from elsewhere, and not handed on by a proxy for somebody elsewhere. */
function isOfThisMachine({ socket, headers }: IncomingMessage): boolean {
  return !isHandedOn(headers) && LOOPBACK.test(socket.remoteAddress ?? "");
}

function answerLive(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { post, maxUnreadBytes = MOST_UNREAD_BYTES, cors }: LiveOptions & Pick<Caller, "cors">,
): void {
  const query = (incoming.url ?? "").slice(LIVE_PATH.length + 1);
  const group = new URLSearchParams(query).get("group") ?? "1";
  const groupId = /^\d{1,5}$/.test(group) ? Number(group) : 0;
  if (groupId < 1 || groupId > MOST_GROUP_ID)
    return refuse(outgoing, 400, `${group.slice(0, 20)} is no group\n`);
  outgoing.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    ...NO_SNIFFING,
    ...cors,
  });
  // A watcher that hung up is nobody's trouble.
  outgoing.on("error", () => undefined);
  const end = post.watch(groupId, (message) => send(outgoing, message, maxUnreadBytes));
  outgoing.once("close", end);
}

function refuse(outgoing: ServerResponse, status: 400 | 403, text: string): void {
  outgoing.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", ...NO_SNIFFING });
  outgoing.end(text);
}

/** False when the watcher has not read what it was sent: it is cut off. */
function send(outgoing: ServerResponse, message: LiveMessage, mostUnread: number): boolean {
  if (outgoing.destroyed) return false;
  if (message.type === "end" && message.reason === "slow") {
    outgoing.destroy();
    return false;
  }
  if (outgoing.writableLength > mostUnread) return false;
  outgoing.write(`data: ${JSON.stringify(message)}\n\n`);
  if (message.type === "end") outgoing.end();
  return true;
}
