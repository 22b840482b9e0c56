/**
 * Whose word certificates rest on: the sealers that this browser saw first of a chain, or that its
 * user entered, and those who are reached from them. The rule is that of core/client/sealer-trail.
 */
import { ProofFault } from "../../core/client/client-fault.ts";
import { genesisSealers } from "../../core/client/genesis-sealers.ts";
import type { TypedRequest } from "../../core/client/rpc-methods.ts";
import type { BlockHeader } from "../../core/client/rpc-objects.ts";
import { SealerTrail, type TrailParts } from "../../core/client/sealer-trail.ts";
import { trailSource } from "../../core/client/trail-reads.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { type ChainFacts, loadSuite } from "./chain.ts";
import { browserTexts, onOutsideChange } from "./kept-texts.ts";
import type { ChainSource } from "./source.ts";
import { isTrustKey, type KeptTrust, TrustStore } from "./trust-store.ts";

/** A group of a source, and what is known of its chain. */
export interface TrustPlace {
  readonly source: ChainSource;
  readonly groupId: number;
  readonly facts: ChainFacts;
  readonly request: TypedRequest;
  /** Hash of block 0, as the node reports it. */
  readonly chain: string;
}

/** How it stands. */
export interface Standing {
  readonly kept: KeptTrust;
  readonly trail: SealerTrail;
  /** Block 0 of another chain that answered here before, and that nobody has given up. */
  readonly otherChain: string | undefined;
}

function isSealed(header: BlockHeader): boolean {
  return (header.signatureList ?? []).length > 0;
}

/** Whether something is only not shown, and contradicts nothing. */
function isUnshown(cause: unknown): boolean {
  return cause instanceof ProofFault && cause.reason === "change";
}

/** Node IDs in a text that somebody pasted; undefined when it has anything else. */
export function pastedIds(text: string): readonly string[] | undefined {
  const words = text.toLowerCase().split(/[\s,;"'[\]]+/);
  const ids = words.filter((it) => it !== "").map((it) => it.replace(/^0x/, ""));
  const isGood = ids.length > 0 && ids.every((it) => /^[0-9a-f]{128}$/.test(it));
  return isGood ? [...new Set(ids)] : undefined;
}

/** Whether both lists have the same members. */
export function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  return [...left].sort().join() === [...right].sort().join();
}

/** What is trusted of one chain. */
export class ChainTrust {
  readonly #place: TrustPlace;
  readonly #trusted: TrustStore;
  readonly #listeners = new Set<() => void>();
  #standing: Promise<Standing> | undefined;

  constructor(place: TrustPlace, trusted: TrustStore) {
    this.#place = place;
    this.#trusted = trusted;
  }

  /**
   * What is trusted; at the first visit that is what the node shows now.
   *
   * @throws ProofFault when the node contradicts itself; what requests throw
   */
  standing(): Promise<Standing> {
    const standing = this.#standing ?? this.#open();
    this.#standing = standing;
    standing.catch(() => {
      if (this.#standing === standing) this.#standing = undefined;
    });
    return standing;
  }

  /** Shows that a header is of the chain that is trusted. @throws ProofFault */
  async certify(header: BlockHeader): Promise<void> {
    const { kept, trail, otherChain } = await this.standing();
    const before = trail.steps;
    await trail.certify(header).finally(() => {
      if (trail.steps === before) return;
      // What another tab of this browser has decided meanwhile stands.
      const found = this.#trusted.find(kept.chain);
      if (found?.seenAt !== kept.seenAt) return;
      this.#keep({ ...found, steps: trail.steps }, trail);
      if (found.confirmedAt !== kept.confirmedAt) this.#tell();
    });
    const { gap, confirmedAt } = kept;
    if (gap !== undefined && confirmedAt === undefined) throw new ProofFault("change", gap);
    if (otherChain === undefined) return;
    throw new ProofFault("change", `this browser has seen another chain here: ${otherChain}`);
  }

  /** The user has compared the sealers. */
  async confirm(): Promise<void> {
    const { kept, trail } = await this.standing();
    this.#replace({ ...kept, confirmedAt: Date.now() }, trail);
  }

  /**
   * The user was given these sealers: of the block that was seen first, or of now.
   *
   * @throws ProofFault when the node shows blocks of others
   */
  async enter(ids: readonly string[]): Promise<void> {
    const entered = { confirmedAt: Date.now(), isEntered: true } as const;
    const { kept, trail } = await this.standing();
    const isKnown = [kept.sealers, trail.sealers].some((it) => sameMembers(it, ids));
    if (isKnown) {
      this.#replace({ ...kept, ...entered }, trail);
      return;
    }
    const begun = await this.#begin(ids);
    this.#replace({ ...begun.kept, ...entered }, begun.trail);
  }

  /** Forgets what was seen: what the node shows now is trusted. */
  async forget(): Promise<void> {
    const { chain, groupId } = this.#place;
    this.#trusted.forget(chain);
    if (this.#place.source.kind === "node") this.#trusted.keepChainAt(groupId, chain);
    this.#standing = undefined;
    await this.standing();
    this.#tell();
  }

  /** The chain that answers now is the one that is meant, and not the one before. */
  async acceptChain(): Promise<void> {
    const { kept, trail } = await this.standing();
    this.#trusted.keepChainAt(this.#place.groupId, kept.chain);
    this.#replace(kept, trail);
  }

  /** Another tab may have decided something: that counts here too. */
  async reopen(): Promise<void> {
    const found = this.#trusted.find(this.#place.chain);
    const { kept, otherChain } = await this.standing();
    const isSame =
      found?.seenAt === kept.seenAt &&
      found.confirmedAt === kept.confirmedAt &&
      otherChain === this.#otherChain();
    if (isSame) return;
    this.#standing = undefined;
    this.#tell();
  }

  /** Reports changes; the answer ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #keep(kept: KeptTrust, trail: SealerTrail): void {
    this.#trusted.keep(kept);
    this.#standing = Promise.resolve(this.#stand(kept, trail));
  }

  #replace(kept: KeptTrust, trail: SealerTrail): void {
    this.#keep(kept, trail);
    this.#tell();
  }

  #stand(kept: KeptTrust, trail: SealerTrail): Standing {
    return { kept, trail, otherChain: this.#otherChain() };
  }

  /** The chains of a tab come and go with their user's will; a node's does not. */
  #otherChain(): string | undefined {
    const { source, groupId, chain } = this.#place;
    if (source.kind !== "node") return undefined;
    const first = this.#trusted.chainAt(groupId);
    if (first === undefined) this.#trusted.keepChainAt(groupId, chain);
    return first === chain ? undefined : first;
  }

  async #open(): Promise<Standing> {
    const kept = this.#trusted.find(this.#place.chain);
    if (kept !== undefined) {
      const suite = await loadSuite(this.#place.facts.suiteName);
      const trail = new SealerTrail(kept, { suite, source: this.#source(suite) });
      return this.#stand(kept, trail);
    }
    const begun = await this.#begin(undefined);
    this.#trusted.keep(begun.kept);
    return this.#stand(begun.kept, begun.trail);
  }

  #source(suite: CryptoSuite) {
    const { facts } = this.#place;
    return trailSource(this.#place, async () => ({ suite, version: facts.version }));
  }

  /** Follows the sealers up from those that block 0 names, where the blocks are sealed. */
  async #fromGenesis(genesis: BlockHeader, header: BlockHeader, parts: TrailParts) {
    const trail = SealerTrail.fromGenesis(genesis, parts);
    if (isSealed(header)) await trail.certify(header);
    return trail;
  }

  /**
   * Begins with given sealers, or with those of the latest block: they have to be reached from
   * block 0, or if that cannot be shown, to lead down to it.
   */
  async #begin(given: readonly string[] | undefined) {
    const { facts, groupId, request, chain } = this.#place;
    const suite = await loadSuite(facts.suiteName);
    const source = this.#source(suite);
    const [genesis, height] = await Promise.all([
      source.header(0),
      request("getBlockNumber", [groupId]),
    ]);
    const header = Number(height) === 0 ? genesis : await source.header(Number(height));
    if (genesis.hash !== chain) {
      throw new ProofFault("fork", "the node gives two different answers for the first block");
    }
    const named = header === genesis ? (genesisSealers(genesis) ?? []) : header.sealerList;
    if (given !== undefined && !sameMembers(given, named)) {
      throw new ProofFault("sealers", `block ${Number(height)} names other sealers`);
    }
    const parts = { suite, source };
    let gap: string | undefined;
    const climb = given === undefined ? this.#fromGenesis(genesis, header, parts) : undefined;
    const climbed = await climb?.catch((cause: unknown) => {
      if (!isSealed(header) || !isUnshown(cause)) throw cause;
      gap = (cause as ProofFault).message;
      return undefined;
    });
    const trail = climbed ?? (await SealerTrail.fromSealers({ genesis, header }, named, parts));
    const kept: KeptTrust = {
      chain,
      seenAt: Date.now(),
      seenNumber: header.number,
      sealers: named,
      gap,
      steps: trail.steps,
    };
    return { kept, trail };
  }
}

const known = new WeakMap<ChainSource, Map<string, ChainTrust>>();

/** All of those, held weakly: who leaves a source behind drops what was trusted of it. */
const listening = new Set<WeakRef<ChainTrust>>();
let isListening = false;

/** One listener for all of them: what another tab decides counts here too. */
function hearOtherTabs(trust: ChainTrust): void {
  for (const it of listening) if (it.deref() === undefined) listening.delete(it);
  listening.add(new WeakRef(trust));
  if (isListening) return;
  isListening = true;
  onOutsideChange((changed) => {
    if (changed !== null && !isTrustKey(changed)) return;
    for (const it of listening)
      it.deref()
        ?.reopen()
        .catch(() => undefined);
  });
}

/** What is trusted of a chain of a source; one for all pages that show it. */
export function trustOf(place: TrustPlace): ChainTrust {
  const chains = known.get(place.source) ?? new Map<string, ChainTrust>();
  known.set(place.source, chains);
  const key = `${place.groupId}:${place.chain}`;
  const already = chains.get(key);
  if (already !== undefined) return already;
  const trust = new ChainTrust(place, new TrustStore(browserTexts()));
  chains.set(key, trust);
  hearOtherTabs(trust);
  return trust;
}
