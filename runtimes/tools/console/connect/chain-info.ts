/** What a node reports of its chain. Source: interface 2.6; sm-suite 1 */
import { ConsoleFault } from "../command.ts";
import type { ChainInfo } from "../session.ts";
import type { VersionAnswer } from "./node-pool.ts";

/** How a release ends on a national chain. Source: sm-suite 1 */
const NATIONAL = /\bgm$/i;
const CHAIN_ID = /^\d{1,20}$/;

/** Reads the answer to getClientVersion. @throws ConsoleFault when it is none */
export async function chainInfoOf(version: VersionAnswer, endpoint: string): Promise<ChainInfo> {
  const chainId = String(version["Chain Id"] ?? "");
  if (!CHAIN_ID.test(chainId))
    throw new ConsoleFault(`${endpoint} does not answer as a node does: no chain ID.`);
  const supportedVersion = String(version["Supported Version"] ?? "").replace(/ ?gm$/i, "");
  const isNational = NATIONAL.test(String(version["FISCO-BCOS Version"] ?? ""));
  const { createChainSuite } = await import("../../../node/machine/chain-suite.ts");
  const suite = await createChainSuite(isNational ? "national" : "standard");
  return { chainId: BigInt(chainId), suite, supportedVersion, version };
}
