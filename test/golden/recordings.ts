/** Which recorded files were asked of which chain, in the order of their heights. */
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import { GROUP1, replayGenesis } from "../support/ledger/replay.ts";
import {
  type Exchange,
  get,
  methodFiles,
  methodOf,
  paramsOf,
  parse,
  readExchanges,
} from "./exchange.ts";
import { MovingChain } from "./moving-chain.ts";
import { blocksOfExchanges, blocksOfLedger } from "./planned-blocks.ts";
import { raftGroup } from "./raft-group.ts";
import {
  methodFact,
  type RecordedChain,
  type RecordedOptions,
  recordedChain,
  versionNamed,
} from "./recorded-chain.ts";
import { STANDARD_SUITE as suite } from "../support/suites.ts";

/** Files and the chain that they are asked of. */
export interface Recording {
  readonly files: readonly string[];
  readonly open: () => Promise<RecordedChain>;
}

const FOUR_NODES = { groupList: [1, 2], version: NEWEST_VERSION, nodes: [0, 1, 2, 3] };
const OF_GROUP1 = [
  "tx_evm",
  "tx_rejected",
  "transport",
  ...methodFiles().map((name) => name.replace(".jsonl", "")),
  "pending",
  "proofs",
  ...["sysconfig", "crud", "table_contract", "kv", "cns", "misc"].map(precompiled),
  precompiled("contract_lifecycle"),
  "reference_crashes",
].map(named);
const OF_GROUP3 = ["consensus", "permission", "governance"].map(precompiled).map(named);

/** Every recording that is asked over HTTP. */
export const RECORDINGS: readonly Recording[] = [
  { files: OF_GROUP1, open: firstGroups },
  { files: OF_GROUP3, open: async () => fourNodes([await group3()], { facts: laterFact }) },
  { files: ["limits.jsonl"], open: limits },
  ...["2_0_0", "2_4_0"].map((name) => ({
    files: [`compat_${name}.jsonl`],
    open: () => singleNode(name),
  })),
];

function precompiled(name: string): string {
  return `precompiled_${name}`;
}

function named(name: string): string {
  return `${name}.jsonl`;
}

function fourNodes(
  chains: readonly MovingChain[],
  changes: Partial<RecordedOptions> = {},
): RecordedChain {
  return recordedChain({ ...FOUR_NODES, facts: methodFact, chains, ...changes });
}

/** Group 1 from its beginning, and what is known of group 2. */
async function firstGroups(): Promise<RecordedChain> {
  const chain = await group1();
  const first = methodFact("getNodeInfo", 0);
  const nodeId = get(first, "NodeID") as NodeId;
  return fourNodes([chain], { groups: [raftGroup(nodeId, chain.ledger.code)] });
}

/** Node 3 had other sessions when group 3 was there. */
function laterFact(method: string, node: number): unknown {
  if (method !== "getPeers" || node !== 3) return methodFact(method, node);
  return resultOf(readExchanges(named(precompiled("consensus"))), method);
}

/** One chain for all of its recordings: each goes on where the one before ended. */
let known: Promise<MovingChain> | undefined;

function group1(): Promise<MovingChain> {
  known ??= openGroup1();
  return known;
}

function openGroup1(): Promise<MovingChain> {
  const genesis = replayGenesis(GROUP1.genesis);
  return MovingChain.open({
    suite,
    version: NEWEST_VERSION,
    genesis,
    ...blocksOfLedger(GROUP1, suite),
  });
}

function group3(): Promise<MovingChain> {
  const exchanges = OF_GROUP3.flatMap(readExchanges);
  const rules = {
    suite,
    version: NEWEST_VERSION,
    genesis: replayGenesis("golden/generated_group.3.genesis.txt"),
  };
  return MovingChain.open({ ...rules, blocks: blocksOfExchanges(exchanges, rules) });
}

/** Group 1 at its end, with the management of groups switched off. */
async function limits(): Promise<RecordedChain> {
  const chain = await group1();
  chain.fillPool([]);
  return fourNodes([chain], { groupList: [1, 2, 3], dynamicGroupDisabled: true });
}

/** A chain of one node at an older version; its exchanges say what it was made of. */
async function singleNode(name: string): Promise<RecordedChain> {
  const exchanges = readExchanges(`compat_${name}.jsonl`);
  const node = exchanges[0]?.node ?? 0;
  const facts = (method: string): unknown => resultOf(exchanges, method);
  const genesis: GenesisConfig = {
    ...replayGenesis(GROUP1.genesis),
    sealers: [get(facts("getNodeInfo"), "NodeID") as NodeId],
  };
  const version = versionNamed(name.replaceAll("_", "."));
  const rules = { suite, version, genesis };
  const chain = await MovingChain.open({
    ...rules,
    genesisHash: get(resultOf(exchanges, "getBlockByNumber", "0"), "hash") as Hash,
    blocks: blocksOfExchanges(exchanges, rules),
  });
  return recordedChain({ chains: [chain], groupList: [1], version, facts, nodes: [node] });
}

/** The first result of a method, where its second parameter is this one. */
function resultOf(exchanges: readonly Exchange[], method: string, second?: string): unknown {
  const found = exchanges.find(
    (it) => methodOf(it) === method && (second === undefined || paramsOf(it)[1] === second),
  );
  return get(parse(found?.response.body ?? ""), "result");
}
