/** A planner in the hands of a test: inputs in, effects out, time moved by hand. */
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { SyncEffect, SyncReport } from "../../../../core/sync/planner/effect.ts";
import type { SyncInput, SyncNews } from "../../../../core/sync/planner/input.ts";
import {
  createSync,
  type SyncBeginning,
  type SyncState,
} from "../../../../core/sync/planner/state.ts";
import { step } from "../../../../core/sync/planner/step.ts";
import { DEFAULT_SYNC_TUNING, type SyncTuning } from "../../../../core/model/config.ts";
import type { SyncMessage } from "../../../../core/sync/sync-message.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { type ChainPlan, configAfter, fakeBlock, type Kind, openFake, trueHash } from "./chain.ts";
import { checkSyncInvariants } from "../../../support/world/invariants.ts";

/** Node 1: the planner under test. */
export const SELF = nodeIdOfNumber(1);
/** Nodes 2 to 4: its peers. */
export const PEERS = [2, 3, 4].map(nodeIdOfNumber) as [NodeId, NodeId, NodeId];

type Sent<Type extends SyncMessage["type"]> = {
  readonly to: readonly NodeId[];
  readonly message: Extract<SyncMessage, { type: Type }>;
};

/** What a test may change about the beginning. */
export interface Setting {
  readonly height?: number;
  readonly plan?: Partial<ChainPlan>;
  readonly tuning?: Partial<SyncTuning>;
  readonly beginning?: Partial<SyncBeginning>;
  /** Who has a session; all three peers unless told. */
  readonly sessions?: readonly NodeId[];
}

/** A started planner with sessions to its peers. Four sealers unless the plan says otherwise. */
export class PlannerDriver {
  readonly plan: ChainPlan;
  readonly state: SyncState;
  now = 0;
  effects: SyncEffect[] = [];
  /** The load under way or the last one. */
  loading: Extract<SyncEffect, { type: "load" }> | undefined;

  constructor({ height = 0, plan, tuning, beginning, sessions = PEERS }: Setting = {}) {
    const sealers = [SELF, ...PEERS];
    const changeAt = Number.POSITIVE_INFINITY;
    this.plan = { sealers, observers: [], changeAt, sizeOf: () => 100, ...plan };
    this.state = createSync({
      tuning: { ...DEFAULT_SYNC_TUNING, statusByTree: false, ...tuning },
      config: configAfter(this.plan, height, SELF),
      genesis: trueHash(0),
      height,
      head: trueHash(height),
      seed: 1,
      ...beginning,
    });
    this.feed({ type: "start" });
    for (const peer of sessions) this.feed({ type: "peerUp", peer });
  }

  /** Feeds one input and keeps its effects for the questions below. */
  feed(input: SyncNews): readonly SyncEffect[] {
    const effects = step(this.state, { ...input, now: this.now } as SyncInput);
    checkSyncInvariants(this.state);
    this.effects = [...effects];
    this.loading = this.of("load")[0] ?? this.loading;
    return effects;
  }

  /** Lets time pass, with a tick at each deadline on the way. */
  pass(milliseconds: number): SyncEffect[] {
    const until = this.now + milliseconds;
    const all: SyncEffect[] = [];
    for (let at = this.state.lastDeadline; at !== undefined && at <= until; ) {
      this.now = at;
      all.push(...this.feed({ type: "tick" }));
      at = this.state.lastDeadline;
    }
    this.now = until;
    this.effects = all;
    return all;
  }

  status(from: NodeId, number: number, latestHash = trueHash(number)): readonly SyncEffect[] {
    const status = { number, genesisHash: trueHash(0), latestHash };
    return this.feed({ type: "status", from, status });
  }

  /** A packet with these blocks. */
  blocks(from: NodeId, numbers: readonly number[], kind: Kind = "true"): readonly SyncEffect[] {
    const blocks = numbers.map((number) => openFake(this.plan, fakeBlock(this.plan, number, kind)));
    return this.feed({ type: "blocks", from, blocks });
  }

  commit(number: number): readonly SyncEffect[] {
    const config = configAfter(this.plan, number, SELF);
    return this.feed({ type: "committed", number, hash: trueHash(number), config });
  }

  /** The effects of one type. */
  of<Type extends SyncEffect["type"]>(type: Type): Extract<SyncEffect, { type: Type }>[] {
    return this.effects.filter((effect) => effect.type === type) as never;
  }

  /** Messages of one type that were sent. */
  sent<Type extends SyncMessage["type"]>(type: Type): Sent<Type>[] {
    return this.of("send").filter(({ message }) => message.type === type) as never;
  }

  /** Requests as `peer: from+count`. */
  requests(): string[] {
    return this.sent("requestRange").map(({ to, message }) => {
      const name = Number(`0x${to[0] ?? ""}`);
      return `${name}: ${message.from}+${message.count}`;
    });
  }

  reports(): SyncReport[] {
    return this.of("report").map(({ report }) => report);
  }

  /** Offences that were punished, as `peer: offence`. */
  offences(): string[] {
    return this.reports().flatMap((report) =>
      report.event === "penalised" ? [`${Number(`0x${report.peer}`)}: ${report.offence}`] : [],
    );
  }

  /** Answers all requests that were just sent, truly and whole. */
  answerAll(): SyncEffect[] {
    const all: SyncEffect[] = [];
    for (const { to, message } of this.sent("requestRange")) {
      const [peer = SELF] = to;
      const numbers = Array.from({ length: message.count }, (_, index) => message.from + index);
      all.push(...this.blocks(peer, numbers));
    }
    this.effects = all;
    return all;
  }
}

/** Numbers [from, to]. */
export function upTo(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
