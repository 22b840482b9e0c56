/** A chain of fake blocks for the planner's simulator, with true ones and several kinds of lies. */
import type { Hash, NodeId } from "../../../../core/bytes/ids.ts";
import { ByteReader, ByteWriter } from "../../../../core/bytes/cursor.ts";
import type { SyncConfig } from "../../../../core/sync/planner/input.ts";
import type { SyncBlock } from "../../../../core/sync/sync-message.ts";
import { hashOfNumber, nodeIdOfNumber } from "../../../support/world/pool-builders.ts";

/** What a block is: only `true` ones may be imported. */
export const KINDS = [
  "true",
  /** Another block, standing on the true one, sealed by no node. */
  "forged",
  /** A chain of forged blocks of its own. */
  "forgedChain",
  /** The true header with another body. */
  "wrongBody",
  /** The header names other sealers. */
  "wrongSealers",
  "wrongParent",
] as const;
/** One of {@link KINDS}. */
export type Kind = (typeof KINDS)[number];

/** Bytes of number and kind. */
const PREFIX_BYTES = 9;
const FORGED = 1_000_000;

/** The fixed facts of one schedule's chain. */
export interface ChainPlan {
  readonly sealers: readonly NodeId[];
  readonly observers: readonly NodeId[];
  /** The block that removes the last sealer, who becomes an observer. */
  readonly changeAt: number;
  readonly sizeOf: (number: number) => number;
}

/** Hash of the true block. */
export function trueHash(number: number): Hash {
  return hashOfNumber(number + 1);
}

/** The configuration in force after a block. */
export function configAfter(plan: ChainPlan, number: number, self: NodeId): SyncConfig {
  const changed = number >= plan.changeAt && plan.sealers.length > 1;
  const sealers = changed ? plan.sealers.slice(0, -1) : plan.sealers;
  const observers = changed ? [...plan.observers, ...plan.sealers.slice(-1)] : plan.observers;
  const maxFaulty = Math.floor((sealers.length - 1) / 3);
  return { self, sealers, observers, maxFaulty, certified: true };
}

/** The encoding of a block. */
export function fakeBlock(plan: ChainPlan, number: number, kind: Kind = "true"): Uint8Array {
  const padding = new Uint8Array(Math.max(0, plan.sizeOf(number) - PREFIX_BYTES));
  return new ByteWriter().u64(number).u8(KINDS.indexOf(kind)).bytes(padding).finish();
}

/** Number and kind of an encoded block. */
export function readFake(bytes: Uint8Array): { number: number; kind: Kind } {
  const reader = new ByteReader(bytes);
  return { number: reader.u64(), kind: KINDS[reader.u8()] ?? "forged" };
}

/** What `openSyncBlock` does for real blocks. */
export function openFake(plan: ChainPlan, bytes: Uint8Array): SyncBlock {
  const { number, kind } = readFake(bytes);
  const isForged = kind === "forged" || kind === "forgedChain";
  const { sealers } = configAfter(plan, number - 1, nodeIdOfNumber(0));
  const parentOf = { forgedChain: hashOfNumber(FORGED + number - 1), wrongParent: hashOfNumber(0) };
  return {
    number,
    hash: isForged ? hashOfNumber(FORGED + number) : trueHash(number),
    parentHash: kind in parentOf ? parentOf[kind as keyof typeof parentOf] : trueHash(number - 1),
    sealers: kind === "wrongSealers" ? sealers.slice(1) : sealers,
    bytes,
  };
}
