/** The chain that the shell has chosen, as every part of the page gets it. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Version as ClientVersion } from "../../core/client/rpc-objects.ts";
import type { CryptoSuite, SuiteName } from "../../core/crypto/suite.ts";
import { NEWEST_VERSION, parseVersion, type Version } from "../../core/model/version.ts";
import type { ChainSource } from "./source.ts";

/** What never changes. */
export interface ChainFacts {
  readonly chainId: bigint;
  /** The compatibility version. Source: interface 9 */
  readonly version: Version;
  readonly suiteName: SuiteName;
  /** As the node reports it. */
  readonly client: ClientVersion;
}

/** A chain, one of its groups, and how far that is. */
export interface Chain {
  readonly source: ChainSource;
  readonly facts: ChainFacts;
  /** Groups that run on the node, ascending. */
  readonly groups: readonly number[];
  readonly groupId: number;
  /** Number of the latest block; undefined until the group has told. */
  readonly height: number | undefined;
  /** Why nothing new is learned of the chain; undefined while all is well. */
  readonly trouble: string | undefined;
}

/** Parts read the chain with {@link useChain}. */
export const ChainContext = createContext<Chain | undefined>(undefined);

/** The chosen chain; undefined while there is none. */
export function useChain(): Chain | undefined {
  return useContext(ChainContext);
}

/** Of a chain of the national suite, behind the version. Source: sm-suite 1 */
const NATIONAL = /\s*\bgm$/i;

/** Asks a node what its chain is. */
export async function readFacts(source: Pick<ChainSource, "request">): Promise<ChainFacts> {
  const client = (await source.request({
    method: "getClientVersion",
    params: [],
  })) as ClientVersion;
  const supported = (client["Supported Version"] ?? "").replace(NATIONAL, "");
  return {
    chainId: BigInt(client["Chain Id"]),
    version: parseVersion(supported) ?? NEWEST_VERSION,
    suiteName: NATIONAL.test(client["FISCO-BCOS Version"] ?? "") ? "national" : "standard",
    client,
  };
}

/** The groups that run on a node. */
export async function readGroups(source: Pick<ChainSource, "request">): Promise<number[]> {
  return [...((await source.request({ method: "getGroupList", params: [] })) as number[])];
}

/** The algorithms of a suite; they are loaded when the first part needs them. */
export async function loadSuite(name: SuiteName): Promise<CryptoSuite> {
  if (name === "standard") {
    const { createStandardSuite } = await import("../../core/crypto/standard.ts");
    return createStandardSuite();
  }
  const { createSmSuite } = await import("../../core/crypto/national.ts");
  return createSmSuite();
}
