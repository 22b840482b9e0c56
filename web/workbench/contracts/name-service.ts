/** Contracts by name: the chain's own list of names, versions, addresses and ABIs (CNS). */
import { precompiledMessage } from "../../../core/fault/precompiled-code.ts";
import { type AbiList, readAbi } from "../../../core/client/abi-list.ts";
import type { KnownContract } from "../../data/contracts.ts";
import { PRECOMPILED } from "../../data/precompiled.ts";
import {
  type ActingPlace,
  callFunction,
  type Outcome,
  type RunOrder,
  sendFunction,
} from "./chain-client.ts";

/** An entry of the list. Source: precompiles 8 */
interface NamedContract {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  /** Undefined when what stands there is none. */
  readonly abi: AbiList | undefined;
}

const CNS = PRECOMPILED.find(({ name }) => name === "CNS");

function orderOf(name: string, values: readonly unknown[]): RunOrder {
  const item = CNS?.abi.find((it) => it.name === name) ?? { type: "function", name };
  const contract = { address: CNS?.address ?? "", abi: CNS?.abi ?? [], native: true };
  return { contract, item, values };
}

/** Registers a contract under a name and version: a transaction. */
export async function registerName(
  place: ActingPlace,
  { address, abi }: KnownContract,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<Outcome> {
  return await sendFunction(
    place,
    orderOf("insert", [name, version, address, JSON.stringify(abi)]),
  );
}

function readEntries(text: unknown): readonly NamedContract[] {
  const list = JSON.parse(String(text) || "[]") as unknown;
  if (!Array.isArray(list)) return [];
  return list.map((entry: Readonly<Record<string, unknown>>) => ({
    name: String(entry["name"]),
    version: String(entry["version"]),
    address: String(entry["address"]).toLowerCase(),
    abi: readAbi(String(entry["abi"])),
  }));
}

/** The name service did not answer with a list. */
class NameServiceFault extends Error {
  override readonly name = "NameServiceFault";
}

/**
 * The contracts of a name, `Name` or `Name:version`, in the order of their registration.
 *
 * @throws NameServiceFault
 */
export async function findByName(
  place: ActingPlace,
  text: string,
): Promise<readonly NamedContract[]> {
  const [name = "", version] = text.split(":", 2).map((it) => it.trim());
  const order =
    version === undefined
      ? orderOf("selectByName", [name])
      : orderOf("selectByNameAndVersion", [name, version]);
  const outcome = await callFunction(place, order);
  if (outcome.kind === "called") return readEntries(outcome.result);
  const reason = outcome.kind === "failed" ? (outcome.reason ?? String(outcome.cause)) : "";
  throw new NameServiceFault(precompiledMessage(Number(reason)) ?? reason);
}
