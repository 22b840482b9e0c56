/**
 * Compiles and deploys the contracts of a network file.
 *
 * Source: benchmark 3
 */
import { basename, dirname, join } from "node:path";
import { hexBytes } from "../../../../core/bytes/hex.ts";
import { encodeCreation, type JsonItem } from "../../../../core/client/abi-item.ts";
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { readText, writeWhole } from "../../../folder/whole-files.ts";
import { compileFile, linkedContract, mainContract } from "../../console/contracts/compile.ts";
import { type ContractSpec, inWorkspace, type NetworkPlan } from "../files/network-file.ts";
import { type Chain, openChain } from "./chain.ts";
import { deploy } from "./deploy.ts";
import type { InstalledContract } from "./request-encoder.ts";
import type { TransactionMaker } from "../../../shared/benchmark/signing.ts";

/** What installing needs besides the chain. */
export interface InstallPlace {
  readonly workspace: string;
  readonly maker: TransactionMaker;
  progress(line: string): void;
}

/** Compiled sources are kept in this folder of the workspace. */
const CACHE_FOLDER = ".bench";
const SUFFIX = /\.sol$/;

interface Compiled {
  readonly name: string;
  readonly path: string;
  readonly abi: readonly JsonItem[];
  /** Digits without `0x`. */
  readonly code: string;
}

async function compile(
  path: string,
  chain: Chain,
  { workspace, progress }: InstallPlace,
): Promise<Compiled> {
  const file = { name: basename(path).replace(SUFFIX, ""), path: inWorkspace(workspace, path) };
  const compiled = await compileFile(file, {
    folder: join(workspace, CACHE_FOLDER),
    supportedVersion: chain.version["Supported Version"] ?? "",
    signal: new AbortController().signal,
    progress,
  });
  const { name, abi, code } = linkedContract(mainContract(file, compiled), new Map());
  return { name, path: file.path, abi, code };
}

async function installOne(
  spec: ContractSpec,
  chain: Chain,
  place: InstallPlace,
): Promise<InstalledContract> {
  const { id, address, path } = spec;
  if (path === undefined) return { id, address: address ?? "", abi: undefined };
  try {
    const compiled = await compile(path, chain, place);
    const input = hexBytes(encodeCreation(compiled.abi, hexBytes(compiled.code), []));
    const deployed = await deploy(chain, input, place.maker);
    const file = `${compiled.name}.address`;
    await writeWhole(dirname(compiled.path), { path: file, text: `${deployed}\n`, use: "text" });
    place.progress(`contract ${id}: ${compiled.name} is at ${deployed}`);
    return { id, address: deployed, groupId: chain.groupId, abi: compiled.abi };
  } catch (cause) {
    const why = `contract ${id} (${path}) could not be installed: ${faultText(cause)}`;
    throw new BenchmarkFault("engine", why, { cause });
  }
}

/**
 * Installs all contracts, one after the other.
 *
 * @throws BenchmarkFault `engine` that names the contract and what the compiler or the chain says
 */
export async function installContracts(
  { contracts }: Pick<NetworkPlan, "contracts">,
  chain: Chain,
  place: InstallPlace,
): Promise<readonly InstalledContract[]> {
  const installed: InstalledContract[] = [];
  for (const spec of contracts) installed.push(await installOne(spec, chain, place));
  return installed;
}

/**
 * Installs the contracts in every group of a network file.
 *
 * @param chain of the manager's group
 * @throws BenchmarkFault as `installContracts`
 */
export async function installInGroups(
  plan: NetworkPlan,
  chain: Chain,
  place: InstallPlace,
  clock: BenchClock,
): Promise<readonly InstalledContract[]> {
  const first = await installContracts(plan, chain, place);
  return [...first, ...(await installFurther(plan, place, clock))];
}

/** What is precompiled is in all groups already. */
async function installFurther(
  plan: NetworkPlan,
  place: InstallPlace,
  clock: BenchClock,
): Promise<readonly InstalledContract[]> {
  const contracts = plan.contracts.filter(({ language }) => language === "solidity");
  const further = plan.groupIds.filter((groupId) => groupId !== plan.groupId);
  if (contracts.length === 0) return [];
  const installed: InstalledContract[] = [];
  for (const groupId of further) {
    const chain = await openChain({ ...plan, groupId }, clock);
    try {
      const maker = place.maker.on(chain);
      installed.push(...(await installContracts({ contracts }, chain, { ...place, maker })));
    } finally {
      await chain.close();
    }
  }
  return installed;
}

/** The address that an earlier run wrote beside the source. @throws BenchmarkFault `usage` */
async function addressBefore({ id, path = "" }: ContractSpec, workspace: string): Promise<string> {
  const file = inWorkspace(workspace, path).replace(SUFFIX, ".address");
  const text = (await readText(file))?.trim();
  if (text !== undefined) return text;
  const what = `contract ${id}: ${file} is not there, because nothing has installed it yet`;
  throw new BenchmarkFault("usage", `${what}: leave out the setting that skips install`);
}

/** The contracts of a run that installs none. @throws BenchmarkFault `usage` */
export async function installedBefore(
  { contracts, mode }: NetworkPlan,
  workspace: string,
): Promise<readonly InstalledContract[]> {
  // A chain inside a worker is new: the worker installs.
  if (mode === "inproc") return [];
  return await Promise.all(
    contracts.map(async (spec): Promise<InstalledContract> => {
      const address = spec.address ?? (await addressBefore(spec, workspace));
      return { id: spec.id, address, abi: undefined };
    }),
  );
}
