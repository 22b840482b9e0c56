/**
 * How a chain of objects begins: each makes its key, the first asks the others for their node IDs
 * and writes the genesis, and the others take it from the first. What is written stays.
 */
import { isNodeId } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import type { Files } from "../../../core/ports/files.ts";
import { devGenesis } from "../../shared/dev/dev-genesis.ts";
import { jsonGroupFormat } from "../../shared/group-text.ts";
import { webClock, webEntropy } from "../../shared/platform/web-platform.ts";
import { suiteNameOf } from "../../shared/platform/web-suite.ts";

const KEY_PATH = "key";
const FOUNDING_PATH = "founding";
const KEY_BYTES = 32;
const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/** The node's key; made and kept the first time. */
export async function ownKey(files: Files): Promise<Uint8Array> {
  const kept = await files.read(KEY_PATH);
  if (kept) return kept;
  const key = webEntropy.bytes(KEY_BYTES);
  await files.write(KEY_PATH, key);
  return key;
}

/** What a chain was founded with. */
export interface Founding {
  readonly suite: SuiteName;
  /** Of the sealers, in the order of their objects. */
  readonly nodeIds: readonly NodeId[];
  readonly genesis: GenesisConfig;
}

/** A member of the chain as its founding sees it. */
export interface Founder {
  nodeId(): Promise<string>;
  /** As {@link foundingText}. */
  founding(): Promise<string>;
}

interface FoundingPlan {
  readonly files: Files;
  /** Of the own object among all. */
  readonly index: number;
  /** All objects, the own one included. */
  readonly members: readonly Founder[];
  readonly suite: SuiteName;
}

/** The text of the founding; made, or asked for, and kept the first time. */
export async function foundingText({ files, ...plan }: FoundingPlan): Promise<string> {
  const kept = await files.read(FOUNDING_PATH);
  if (kept) return DECODER.decode(kept);
  const [first] = plan.members;
  const isFirst = plan.index === 0 || !first;
  const text = isFirst ? await newFounding(plan.members, plan.suite) : await first.founding();
  readFounding(text);
  await files.write(FOUNDING_PATH, ENCODER.encode(text));
  return text;
}

async function newFounding(members: readonly Founder[], suite: SuiteName): Promise<string> {
  const nodeIds = await Promise.all(members.map((member) => member.nodeId()));
  const sealers = nodeIds as NodeId[];
  const genesis = devGenesis({ created: webClock.now(), consensus: "pbft", sealers });
  return JSON.stringify({ suite, nodeIds, genesis: jsonGroupFormat().writeGenesis(genesis) });
}

/** @throws StoreFault corrupt; GroupFault for a genesis that cannot be read */
export function readFounding(text: string): Founding {
  const { suite, nodeIds, genesis } = JSON.parse(text) as Record<string, unknown>;
  if (!Array.isArray(nodeIds) || !nodeIds.every(isNodeId) || typeof genesis !== "string")
    throw new StoreFault("corrupt", "what this object keeps of the founding cannot be read");
  const read = jsonGroupFormat().readGenesis(genesis, FOUNDING_PATH);
  return { suite: suiteNameOf(suite), nodeIds, genesis: read };
}
