/**
 * Calls, results and events in words, by the ABIs that this browser knows: that of the contract
 * itself first, then whichever has the selector.
 */
import { decodeAbi } from "../../../core/abi/decode.ts";
import { type AbiValue, SELECTOR_BYTES, selectorOf } from "../../../core/abi/encode.ts";
import { type AbiType, isDynamicType } from "../../../core/abi/type.ts";
import { fromHex, toHex } from "../../../core/bytes/hex.ts";
import {
  eventTopic,
  itemsOf,
  type JsonItem,
  signatureOf,
  typedParameters,
} from "../../../core/client/abi-item.ts";
import { UsageFault } from "../../../core/client/client-fault.ts";
import { failureReason, type RawLog } from "../../../core/client/contract-output.ts";
import type { Hex } from "../../../core/client/rpc-objects.ts";
import type { HashFunction } from "../../../core/crypto/merkle.ts";

/** A contract whose ABI is known. */
export interface KnownAbi {
  readonly address: string;
  readonly name: string;
  readonly abi: readonly JsonItem[];
  readonly isPrecompiled: boolean;
}

/** A value with its name and type. */
export interface Argument {
  readonly name: string;
  readonly type: AbiType;
  /** Undefined when the log has the hash of the value only. */
  readonly value: AbiValue | undefined;
  /** Of an indexed value that is kept as its hash. */
  readonly hash?: Hex;
}

/** A call or an event that was understood. */
export interface Decoded {
  /** `transfer(address,uint256)`. */
  readonly signature: string;
  readonly name: string;
  /** The contract whose ABI it was. */
  readonly contract: KnownAbi;
  /** True when the ABI is of another contract than the one at the address. */
  readonly isGuess: boolean;
  readonly item: JsonItem;
  readonly args: readonly Argument[];
}

interface Entry {
  readonly contract: KnownAbi;
  readonly item: JsonItem;
}

/** How long the index is worked at before others have a turn. */
const SLICE_MS = 8;

function argumentsOf(item: JsonItem, data: Uint8Array): readonly Argument[] | undefined {
  const inputs = typedParameters(item.inputs);
  const decoded = decodeAbi(
    inputs.map(({ type }) => type),
    data,
  );
  if (!decoded.ok) return undefined;
  return inputs.map(({ name, type }, i) => ({ name, type, value: decoded.values[i] }));
}

/** Indexed values of these types are in the log as their hash. */
function isHashed(type: AbiType): boolean {
  return isDynamicType(type) || type.kind === "array" || type.kind === "tuple";
}

function topicArgument(name: string, type: AbiType, topic: Hex): Argument {
  const decoded = isHashed(type)
    ? undefined
    : decodeAbi([type], fromHex(topic) ?? new Uint8Array());
  const value = decoded?.ok ? decoded.values[0] : undefined;
  return value === undefined
    ? { name, type, value: undefined, hash: topic }
    : { name, type, value };
}

/** The values of a log as an event of the ABI; undefined when they do not fit. */
function eventArguments(item: JsonItem, log: RawLog): readonly Argument[] | undefined {
  const inputs = typedParameters(item.inputs);
  const topics = log.topics.slice(1);
  if (inputs.filter(({ indexed }) => indexed).length !== topics.length) return undefined;
  const plain = inputs.filter(({ indexed }) => !indexed);
  const decoded = decodeAbi(
    plain.map(({ type }) => type),
    fromHex(log.data) ?? new Uint8Array(),
  );
  if (!decoded.ok) return undefined;
  const values = [...decoded.values];
  return inputs.map(({ name, type, indexed }) => {
    const topic = indexed ? topics.shift() : undefined;
    return topic === undefined
      ? { name, type, value: values.shift() }
      : topicArgument(name, type, topic);
  });
}

/** Whether all types of an entry are types of the ABI. */
function isKnown(item: JsonItem): boolean {
  try {
    signatureOf(item);
    typedParameters(item.outputs);
    return true;
  } catch (cause) {
    if (cause instanceof UsageFault) return false;
    throw cause;
  }
}

/** Decodes what a chain shows. */
export class Decoder {
  readonly #contracts: ReadonlyMap<string, KnownAbi>;
  readonly #hashes: readonly HashFunction[];
  /** Functions by selector and events by topic, of all contracts. */
  readonly #index = new Map<string, Entry[]>();

  /** @param hashes those that selectors of the chain may be made with */
  constructor(contracts: readonly KnownAbi[], hashes: readonly HashFunction[]) {
    this.#contracts = new Map(contracts.map((it) => [it.address, it]));
    this.#hashes = hashes;
  }

  /** Learns the selectors of all contracts, a slice at a time. */
  async learn(pause: () => Promise<void>): Promise<this> {
    let began = performance.now();
    for (const contract of this.#contracts.values()) {
      for (const item of contract.abi) {
        this.#learnItem(contract, item);
        if (performance.now() - began < SLICE_MS) continue;
        await pause();
        began = performance.now();
      }
    }
    return this;
  }

  #learnItem(contract: KnownAbi, item: JsonItem): void {
    if (item.type !== "function" && item.type !== "event") return;
    // Libraries have functions of types that only their own code knows: nobody calls those.
    if (!isKnown(item)) return;
    for (const hash of this.#hashes) {
      const key =
        item.type === "event" ? eventTopic(item, hash) : toHex(selectorOf(signatureOf(item), hash));
      const entries = this.#index.get(key) ?? [];
      entries.push({ contract, item });
      this.#index.set(key, entries);
    }
  }

  /** The contract at an address, when its ABI is known. */
  contractAt(address: string): KnownAbi | undefined {
    return this.#contracts.get(address.toLowerCase());
  }

  /** Who may have the key, the contract itself first. */
  #entries(key: string, address: string): readonly Entry[] {
    const own = this.contractAt(address);
    const entries = this.#index.get(key) ?? [];
    return [
      ...entries.filter(({ contract }) => contract === own),
      // What precompiled contracts know is theirs alone.
      ...entries.filter(({ contract }) => contract !== own && own?.isPrecompiled !== true),
    ];
  }

  /** The name of the function that data calls, and whose ABI has it when that is a guess. */
  nameOf(
    address: string,
    input: Hex,
  ): { readonly name: string; readonly guess: string | undefined } | undefined {
    const key = input.slice(2, 2 + 2 * SELECTOR_BYTES).toLowerCase();
    const [entry] = this.#entries(key, address);
    if (entry === undefined) return undefined;
    const { contract, item } = entry;
    const isOwn = contract.address === address.toLowerCase();
    return { name: item.name ?? "", guess: isOwn ? undefined : contract.name };
  }

  /** The call that data makes. */
  call(address: string, input: Hex): Decoded | undefined {
    const bytes = fromHex(input);
    if (bytes === undefined || bytes.length < SELECTOR_BYTES) return undefined;
    for (const entry of this.#entries(toHex(bytes, 0, SELECTOR_BYTES), address)) {
      const args = argumentsOf(entry.item, bytes.subarray(SELECTOR_BYTES));
      if (args) return this.#decoded(entry, address, args);
    }
    return undefined;
  }

  /** The event of a log. */
  event(log: RawLog): Decoded | undefined {
    for (const entry of this.#entries(log.topics[0] ?? "", log.address)) {
      const args = eventArguments(entry.item, log);
      if (args) return this.#decoded(entry, log.address, args);
    }
    return undefined;
  }

  #decoded({ contract, item }: Entry, address: string, args: readonly Argument[]): Decoded {
    const isGuess = contract.address !== address.toLowerCase();
    const parts = { contract, isGuess, item, args };
    return { ...parts, signature: signatureOf(item), name: item.name ?? "" };
  }

  /** What the function returned; undefined when the output is not of its types. */
  result(item: JsonItem, output: Hex): readonly Argument[] | undefined {
    return argumentsOf(
      { ...item, inputs: item.outputs ?? [] },
      fromHex(output) ?? new Uint8Array(),
    );
  }

  /** Why a call failed, by its output. */
  reason(address: string | null, output: Hex): string | undefined {
    const abi = address === null ? [] : (this.contractAt(address)?.abi ?? []);
    for (const hash of this.#hashes) {
      const found = failureReason(output, hash, itemsOf(abi, "error").filter(isKnown));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
