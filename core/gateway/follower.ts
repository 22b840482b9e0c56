/**
 * Follows a chain from a block that is trusted: the sealers in force, the newest header that they
 * signed, and which upstreams are behind it.
 */
import { isNodeId, toHex } from "../bytes/hex.ts";
import { type ChainView, createChainView, toldNumber } from "../client/chain-view.ts";
import { NodeFault, ProofFault } from "../client/client-fault.ts";
import { typedRequest } from "../client/rpc-methods.ts";
import type { BlockHeader, Hex } from "../client/rpc-objects.ts";
import { type KeptTrail, SealerTrail } from "../client/sealer-trail.ts";
import { toldMembers } from "../client/told-objects.ts";
import { askHeader, followSealers, rulesOf, trailSource } from "../client/trail-reads.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { type KeptAnswers, SHARED_MS, SharedWork } from "./kept-answers.ts";
import { requireOfChain, type Tie, type TieParts } from "./chain-ties.ts";
import { certificateOf } from "./proof-label.ts";
import { Asker, Reader } from "./reader.ts";
import { resultIn, type Told, type Upstream } from "./upstream.ts";
import type { UpstreamSet } from "./upstream-set.ts";
import { within } from "../client/platform.ts";

/** The block that the operator trusts: its sealers vouch for all others. */
export interface TrustedBlock {
  /** 0 for the first block, whose mark names the first sealers. */
  readonly number: number;
  readonly hash: Hex;
}

interface FollowerParts {
  readonly groupId: number;
  readonly trusted: TrustedBlock;
  readonly suite: CryptoSuite;
  readonly upstreams: UpstreamSet;
  readonly kept: KeptAnswers;
  readonly clock: Clock;
  readonly log: Log;
  /** Who lacks a block that others have shown for so long is left out. */
  readonly staleMs: number;
}

/** The newest block that was shown. */
export interface Head {
  readonly header: BlockHeader;
  /**
   * When enough upstreams last told their heights, on the steady clock, in milliseconds; minus
   * infinity while they have not.
   */
  readonly lookedAt: number;
  /**
   * Too few upstreams have reported for longer than one may be behind: there may be newer blocks.
   */
  readonly isStale: boolean;
}

/** What an upstream said of itself. */
interface Introduction {
  /** Its version decides about the form of its receipts. */
  readonly view: ChainView;
  /** Hash of its block 0. */
  readonly genesisHash: unknown;
}

/** When which height had been shown. */
interface Mark {
  readonly number: number;
  readonly at: number;
}

/** Once more than half have reported their heights, the others are waited for so long. */
const GRACE_MS = 250;
/** The head is looked for again after this time: several reads of one page share it. */
const HEAD_MS = 250;
/** Heights that are remembered to tell who is behind: about two in each such part of the time. */
const MARKED_PARTS = 128;

/** The last look at the heights of the upstreams that has ended. */
interface Look {
  readonly began: number;
  readonly ended: number;
  /** Ends when enough have reported their heights, or all have answered. */
  readonly late: Promise<unknown>;
}

const NEVER = Number.NEGATIVE_INFINITY;
const NO_LOOK: Look = { began: NEVER, ended: NEVER, late: Promise.resolve() };

/** A chain that is followed. */
export class Follower implements TieParts {
  readonly groupId: number;
  /** One that remembers signatures. */
  readonly suite: CryptoSuite;
  readonly upstreams: UpstreamSet;
  readonly clock: Clock;
  readonly naming: SharedWork<boolean>;
  readonly #parts: FollowerParts;
  readonly #introduced = new Map<Upstream, Introduction>();
  readonly #introducing: SharedWork<Introduction>;
  readonly #looks: SharedWork<void>;
  /** The block that is trusted, once it was shown. */
  #root: Tie | undefined;
  #trail: KeptTrail | undefined;
  #head: BlockHeader | undefined;
  #lookedAt = NEVER;
  #last = NO_LOOK;
  #marks: Mark[] = [];

  /** Nothing is asked before the first read. */
  constructor(parts: FollowerParts) {
    const { groupId, suite, upstreams, clock } = parts;
    this.#parts = parts;
    this.groupId = groupId;
    this.suite = rememberingSuite(suite);
    this.upstreams = upstreams;
    this.clock = clock;
    this.#looks = new SharedWork(clock);
    this.naming = new SharedWork(clock);
    this.#introducing = new SharedWork(clock);
  }

  /** The newest block that was shown so far; undefined before the first. */
  get head(): Head | undefined {
    const header = this.#head;
    const lookedAt = this.#lookedAt;
    const isOld = this.clock.steady() - lookedAt > this.#parts.staleMs;
    const isStale = lookedAt < this.#last.began && isOld;
    return header && { header, lookedAt, isStale };
  }

  /** The sealers of the newest block; none before the first. */
  get sealers(): readonly string[] {
    return this.#trail?.steps.at(-1)?.sealers ?? [];
  }

  /** The newest block that the upstreams show, as they were asked at most so long ago. */
  async newest(maxAgeMs: number = HEAD_MS): Promise<Head> {
    if (this.#head === undefined || this.clock.steady() - this.#last.ended >= maxAgeMs) {
      await this.#looks.share("head", () => this.#look());
    }
    const { head } = this;
    if (head !== undefined) return head;
    throw new ProofFault("change", `no upstream shows the chain: ${this.reasons()}`);
  }

  /** As `newest`; while that may be an old one those who have not told yet are waited for. */
  async settled(): Promise<Head> {
    const head = await this.newest();
    if (!head.isStale) return head;
    // A look takes no longer than some requests do.
    await within(this.#last.late, this.clock, SHARED_MS);
    return this.head ?? head;
  }

  /** Why upstreams do not count, for the caller. */
  reasons(): string {
    const reasons = this.upstreams.all.map(
      ({ name, leftOut }) => `${name}: ${leftOut?.what ?? "no answer"}`,
    );
    return reasons.join("; ");
  }

  /** Checked reads of an upstream. @throws ProofFault when it shows another chain */
  async reader(upstream: Upstream): Promise<Reader> {
    const { groupId, suite } = this;
    const view = await this.introduce(upstream);
    const knownHeader = (number: number): BlockHeader | undefined => this.#knownHeader(number);
    const asker = new Asker({ upstream, groupId, suite, view, knownHeader });
    const followed = asker.followParts;
    const parts = { suite, source: trailSource(followed, () => rulesOf(followed)) };
    if (this.#trail !== undefined) return new Reader(asker, new SealerTrail(this.#trail, parts));
    const reader = new Reader(asker, await this.#begin(asker));
    await this.#learn(reader, []);
    return reader;
  }

  /**
   * Something was shown by a reader.
   *
   * @param ofGroup the number of a block of which a transaction of the group was shown
   * @throws ProofFault when another block of its number was, or it is of another chain;
   *   TransportFault while too few upstreams report
   */
  async note(reader: Reader, header: BlockHeader, ofGroup?: number): Promise<void> {
    await this.#learn(reader, [header], ofGroup);
    const { number } = header;
    const known = this.known(number);
    if (known !== undefined && known.hash !== header.hash) {
      this.#parts.log.write("error", "the sealers signed two blocks of one number", { number });
      throw new ProofFault("fork", `another block ${number} was shown before`);
    }
    if (this.#knownHeader(number) === undefined) this.#keep(header);
    if (number <= (this.#head?.number ?? -1)) return;
    this.#head = header;
    this.#mark(number);
  }

  /** The newest mark is there always; of those before it some: a block may come each second. */
  #mark(number: number): void {
    const { staleMs } = this.#parts;
    const at = this.clock.steady();
    const isDue = (mark: Mark | undefined): boolean =>
      mark !== undefined && mark.at <= at - staleMs;
    while (isDue(this.#marks[1])) this.#marks.shift();
    const before = this.#marks.at(-2);
    if (before !== undefined && at - before.at < staleMs / MARKED_PARTS) this.#marks.pop();
    this.#marks.push({ number, at });
  }

  /** Takes over what a reader has come to trust, when it is of the chain. @throws as `note` does */
  async #learn(reader: Reader, headers: readonly Tie[], ofGroup?: number): Promise<void> {
    const ties = [...reader.trail.steps, ...headers];
    if (ties.some(({ number, hash }) => this.known(number)?.hash !== hash)) {
      await requireOfChain({ ties, ofGroup }, reader, this);
    }
    this.#adopt(reader.trail);
  }

  /**
   * What an upstream said did not stand: it is asked anew for what it is, since it may have been
   * replaced. A trail that takes more than one look goes on from where it came to.
   */
  async failed(upstream: Upstream, cause: unknown, reader?: Reader): Promise<void> {
    this.#introduced.delete(upstream);
    if (reader === undefined || !(cause instanceof ProofFault) || cause.reason !== "change") return;
    await this.#learn(reader, []).catch(() => undefined);
  }

  /** A block that counts: it was shown, or is trusted. */
  known(number: number): Tie | undefined {
    const step = this.#trail?.steps.find((it) => it.number === number);
    const root = number === this.#root?.number ? this.#root : undefined;
    return step ?? root ?? this.#knownHeader(number);
  }

  #knownHeader(number: number): BlockHeader | undefined {
    if (number === this.#head?.number) return this.#head;
    const found = this.#parts.kept.get(`header ${number}`);
    return found && (JSON.parse(found.text) as BlockHeader);
  }

  #keep(header: BlockHeader): void {
    // Nobody vouches for the list of signatures of another answer: it is kept as it was shown.
    const entry = { text: JSON.stringify(header), label: certificateOf(header) };
    this.#parts.kept.put(`header ${header.number}`, entry);
  }

  /** Of two trails that grew apart the one that has come further is kept. */
  #adopt({ steps }: SealerTrail): void {
    const top = this.#trail?.steps.at(-1)?.number ?? -1;
    if ((steps.at(-1)?.number ?? -1) >= top) this.#trail = { steps };
  }

  /**
   * What an upstream is: which node, of which version. A header does not tell its group, so that
   * the first block of each upstream has to be the one that is trusted.
   *
   * @throws ProofFault for another chain; UsageFault for another suite; TransportFault
   */
  async introduce(upstream: Upstream): Promise<ChainView> {
    const { view, genesisHash } =
      this.#introduced.get(upstream) ??
      (await this.#introducing.share(upstream.name, () => this.#ask(upstream)));
    const wanted = this.#genesisHash();
    if (wanted !== undefined && wanted !== genesisHash) {
      throw new ProofFault("fork", `its first block is ${String(genesisHash)}, not ${wanted}`);
    }
    return view;
  }

  /** Of block 0, with which each trail begins; undefined before the first. */
  #genesisHash(): string | undefined {
    const { trusted } = this.#parts;
    return trusted.number === 0 ? trusted.hash : this.#trail?.steps[0]?.hash;
  }

  async #ask(upstream: Upstream): Promise<Introduction> {
    const { groupId, suite, clock, upstreams } = this;
    const [version, genesis, info] = await upstream.ask([
      { method: "getClientVersion", params: [] },
      { method: "getBlockHashByNumber", params: [groupId, "0"] },
      { method: "getNodeInfo", params: [] },
    ]);
    upstreams.introduced(upstream, nodeIdIn(info));
    const request = typedRequest({ request: async () => resultIn(version) });
    const view = createChainView({ request, groupId, suite, clock });
    await view.facts();
    const introduction = { view, genesisHash: resultIn(genesis) };
    this.#introduced.set(upstream, introduction);
    return introduction;
  }

  /** The first trail of all leads from the block that is trusted. */
  async #begin(asker: Asker): Promise<SealerTrail> {
    const { trusted } = this.#parts;
    const parts = asker.followParts;
    const { number, hash } = trusted;
    const isFirst = number === 0;
    const { sealerList } = isFirst ? { sealerList: [] } : await askHeader(parts, number);
    const root = isFirst ? { genesisHash: hash } : { sealers: sealerList, blockNumber: number };
    const trail = await followSealers(root, parts);
    this.#root = trail.steps.find((step) => step.number === number && step.hash === hash);
    if (this.#root !== undefined) return trail;
    throw new ProofFault("fork", `block ${number} is not ${hash}`);
  }

  async #look(): Promise<void> {
    const { upstreams, clock } = this;
    const now = clock.steady();
    const asked = upstreams.all.filter(
      (it) => !it.isLeftOut(now) || it.leftOut?.reason === "stale",
    );
    // Who was left out may show the chain when nobody else does.
    const all = asked.length > 0 ? asked : upstreams.all;
    const enough = Math.min(upstreams.all.length, upstreams.needed);
    let answered = 0;
    let complete = (): void => undefined;
    const isComplete = new Promise<void>((resolve) => {
      complete = resolve;
    });
    const looks = all.map(async (upstream) => {
      if (!(await this.#lookAt(upstream)) || ++answered !== enough) return;
      // Later than those that are waited for is early enough to count.
      this.#lookedAt = clock.steady();
      complete();
    });
    await mostOf(looks, Math.min(looks.length, enough), clock);
    const late = Promise.race([isComplete, Promise.all(looks)]);
    this.#last = { began: now, ended: clock.steady(), late };
  }

  /** Whether it told a height that counts; never rejects. */
  async #lookAt(upstream: Upstream): Promise<boolean> {
    const { groupId, upstreams } = this;
    const method = "getBlockNumber";
    try {
      const [told] = await upstream.ask([{ method, params: [groupId] }]);
      const height = Number(toldNumber(resultIn(told), method));
      if (height > (this.#head?.number ?? -1)) await this.#show(upstream, height);
      this.#judge(upstream, height);
      return !upstream.isLeftOut(this.clock.steady());
    } catch (cause) {
      if (upstreams.refuseFor(upstream, cause, method)) await this.failed(upstream, cause);
      return false;
    }
  }

  async #show(upstream: Upstream, height: number): Promise<void> {
    const reader = await this.reader(upstream);
    try {
      const header = await reader.header(height);
      await this.note(reader, header);
    } catch (cause) {
      if (!(cause instanceof NodeFault)) {
        await this.failed(upstream, cause, reader);
        throw cause;
      }
      const what = `it names height ${height} and does not show the block: ${cause.message}`;
      this.upstreams.refuse(upstream, "head", what);
    }
  }

  /** Whether an upstream is further behind than it may be. */
  #judge(upstream: Upstream, height: number): void {
    const { upstreams } = this;
    const before = this.clock.steady() - this.#parts.staleMs;
    const due = this.#marks.findLast(({ at }) => at <= before)?.number ?? -1;
    if (height >= due) upstreams.setCurrent(upstream);
    else upstreams.setBehind(upstream, `it is at ${height}, block ${due} was shown long ago`);
  }
}

/** About 300 bytes each. */
const MOST_SIGNATURES = 4_096;

/**
 * A suite that knows the signatures that it has examined: checks ask for each several times. Who
 * signed is found out once for each of the last ones.
 */
function rememberingSuite(suite: CryptoSuite): CryptoSuite {
  const known = new Map<string, Uint8Array | undefined>();
  return {
    ...suite,
    recover(digest, signature) {
      // Longer ones are of Byzantine nodes, and would not be small.
      if (signature.length !== suite.signatureBytes) return suite.recover(digest, signature);
      const key = `${toHex(digest)}${toHex(signature)}`;
      if (known.has(key)) return known.get(key);
      const found = suite.recover(digest, signature);
      if (known.size >= MOST_SIGNATURES) known.delete(known.keys().next().value ?? "");
      known.set(key, found);
      return found;
    },
  };
}

/**
 * @throws ProofFault for one that is none: a client that makes up IDs would vote by each of them
 */
function nodeIdIn(told: Told | undefined): string | undefined {
  if (told === undefined || "fault" in told) return undefined;
  const { NodeID, nodeId } = toldMembers(told.result, "a node");
  const id = NodeID ?? nodeId;
  if (id === undefined || isNodeId(id)) return id;
  throw new ProofFault("malformed", "its node ID is not 128 hexadecimal digits");
}

/** Ends when all have, or some time after this many have: who hangs holds nobody up. */
async function mostOf(
  works: readonly Promise<void>[],
  needed: number,
  clock: Clock,
): Promise<void> {
  let ended = 0;
  const enough = new Promise<void>((resolve) => {
    for (const work of works) {
      void work.then(() => {
        if (++ended >= needed) resolve();
      });
    }
  });
  await enough;
  await within(Promise.all(works), clock, GRACE_MS);
}
