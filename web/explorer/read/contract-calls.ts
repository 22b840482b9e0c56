/** Reads of precompiled contracts that the explorer makes by itself. */
import { encodeFunction } from "../../../core/client/abi-item.ts";
import { decodeResult } from "../../../core/client/contract-output.ts";
import type { Hex } from "../../../core/client/rpc-objects.ts";
import { loadSuite } from "../../data/chain.ts";
import { precompiledAt } from "../../data/precompiled.ts";
import type { Place } from "./place.tsx";

const NOBODY: Hex = `0x${"0".repeat(40)}`;

/** An entry of the name service. Source: precompiles 8 */
export interface CnsEntry {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly abi: string;
}

/** Which function of which precompiled contract. */
interface Call {
  readonly address: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What a function answers, and what that rests on. */
interface Answered {
  readonly value: unknown;
  readonly proof: string | undefined;
}

/** The contract was asked and did not answer: chains of older versions lack functions. */
class RefusedCallError extends Error {
  override readonly name = "RefusedCallError";
}

/** Asks for it. */
async function ask(
  { reads, chain, groupId }: Place,
  { address, name, args }: Call,
): Promise<Answered> {
  const suite = await loadSuite(chain.facts.suiteName);
  const abi = precompiledAt(address)?.abi ?? [];
  const { item, data } = encodeFunction(abi, name, args, suite.hash);
  const request = { from: NOBODY, to: address, data };
  const answer = await reads.request("call", [groupId, request]);
  const { output, status } = answer;
  if (Number(status) !== 0) throw new RefusedCallError(`${name}: ${status}`);
  return { value: decodeResult(item, output), proof: reads.proofOf(answer) };
}

const CNS = `0x${"0".repeat(36)}1004`;
const LIFE_CYCLE = `0x${"0".repeat(36)}1007`;

function entryOf(value: unknown): CnsEntry | undefined {
  const { name, version, address, abi } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const texts = [name, version, address, abi];
  if (!texts.every((it) => typeof it === "string")) return undefined;
  return { name, version, address, abi } as CnsEntry;
}

/** The addresses that a name stands for; `name:version` for one of them. */
export async function lookUpName(place: Place, typed: string): Promise<readonly CnsEntry[]> {
  const [name = "", version] = typed.split(":", 2);
  const call =
    version === undefined
      ? { address: CNS, name: "selectByName", args: [name] }
      : { address: CNS, name: "selectByNameAndVersion", args: [name, version] };
  const found = JSON.parse(String((await ask(place, call)).value)) as unknown;
  const list = Array.isArray(found) ? found : [];
  return list.map(entryOf).filter((it) => it !== undefined);
}

/** What the chain says of a contract's state, in its own text. */
export interface ContractState {
  readonly words: string;
  readonly proof: string | undefined;
}

/** Asks for it; undefined where the chain says nothing of it. */
export async function contractState(
  place: Place,
  address: string,
): Promise<ContractState | undefined> {
  const call = { address: LIFE_CYCLE, name: "getStatus", args: [address] };
  try {
    const { value, proof } = await ask(place, call);
    return { words: String(Array.isArray(value) ? value[1] : value), proof };
  } catch (cause) {
    if (cause instanceof RefusedCallError) return undefined;
    throw cause;
  }
}
