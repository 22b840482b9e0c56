/** What this browser trusts of each chain: kept as texts, for each first block apart. */
import type { TrailStep } from "../../core/client/told-objects.ts";
import type { KeptTexts } from "./kept-texts.ts";

/** What is trusted of a chain. */
export interface KeptTrust {
  /** Hash of block 0 of the group: what distinguishes chains and groups. */
  readonly chain: string;
  /** When its sealers were seen first, or entered, in milliseconds. */
  readonly seenAt: number;
  /** Number of the block that they sealed. */
  readonly seenNumber: number;
  /** Node IDs. */
  readonly sealers: readonly string[];
  /** When the user said that these are the right ones. */
  readonly confirmedAt?: number | undefined;
  /** Whether the user gave them, and not the node. */
  readonly isEntered?: boolean | undefined;
  /** Why they are not reached from block 0: their user has to compare them. */
  readonly gap?: string | undefined;
  /** What is reached from them. */
  readonly steps: readonly TrailStep[];
}

const PREFIX = "chain-node.trust.";
const PLACE = "chain-node.trust-place.";

/** Whether a text of the browser belongs to this book. */
export function isTrustKey(key: string): boolean {
  return key.startsWith(PREFIX) || key.startsWith(PLACE);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((it) => typeof it === "string");
}

function isStep(value: unknown): value is TrailStep {
  const { number, hash, parentHash, sealers } = (value ?? {}) as Partial<TrailStep>;
  const texts = [hash, parentHash].every((it) => typeof it === "string");
  return Number.isSafeInteger(number) && texts && isTexts(sealers);
}

function readTrust(text: string | null): KeptTrust | undefined {
  try {
    const value = JSON.parse(text ?? "null") as Partial<KeptTrust> | null;
    if (value === null || !isTexts(value.sealers) || !Array.isArray(value.steps)) return undefined;
    const { chain, seenAt, seenNumber, steps } = value;
    const isWhole = typeof chain === "string" && Number.isFinite(seenAt);
    const hasSteps = steps.length > 0 && steps.every(isStep) && steps[0]?.hash === chain;
    return isWhole && hasSteps && Number.isSafeInteger(seenNumber)
      ? (value as KeptTrust)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What is trusted, over texts that are kept. */
export class TrustStore {
  readonly #texts: KeptTexts;

  constructor(texts: KeptTexts) {
    this.#texts = texts;
  }

  /** What is trusted of a chain; undefined for one that was never seen. */
  find(chain: string): KeptTrust | undefined {
    return readTrust(this.#texts.getItem(PREFIX + chain));
  }

  /** Keeps it; a browser without room forgets it with the page. */
  keep(trust: KeptTrust): void {
    this.#write(PREFIX + trust.chain, JSON.stringify(trust));
  }

  forget(chain: string): void {
    this.#texts.removeItem(PREFIX + chain);
  }

  /** The chain that answered first for a group at this address. */
  chainAt(groupId: number): string | undefined {
    return this.#texts.getItem(`${PLACE}${groupId}`) ?? undefined;
  }

  /** From now on this one is meant. */
  keepChainAt(groupId: number, chain: string): void {
    this.#write(`${PLACE}${groupId}`, chain);
  }

  #write(key: string, value: string): void {
    try {
      this.#texts.setItem(key, value);
    } catch {
      // Full: what was trusted before stands, and is extended again at the next visit.
    }
  }
}
