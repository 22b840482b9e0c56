/** Reads network files. Source: benchmark 3; interface 2.7 */
import { isAbsolute, resolve } from "node:path";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import { ENGINE_CODES } from "../exit-codes.ts";
import type { Section } from "../../../shared/benchmark/section.ts";
import { type PlacedFile, readPlaced } from "./placed-file.ts";

const NETWORK_MODES = ["channel", "rpc", "websocket", "inproc"] as const;

/** One of {@link NETWORK_MODES}. */
export type NetworkMode = (typeof NETWORK_MODES)[number];

/** A node as the file has it. */
export interface NetworkNode {
  readonly ip: string;
  readonly rpcPort: number | undefined;
  readonly channelPort: number | undefined;
}

/** A contract of the file. */
export interface ContractSpec {
  readonly id: string;
  readonly language: "solidity" | "precompiled";
  /** Source of a Solidity contract, as in the file. */
  readonly path: string | undefined;
  /** Of a precompiled one, `0x` and 40 digits. */
  readonly address: string | undefined;
  readonly version: string;
}

/** Paths of the three files of the folder `sdk`, absolute. */
export interface Authentication {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** A network file. */
export interface NetworkPlan {
  readonly blockchain: string;
  /** Shell commands; undefined for none. */
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly mode: NetworkMode;
  readonly nodes: readonly NetworkNode[];
  readonly authentication: Authentication | undefined;
  /** The group of the manager, and of workers where the file names no more. */
  readonly groupId: number;
  /** Groups over which workers are spread: the first worker has the first. */
  readonly groupIds: readonly number[];
  /** How long one transaction or call may take. */
  readonly timeoutMs: number;
  /** 64 digits; undefined when the run draws one. */
  readonly privateKey: string | undefined;
  /** The address that the key must have; undefined when the file has none. */
  readonly account: string | undefined;
  /** Accounts that send in turn, derived from the key; 1 for the key itself. */
  readonly accounts: number;
  readonly contracts: readonly ContractSpec[];
  readonly info: Readonly<Record<string, unknown>>;
  /** The file as it was parsed, without the key, for the report. */
  readonly value: unknown;
}

/** Names of the chain's section next to that of `caliper.blockchain`. */
const SECTION_NAMES = ["fisco-bcos", "chain-node"];
const USUAL_TIMEOUT_MS = 100_000;
const HIGHEST_PORT = 65_535;
const ADDRESS_DIGITS = 40;

function portOf(node: Section, key: string): number | undefined {
  if (!node.has(key)) return undefined;
  const port = node.number(key, 1);
  if (Number.isInteger(port) && port <= HIGHEST_PORT) return port;
  return node.refuse(key, `is no port: from 1 to ${HIGHEST_PORT}`);
}

function nodesOf(network: Section, mode: NetworkMode): readonly NetworkNode[] {
  if (mode === "inproc") return [];
  const nodes = network.sections("nodes").map((node): NetworkNode => {
    const found = {
      ip: node.text("ip"),
      rpcPort: portOf(node, "rpcPort"),
      channelPort: portOf(node, "channelPort"),
    };
    const key = mode === "channel" ? "channelPort" : "rpcPort";
    if (found[key] === undefined) node.refuse(key, `is missing: mode ${mode} sends through it`);
    return found;
  });
  return nodes.length > 0 ? nodes : network.refuse("nodes", "is an empty list");
}

function authenticationOf(network: Section, workspace: string): Authentication | undefined {
  if (!network.has("authentication")) return undefined;
  const files = network.section("authentication");
  const path = (key: string): string => resolve(workspace, files.text(key));
  return { key: path("key"), cert: path("cert"), ca: path("ca") };
}

function modeOf(network: Section): NetworkMode {
  if (network.has("mode")) return network.oneOf("mode", NETWORK_MODES);
  return network.has("authentication") ? "channel" : "rpc";
}

function addressOf(contract: Section): string {
  const text = contract.text("address");
  const [, digits] = /^0x([0-9a-fA-F]{1,40})$/.exec(text) ?? [];
  if (digits === undefined) return contract.refuse("address", `"${text}" is no address`);
  return `0x${digits.toLowerCase().padStart(ADDRESS_DIGITS, "0")}`;
}

function contractOf(contract: Section): ContractSpec {
  const language = contract.has("language")
    ? contract.oneOf("language", ["solidity", "precompiled"] as const)
    : "solidity";
  const isSolidity = language === "solidity";
  return {
    id: contract.text("id"),
    language,
    path: isSolidity ? contract.text("path") : undefined,
    address: isSolidity ? undefined : addressOf(contract),
    version: contract.textOr("version", ""),
  };
}

/** A shell command; undefined for none. @throws BenchmarkFault for blanks only */
function commandOf(caliper: Section, key: "start" | "end"): string | undefined {
  if (!caliper.has("command")) return undefined;
  const command = caliper.section("command");
  const text = command.value(key);
  if (text === undefined || text === null || text === "") return undefined;
  if (typeof text !== "string") return command.refuse(key, "is no text");
  if (text.trim() === "")
    command.refuse(key, `has blanks only: leave it out, or empty (code ${ENGINE_CODES[key]})`);
  return text;
}

function keyOf(config: Section | undefined): string | undefined {
  if (!config?.has("privateKey")) return undefined;
  const digits = config.text("privateKey").replace(/^0x/, "");
  if (/^[0-9a-fA-F]{64}$/.test(digits)) return digits.toLowerCase();
  return config.refuse("privateKey", "is no key: 64 hexadecimal digits are wanted");
}

function accountOf(config: Section | undefined): string | undefined {
  if (!config?.has("account")) return undefined;
  const account = config.text("account");
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(account)) return account.toLowerCase().replace(/^(0x)?/, "0x");
  return config.refuse("account", `"${account}" is no address`);
}

function accountsOf(config: Section | undefined): number {
  if (!config?.has("accounts")) return 1;
  const count = config.number("accounts", 1);
  return Number.isInteger(count) ? count : config.refuse("accounts", "is no whole number");
}

/** The section of the chain, by `caliper.blockchain` or one of the known names. */
function chainSection(data: Section, caliper: Section, blockchain: string): [string, Section] {
  const names = [blockchain, ...SECTION_NAMES];
  const name = names.find((each) => data.has(each));
  if (name !== undefined) return [name, data.section(name)];
  return caliper.refuse("blockchain", `is ${blockchain}, but the file has no section of the name`);
}

/** The file without what must not be in a report. */
function withoutKey(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, each: unknown) => (name === "privateKey" ? undefined : each)),
  );
}

function groupsOf(network: Section): readonly number[] {
  if (!network.has("groupID")) return [1];
  const isList = Array.isArray(network.value("groupID"));
  const ids = isList ? network.numbers("groupID") : [network.number("groupID")];
  if (ids.length > 0 && ids.every((id) => Number.isInteger(id) && id >= 1)) return ids;
  return network.refuse("groupID", "is no number of a group from 1 on, nor a list of them");
}

/** The network of a file that was read. @throws BenchmarkFault that names line and key */
export function networkOf(file: PlacedFile, workspace: string): NetworkPlan {
  const { data } = file;
  if (!data.has("caliper") || !data.section("caliper").has("blockchain")) {
    const what = "has no caliper.blockchain: the name of the chain's section";
    throw new BenchmarkFault("usage", `${file.name} ${what}`);
  }
  const caliper = data.section("caliper");
  const blockchain = caliper.text("blockchain");
  const [, chain] = chainSection(data, caliper, blockchain);
  const network = chain.section("network");
  const mode = modeOf(network);
  const authentication = authenticationOf(network, workspace);
  if (mode === "channel" && authentication === undefined)
    network.refuse("authentication", "is missing: mode channel needs key, cert and ca");
  const config = chain.has("config") ? chain.section("config") : undefined;
  const groupIds = groupsOf(network);
  const contracts = chain.has("smartContracts") ? chain.sections("smartContracts") : [];
  return {
    blockchain,
    start: commandOf(caliper, "start"),
    end: commandOf(caliper, "end"),
    mode,
    nodes: nodesOf(network, mode),
    authentication,
    groupId: groupIds[0] ?? 1,
    groupIds,
    timeoutMs: network.has("timeout") ? network.number("timeout", 1) : USUAL_TIMEOUT_MS,
    privateKey: keyOf(config),
    account: accountOf(config),
    accounts: accountsOf(config),
    contracts: contracts.map(contractOf),
    info: data.has("info") ? (data.value("info") as Readonly<Record<string, unknown>>) : {},
    value: withoutKey(file.value),
  };
}

/** The absolute path of something that is relative to the workspace. */
export function inWorkspace(workspace: string, path: string): string {
  return isAbsolute(path) ? path : resolve(workspace, path);
}

/** Reads a network file. @throws BenchmarkFault that names line and key */
export async function readNetworkFile(path: string, workspace: string): Promise<NetworkPlan> {
  return networkOf(await readPlaced("network file", path), workspace);
}
