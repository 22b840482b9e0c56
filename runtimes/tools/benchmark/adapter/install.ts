/** Compiles and deploys the contracts of a network file. Source: benchmark 3 */
import { basename, dirname, join } from "node:path";
import { hexBytes } from "../../../../core/bytes/hex.ts";
import { encodeCreation, type JsonItem } from "../../../../core/client/abi-item.ts";
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { readText, writeWhole } from "../../../folder/whole-files.ts";
import { compileFile, linkedContract, mainContract } from "../../console/contracts/compile.ts";
import { type ContractSpec, inWorkspace, type NetworkPlan } from "../files/network-file.ts";
import { type Chain, openChain } from "./chain.ts";
import type { InstalledContract } from "./request-encoder.ts";
import type { TransactionMaker } from "../../../shared/benchmark/signing.ts";
import { failureOf } from "../../../shared/benchmark/receipt-watch.ts";
import type { Lane } from "./lane.ts";

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

/**
 * The file that keeps the address of a contract, next to its source. Further groups have names of
 * their own. Source: benchmark 3
 */
function addressFile(name: string, groupId: number, groupIds: readonly number[]): string {
  return groupId === (groupIds[0] ?? groupId)
    ? `${name}.address`
    : `${name}.group${groupId}.address`;
}

/** A contract as the compiler gave it; one that is precompiled needs none. */
type Prepared = readonly [spec: ContractSpec, compiled: Compiled | undefined];

function installFault({ id, path }: ContractSpec, cause: unknown): BenchmarkFault {
  const why = `contract ${id} (${path}) could not be installed: ${faultText(cause)}`;
  return new BenchmarkFault("engine", why, { cause });
}

async function prepare(spec: ContractSpec, chain: Chain, place: InstallPlace): Promise<Prepared> {
  if (spec.path === undefined) return [spec, undefined];
  try {
    return [spec, await compile(spec.path, chain, place)];
  } catch (cause) {
    throw installFault(spec, cause);
  }
}

async function installOne(
  [spec, compiled]: Prepared,
  chain: Chain,
  place: InstallPlace,
): Promise<InstalledContract> {
  const { id, address = "" } = spec;
  if (compiled === undefined) return { id, address, abi: undefined };
  try {
    const input = hexBytes(encodeCreation(compiled.abi, hexBytes(compiled.code), []));
    const deployed = await deploy(chain, input, place.maker);
    const file = addressFile(compiled.name, chain.groupId, chain.groupIds);
    await writeWhole(dirname(compiled.path), { path: file, text: `${deployed}\n`, use: "text" });
    place.progress(`contract ${id}: ${compiled.name} is at ${deployed}`);
    return { id, address: deployed, groupId: chain.groupId, abi: compiled.abi };
  } catch (cause) {
    throw installFault(spec, cause);
  }
}

/**
 * Compiles all contracts, and then deploys them at one time.
 * @throws BenchmarkFault `engine` that names the contract and what the compiler or the chain says
 */
export async function installContracts(
  { contracts }: Pick<NetworkPlan, "contracts">,
  chain: Chain,
  place: InstallPlace,
): Promise<readonly InstalledContract[]> {
  const prepared: Prepared[] = [];
  for (const spec of contracts) prepared.push(await prepare(spec, chain, place));
  return await Promise.all(prepared.map((one) => installOne(one, chain, place)));
}

/**
 * Installs the contracts in every group of a network file.
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

/** The address that an earlier run wrote next to the source. @throws BenchmarkFault `usage` */
async function addressBefore(
  { id, path = "" }: ContractSpec,
  groupId: number,
  { groupIds }: NetworkPlan,
  workspace: string,
): Promise<string> {
  const source = inWorkspace(workspace, path);
  const name = addressFile(basename(source).replace(SUFFIX, ""), groupId, groupIds);
  const file = join(dirname(source), name);
  const text = (await readText(file))?.trim();
  if (text !== undefined) return text;
  const what = `contract ${id}: ${file} is not there, because nothing has installed it yet`;
  throw new BenchmarkFault("usage", `${what}: leave out the setting that skips install`);
}

/** The contracts of a run that installs none. @throws BenchmarkFault `usage` */
export async function installedBefore(
  plan: NetworkPlan,
  workspace: string,
): Promise<readonly InstalledContract[]> {
  // A chain inside a worker is new: the worker installs.
  if (plan.mode === "inproc") return [];
  const found: InstalledContract[] = [];
  for (const spec of plan.contracts) {
    const { id, address } = spec;
    if (address !== undefined) found.push({ id, address, abi: undefined });
    else {
      for (const groupId of plan.groupIds) {
        const kept = await addressBefore(spec, groupId, plan, workspace);
        found.push({ id, address: kept, groupId, abi: undefined });
      }
    }
  }
  return found;
}

/** The part of a chain that is needed for it. */
export interface DeployPlace extends Pick<Chain, "groupId" | "request"> {
  pick(): Pick<Lane, "submit">;
}

/** A receipt is in the ledger of one node before it is in that of another. */
const LOOKS = 50;
const LOOK_MS = 100;

async function addressOf(chain: DeployPlace, hash: string): Promise<string> {
  for (let look = 0; look < LOOKS; look++) {
    const call = { method: "getTransactionReceipt", params: [chain.groupId, hash] };
    const receipt = (await chain.request(call)) as { readonly contractAddress: string } | null;
    if (receipt !== null) return receipt.contractAddress;
    await new Promise((resume) => setTimeout(resume, LOOK_MS));
  }
  throw new BenchmarkFault("engine", `no node has the receipt of ${hash}`);
}

/**
 * The address of a new contract.
 * @param input code with encoded arguments behind it
 * @throws BenchmarkFault `engine` with the status of the receipt; NodeFault, TransportFault
 */
export async function deploy(
  chain: DeployPlace,
  input: Uint8Array,
  maker: TransactionMaker,
): Promise<string> {
  const params = [chain.groupId];
  const height = Number(await chain.request({ method: "getBlockNumber", params }));
  const transaction = maker.make(null, input, height);
  const failure = failureOf(await chain.pick().submit(transaction));
  if (failure === undefined) return await addressOf(chain, transaction.hash);
  throw new BenchmarkFault("engine", `the deployment failed: ${failure}`);
}
