/** Which session gives up its place when there are too many. Source: channel-protocol 2.1 */
import { longestIdle } from "../../limits/longest-idle.ts";
import type { HostedSession } from "./channel-session.ts";

/** The one that is idle longest, of the address that has most; undefined when all are busy. */
export function longestIdleOf<Hosted extends { readonly session: HostedSession }>(
  all: Iterable<Hosted>,
): Hosted | undefined {
  const places = [...all].map((hosted) => {
    const { state, asker, unsentBytes } = hosted.session;
    const isIdle = state.requests.size === 0 && unsentBytes === 0;
    return { hosted, address: asker.address, isIdle, usedAt: state.lastActivityMs };
  });
  return longestIdle(places)?.hosted;
}
