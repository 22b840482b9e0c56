/** Transactions go to several nodes, sealers first: one that keeps them back stops nobody. */
import { NodeFault } from "../client/client-fault.ts";
import type { RpcCall } from "../client/transport.ts";
import { RelayedFault, RpcFault } from "../fault/rpc-fault.ts";
import { decodeTransaction } from "../model/transaction.ts";
import { bytesArgument } from "../rpc/params.ts";
import type { Follower } from "./follower.ts";
import { PATIENCE_MS } from "./staggered.ts";
import { resultIn, type Upstream } from "./upstream.ts";
import { within } from "../client/platform.ts";

/** The methods that hand in a transaction. */
export const SUBMISSIONS: ReadonlySet<string> = new Set([
  "sendRawTransaction",
  "sendRawTransactionAndGetProof",
]);

/** This many get a transaction; they hand it on to all others. */
const HANDED_TO = 3;

/**
 * Hands in a transaction.
 *
 * @returns its hash, which the gateway computes itself
 * @throws RpcFault for bytes that are none, and when no upstream answers; RelayedFault for the
 *   refusal of all
 */
export async function submit(call: RpcCall, follower: Follower): Promise<string> {
  const { upstreams, suite, clock, sealers } = follower;
  const decoded = decodeTransaction(bytesArgument(call.params[1] as string), suite);
  if (!decoded.ok) throw new RpcFault("internalError", decoded.reason);
  const { hash } = decoded.transaction;
  const isSealer = (it: Upstream): boolean => sealers.includes(it.nodeId ?? "");
  const ranked = upstreams.counting();
  const chosen = [...ranked.filter(isSealer), ...ranked.filter((it) => !isSealer(it))];
  const refusals: NodeFault[] = [];
  let taken = false;
  const works = chosen.slice(0, HANDED_TO).map(async (upstream) => {
    try {
      const [told] = await upstream.ask([call]);
      const said = resultIn(told);
      if (said === hash) taken = true;
      else upstreams.refuse(upstream, "transaction", `it took ${hash} for ${String(said)}`);
    } catch (cause) {
      if (cause instanceof NodeFault) refusals.push(cause);
    }
    // Waiting for the first that takes it goes on while this one did not.
    if (!taken) throw new RpcFault("internalError");
  });
  // Once one has taken the transaction, the others are waited for.
  await Promise.any(works).then(
    () => within(Promise.allSettled(works), clock, PATIENCE_MS),
    () => undefined,
  );
  if (taken) return hash;
  const [first] = refusals;
  if (first !== undefined) throw new RelayedFault(first.code, first.told);
  throw new RpcFault("internalError", "no upstream answered: the transaction was handed to nobody");
}
