/**
 * The contracts that this browser knows, with their ABIs: deployed from the workbench, attached, or
 * given an ABI in the explorer. Kept in the browser, for each chain apart.
 */
import type { AbiList } from "../../core/client/abi-list.ts";
import { browserTexts, type KeptTexts, keysUnder, onOutsideChange } from "./kept-texts.ts";

/** A contract at an address. */
export interface KnownContract {
  /** Hash of block 0 of its group: what distinguishes chains and groups. */
  readonly chain: string;
  /** 0x and 40 lower-case digits. */
  readonly address: string;
  /** What the user calls it. */
  readonly label: string;
  /** What the source calls it. */
  readonly name: string;
  readonly abi: AbiList;
  /** When it was kept, in milliseconds. */
  readonly at: number;
  /** Hash of the transaction that created it, where that is known. */
  readonly creation?: string | undefined;
  /** Selectors are of the chain's own hash, not of Keccak-256 as compilers make them. */
  readonly native?: boolean | undefined;
}

/** The browser has no room for more. */
export class RegistryFullFault extends Error {
  override readonly name = "RegistryFullFault";
}

/** Contracts of one chain that are kept: more are refused, so that none disappears. */
export const MOST_CONTRACTS = 500;
const PREFIX = "chain-node.contract.";

function keyOf(chain: string, address: string): string {
  return `${PREFIX}${chain}.${address.toLowerCase()}`;
}

function readContract(text: string | null): KnownContract | undefined {
  if (text === null) return undefined;
  try {
    const value = JSON.parse(text) as Partial<KnownContract>;
    const { address, label, name, abi, chain } = value;
    const texts = [address, label, name, chain];
    const isWhole = texts.every((it) => typeof it === "string") && Array.isArray(abi);
    return isWhole ? (value as KnownContract) : undefined;
  } catch {
    return undefined;
  }
}

/** The contracts that are known, over texts that are kept. */
export class ContractRegistry {
  readonly #texts: KeptTexts;
  readonly #listeners = new Set<() => void>();

  constructor(texts: KeptTexts) {
    this.#texts = texts;
    onOutsideChange((key) => {
      if (key === null || key.startsWith(PREFIX)) this.#tell();
    });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Those of a chain, the latest first. */
  list(chain: string): readonly KnownContract[] {
    const wanted = keysUnder(this.#texts, `${PREFIX}${chain}.`);
    const found = wanted.map((key) => readContract(this.#texts.getItem(key)));
    return found.filter((it) => it !== undefined).sort((a, b) => b.at - a.at);
  }

  find(chain: string, address: string): KnownContract | undefined {
    return readContract(this.#texts.getItem(keyOf(chain, address)));
  }

  /** Adds a contract, or replaces what was known of it. @throws RegistryFullFault */
  keep(contract: KnownContract): void {
    const address = contract.address.toLowerCase();
    const key = keyOf(contract.chain, address);
    const isNew = this.#texts.getItem(key) === null;
    if (isNew && this.list(contract.chain).length >= MOST_CONTRACTS) {
      throw new RegistryFullFault(`${MOST_CONTRACTS} contracts are kept already`);
    }
    try {
      this.#texts.setItem(key, JSON.stringify({ ...contract, address }));
    } catch (cause) {
      throw new RegistryFullFault("the browser has no room for the contract", { cause });
    }
    this.#tell();
  }

  forget(chain: string, address: string): void {
    this.#texts.removeItem(keyOf(chain, address));
    this.#tell();
  }

  /** Reports changes, here and in other tabs; the answer ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

let registry: ContractRegistry | undefined;

/** The book of this browser. */
export function contractRegistry(): ContractRegistry {
  registry ??= new ContractRegistry(browserTexts());
  return registry;
}
