/** Asks one upstream after the other until one shows what was asked for. */
import { NodeFault } from "../client/client-fault.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import { isOwnTrouble } from "./agreed-reads.ts";
import type { Follower } from "./follower.ts";
import type { Proved, ProvedRead } from "./proved-reads.ts";
import type { Reader } from "./reader.ts";
import { staggered, type Verdict } from "./staggered.ts";
import type { Upstream } from "./upstream.ts";

/** What is looked for. */
export interface Wanted {
  readonly read: ProvedRead;
  readonly method: string;
  /** They have reported that there is something. */
  readonly claiming: ReadonlySet<Upstream>;
}

/** What came of one upstream. */
type Attempt =
  | { readonly kind: "proved"; readonly proved: Proved }
  | { readonly kind: "nothing" }
  | { readonly kind: "failed"; readonly what: string };

/** How the others are asked after the last of these. */
function nextAfter(attempts: readonly Attempt[], needed: number): Verdict {
  const kind = attempts.at(-1)?.kind;
  if (kind === "proved") return "done";
  if (kind === "failed") return "more";
  // Enough to agree about it: who hangs is not waited for.
  const nothing = attempts.filter((it) => it.kind === "nothing").length;
  return nothing >= needed ? "nearly" : "all";
}

/**
 * One proof is enough, no matter who shows it. That there is nothing all of them are asked:
 * undefined when some say so, and nobody who answers in time shows the contrary.
 *
 * @throws RpcFault -32603 when nobody says either
 */
export async function proveOnce(wanted: Wanted, follower: Follower): Promise<Proved | undefined> {
  const { upstreams, clock } = follower;
  const attempts: Attempt[] = [];
  const judge = (attempt: Attempt): Verdict => {
    attempts.push(attempt);
    return nextAfter(attempts, upstreams.needed);
  };
  const starts = upstreams.proving().map((it) => () => attemptAt(it, wanted, follower));
  await staggered(starts, { clock, first: 1 }, judge);
  for (const attempt of attempts) if (attempt.kind === "proved") return attempt.proved;
  if (attempts.some(({ kind }) => kind === "nothing")) return undefined;
  const failures = attempts.flatMap((it) => (it.kind === "failed" ? [it.what] : []));
  throw new RpcFault("internalError", `no upstream showed it: ${failures.join("; ")}`);
}

/** Never rejects. */
async function attemptAt(
  upstream: Upstream,
  { read, method, claiming }: Wanted,
  follower: Follower,
): Promise<Attempt> {
  const { upstreams } = follower;
  const nothing = (): Attempt => {
    // What an honest node has it still has a moment later.
    if (claiming.has(upstream))
      upstreams.refuse(upstream, "proof", `${method}: it has an answer, and does not show it`);
    return { kind: "nothing" };
  };
  let reader: Reader | undefined;
  try {
    reader = await follower.reader(upstream);
    const proved = await read(reader);
    if (proved === undefined) return nothing();
    await follower.note(reader, proved.header, proved.isOfGroup ? proved.header.number : undefined);
    return { kind: "proved", proved };
  } catch (cause) {
    if (cause instanceof NodeFault && !isOwnTrouble(cause.code)) return nothing();
    if (upstreams.refuseFor(upstream, cause, method)) {
      await follower.failed(upstream, cause, reader);
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    return { kind: "failed", what: `${upstream.name}: ${why}` };
  }
}
