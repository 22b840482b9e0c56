/**
 * What cannot be shown: asked of more than half of the upstreams, at one height. Each is asked for
 * its height before and after, in one request: what it answered in between is of that height.
 */
import { toldNumber } from "../client/chain-view.ts";
import type { NodeFault } from "../client/client-fault.ts";
import { pause } from "../client/platform.ts";
import type { RpcCall } from "../client/transport.ts";
import { RelayedFault, RPC_FAULTS, RpcFault } from "../fault/rpc-fault.ts";
import { commonPart, isSettledByHeight, isWholeCommon } from "./answer-forms.ts";
import type { LabelledAnswer } from "./kept-answers.ts";
import { staggered, type Verdict } from "./staggered.ts";
import { resultIn, type Told, type Upstream } from "./upstream.ts";
import type { Asking, UpstreamSet } from "./upstream-set.ts";

/** Who has reported that there is something. */
export type Claiming = ReadonlySet<Upstream>;

/** What is asked. */
export interface Question {
  readonly call: RpcCall;
  /** Answers of lower heights are old: a higher block was shown. */
  readonly leastHeight: number;
  /**
   * An answer that there is nothing is wanted: others would have been shown. Here is who could not
   * show the contrary when asked after saying it: what he says counts no more. Undefined when every
   * answer is wanted.
   */
  readonly unshown?: Claiming | undefined;
}

/** What came of asking one upstream. */
type Word =
  | { readonly kind: "vote"; readonly upstream: Upstream; readonly vote: Vote }
  | {
      /**
       * `moved`: a block came in between, or it is behind, and it may fit when it is asked again.
       * `there`: it has what was looked for, which came in between, and may be shown now.
       */
      readonly kind: "moved" | "there" | "none";
      readonly upstream: Upstream;
      readonly what: string;
      /** What it could not do, in its own text. */
      readonly fault?: NodeFault;
    };

interface Vote {
  readonly height: number;
  /** What it has in common with others of the same opinion. */
  readonly common: string;
  readonly told: Told;
}

type Voter = Extract<Word, { kind: "vote" }>;

const ROUNDS = 5;
/** Between two rounds, twice as long after each. */
const ROUND_PAUSE_MS = 50;

/**
 * What a node reports of itself, and not of the chain: it is no vote. That a contract failed is no
 * such error: it stands in the status of the answer. Source: interface 7.1
 */
const OWN_TROUBLE: ReadonlySet<number> = new Set([
  RPC_FAULTS.internalError.code,
  RPC_FAULTS.notInGroup.code,
  RPC_FAULTS.notReady.code,
  RPC_FAULTS.overQpsLimit.code,
  RPC_FAULTS.sdkNotAllowed.code,
  RPC_FAULTS.dynamicGroupForbidden.code,
]);

/** Whether an error reports the node that gives it, and not of the chain. */
export function isOwnTrouble(code: number): boolean {
  return OWN_TROUBLE.has(code);
}

/** Upstreams have what nobody had a moment ago. */
export class NowThere extends Error {
  override readonly name = "NowThere";
  readonly upstreams: readonly Upstream[];

  /** Who says so. */
  constructor(upstreams: readonly Upstream[]) {
    super("upstreams have it now");
    this.upstreams = upstreams;
  }
}

/** The answer of enough upstreams. @throws NowThere; RelayedFault for an error; RpcFault -32603 */
export async function agreedRead(question: Question, asking: Asking): Promise<LabelledAnswer> {
  const { upstreams, clock } = asking;
  let words: readonly Word[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await pause(clock, ROUND_PAUSE_MS * 2 ** (round - 1));
    words = await askRound(question, asking);
    const there = words.filter(({ kind }) => kind === "there").map(({ upstream }) => upstream);
    if (there.length > 0) throw new NowThere(there);
    const agreed = majorityIn(words, upstreams.needed);
    if (agreed !== undefined) {
      nameOthers(question, agreed, words, upstreams);
      return answerOf(question, agreed);
    }
    if (!mayAgreeLater(words)) break;
  }
  requireNoCommonTrouble(words, upstreams.needed);
  throw new RpcFault("internalError", disagreement(words, upstreams));
}

/**
 * -32603 is what a node in trouble says, and what each says of arguments that it cannot read. It
 * outvotes nobody; where nobody says anything else, the words that enough of them share are told.
 *
 * @throws AgreedFault
 */
function requireNoCommonTrouble(words: readonly Word[], needed: number): void {
  const troubled = words.flatMap((word) =>
    word.kind === "none" && word.fault ? [{ upstream: word.upstream, fault: word.fault }] : [],
  );
  const [first] = troubled.map(({ fault }) => fault);
  if (first === undefined || words.some(({ kind }) => kind !== "none")) return;
  const alike = troubled.filter(
    ({ fault }) => fault.code === first.code && fault.told === first.told,
  );
  if (nodesIn(alike) < needed) return;
  throw new AgreedFault(first.code, first.told, undefined);
}

async function askRound(question: Question, asking: Asking): Promise<readonly Word[]> {
  const { upstreams, clock } = asking;
  const { needed } = upstreams;
  const words: Word[] = [];
  const judge = (word: Word): Verdict => {
    words.push(word);
    if (majorityIn(words, needed) !== undefined) return "done";
    const best = Math.max(0, ...groupsIn(words).map(nodesIn));
    // Each that adds no vote to the largest group is made up for by another.
    return words.length > best ? "more" : "wait";
  };
  const attempts = upstreams.counting().map((it) => () => askOne(it, question, asking));
  await staggered(attempts, { clock, first: needed }, judge);
  return words;
}

/** Never rejects. */
async function askOne(upstream: Upstream, question: Question, asking: Asking): Promise<Word> {
  const { call } = question;
  const height: RpcCall = { method: "getBlockNumber", params: [asking.groupId] };
  try {
    await asking.introduce(upstream);
    const [before, told, after] = await upstream.ask([height, call, height]);
    const [from, to] = [before, after].map((it) => toldNumber(resultIn(it), "getBlockNumber"));
    if (told === undefined || from === undefined || from !== to) {
      return { kind: "moved", upstream, what: `went from block ${from} to ${to}` };
    }
    return wordOf(upstream, question, { height: Number(from), told });
  } catch (cause) {
    asking.upstreams.refuseFor(upstream, cause, call.method);
    const what = cause instanceof Error ? cause.message : String(cause);
    return { kind: "none", upstream, what };
  }
}

/** @throws ProofFault for an answer of another form than its method's */
function wordOf(
  upstream: Upstream,
  { call, leastHeight, unshown }: Question,
  { height, told }: { readonly height: number; readonly told: Told },
): Word {
  if (height < leastHeight) {
    return { kind: "moved", upstream, what: `is at block ${height}, behind ${leastHeight}` };
  }
  if ("fault" in told) {
    if (isOwnTrouble(told.fault.code)) {
      // Not its words: they would be told to others.
      const what = `cannot answer (${told.fault.code})`;
      return { kind: "none", upstream, what, fault: told.fault };
    }
    // The texts of errors are of the software, the codes of the interface.
    const common = `error ${told.fault.code}`;
    return { kind: "vote", upstream, vote: { height, common, told } };
  }
  if (unshown && told.result !== null) {
    if (unshown.has(upstream)) return { kind: "none", upstream, what: "does not show what it has" };
    return { kind: "there", upstream, what: "has it" };
  }
  const common = commonPart(call.method, told.result, upstream.nodeId);
  return { kind: "vote", upstream, vote: { height, common, told } };
}

/** Those of one opinion at one height, each group in the order of their answers. */
function groupsIn(words: readonly Word[]): readonly (readonly Voter[])[] {
  const groups = new Map<string, Voter[]>();
  for (const word of words) {
    if (word.kind !== "vote") continue;
    const key = `${word.vote.height} ${word.vote.common}`;
    groups.set(key, [...(groups.get(key) ?? []), word]);
  }
  return [...groups.values()];
}

/**
 * One node has one vote, by however many URLs it is asked. A Byzantine upstream that gives itself
 * the ID of another takes no vote away: it only adds none where the other is.
 */
export function nodesIn(group: readonly { readonly upstream: Upstream }[]): number {
  return new Set(group.map(({ upstream }) => upstream.nodeId ?? upstream)).size;
}

function majorityIn(words: readonly Word[], needed: number): readonly Voter[] | undefined {
  return groupsIn(words).find((group) => nodesIn(group) >= needed);
}

/** Whether heights, which pass, keep the upstreams apart. */
function mayAgreeLater(words: readonly Word[]): boolean {
  const heights = new Set(words.map((it) => (it.kind === "vote" ? it.vote.height : undefined)));
  return words.some(({ kind }) => kind === "moved") || heights.size > 1;
}

/** Who says something else of the same height, where honest nodes cannot. */
function nameOthers(
  { call }: Question,
  agreed: readonly Voter[],
  words: readonly Word[],
  upstreams: UpstreamSet,
): void {
  const height = agreed[0]?.vote.height;
  if (!isSettledByHeight(call.method)) return;
  for (const word of words) {
    if (word.kind !== "vote" || agreed.includes(word) || word.vote.height !== height) continue;
    const what = `${call.method} at block ${height}: ${agreed.length} others answer alike`;
    upstreams.refuse(word.upstream, "differs", what);
  }
}

/** @throws RelayedFault */
function answerOf({ call }: Question, agreed: readonly Voter[]): LabelledAnswer {
  const [first] = agreed;
  if (first === undefined) throw new RpcFault("internalError");
  const { told, height } = first.vote;
  const kind = isWholeCommon(call.method) ? ("quorum" as const) : ("none" as const);
  // Nothing shows which of the upstreams are sealers: each gives itself its node ID.
  const label = { kind, height, sealers: [] };
  if ("fault" in told) throw new AgreedFault(told.fault.code, agreedText(agreed), label);
  return { text: JSON.stringify(told.result), label };
}

/** Texts may differ, and a Byzantine upstream could choose one: it has to be that of all. */
function agreedText(agreed: readonly Voter[]): string {
  const faults = agreed.flatMap(({ vote: { told } }) => ("fault" in told ? [told.fault] : []));
  const [first] = faults;
  if (first !== undefined && faults.every(({ told }) => told === first.told)) return first.told;
  return `The upstreams agree that this fails with code ${first?.code}, each in its own text`;
}

/** An error that enough upstreams gave. */
export class AgreedFault extends RelayedFault {
  /** Undefined for what rests on nothing. */
  readonly label: LabelledAnswer["label"] | undefined;

  /** @param text the words of all of them, or the gateway's own */
  constructor(code: number, text: string, label: LabelledAnswer["label"] | undefined) {
    super(code, text);
    this.label = label;
  }
}

/** What failed on the way to an upstream names it already. */
function named(name: string, what: string): string {
  return what.startsWith(`${name}: `) ? what : `${name}: ${what}`;
}

/** Who said what, for the caller. */
function disagreement(words: readonly Word[], { all, needed }: UpstreamSet): string {
  if (all.length < needed) {
    const has = `this gateway has ${all.length}`;
    return `What no block proves is asked from at least ${needed} upstreams; ${has}`;
  }
  const groups = groupsIn(words).map((group) => {
    const names = group.map(({ upstream }) => upstream.name).join(", ");
    const verb = group.length > 1 ? "agree" : "differs";
    const one = nodesIn(group) < group.length ? ` (${nodesIn(group)} of them different nodes)` : "";
    return `${names} ${verb} at block ${group[0]?.vote.height}${one}`;
  });
  const others = words.flatMap((word) =>
    word.kind === "vote" ? [] : [named(word.upstream.name, word.what)],
  );
  const unasked = all
    .filter((it) => !words.some(({ upstream }) => upstream === it))
    .map(
      ({ name, leftOut }) => `${name}: ${leftOut ? `left out (${leftOut.reason})` : "not asked"}`,
    );
  const told = [...groups, ...others, ...unasked].join("; ");
  return `${needed} of ${all.length} upstreams have to agree at one height: ${told}`;
}
