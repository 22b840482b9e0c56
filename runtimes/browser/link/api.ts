/**
 * What a page may ask of the node in its tab: types only, for page and worker. A page calls
 * `connectTabNode` of connect.ts; the worker stands behind it.
 */

import type { LiveMessage } from "../../shared/theatre/api.ts";
import type { JoinProblem } from "../../joining/join-fault.ts";
import type { JoinRequest } from "../../joining/join-request.ts";
import type { EvictionMark } from "../store/eviction-mark.ts";

/** What may be reported of the keys of any node. */
interface KeyOptions {
  /** The national algorithms SM2 and SM3; false when absent. */
  readonly sm?: boolean;
  /** Opens the keys, where a passphrase was given to them; encrypts those that are new. */
  readonly passphrase?: string;
  /** Begins anew, with other keys, although the browser has thrown the data of a chain away. */
  readonly isNew?: boolean;
}

/** A key for joining: the one that is kept, the one that is given, or a new one. */
export interface JoinKeyRequest extends KeyOptions {
  /** PEM of a key that a user brings along. */
  readonly privateKey?: string;
}

/** A chain whose nodes all run in the tab. */
export interface ChainRequest extends KeyOptions {
  readonly kind: "chain";
  /** 1 to 7. */
  readonly nodes: number;
  readonly consensus: "pbft" | "raft";
}

/** A node of a real chain, over WebSocket peers. */
export interface JoinStartRequest extends JoinKeyRequest, JoinRequest {
  readonly kind: "join";
}

/** Block 0 of a group, as a node of the chain shows it. */
export interface ShownGenesis {
  readonly hash: string;
  readonly timestamp: string;
  readonly extraData: readonly string[];
  /** Of the chain, as `2.11.1`. */
  readonly supportedVersion: string;
  readonly sm: boolean;
}

/** The key with which this browser joins a network; it stays here. */
export interface JoinKey {
  readonly nodeId: string;
  /** PEM, for `chain-node cert issue --public-key`. */
  readonly publicKey: string;
}

/** What keeps a browser from joining, found before anything is dialled. */
export interface JoinFinding {
  readonly problem: JoinProblem;
  /** What it is about: text from files. */
  readonly detail: string;
  /** The whole in English. */
  readonly message: string;
}

/** An address of a peer that was given, and how it stands. */
export interface TabPeer {
  readonly endpoint: string;
  /** `waiting`: it is dialled again and again. */
  readonly state: "connected" | "self" | "waiting";
  readonly nodeId?: string;
  /** Why the last attempt failed, as the peer or the network says it. */
  readonly reason?: string;
}

/** What shall run. */
export type StartRequest = ChainRequest | JoinStartRequest;

/**
 * `connecting`: no tab has answered yet; `off`: nothing runs; `locked`: the keys wait for their
 * passphrase; `evicted`: the browser has thrown the data away.
 */
export type TabPhase =
  | "connecting"
  | "off"
  | "starting"
  | "running"
  | "stopping"
  | "locked"
  | "evicted"
  | "failed";

/** An account that everybody knows. */
export interface TabAccount {
  readonly address: string;
  readonly privateKey: string;
}

/** The chain that this browser keeps, running or not. */
export interface TabChain {
  readonly kind: StartRequest["kind"];
  /** Names its databases. */
  readonly name: string;
  readonly chainId: number;
  readonly sm: boolean;
  readonly consensus: "pbft" | "raft";
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** Of the nodes that run here. */
  readonly nodeIds: readonly string[];
  /** Ready-made accounts, of a chain that lies in the tab alone; their keys are public. */
  readonly accounts: readonly TabAccount[];
}

/** How a node stands in consensus. */
export type TabConsensus =
  | {
      readonly kind: "pbft";
      readonly view: number;
      readonly toView: number;
      readonly isSealer: boolean;
      /** Whether it leads the next block. */
      readonly isLeader: boolean;
      readonly isChangingView: boolean;
    }
  | {
      readonly kind: "raft";
      readonly term: number;
      readonly isSealer: boolean;
      readonly isLeader: boolean;
      readonly role: "suspended" | "follower" | "preCandidate" | "candidate" | "leader";
    };

/** One group of a node. */
export interface TabGroupState {
  readonly groupId: number;
  readonly height: number;
  readonly headHash: string;
  readonly pending: number;
  readonly isSyncing: boolean;
  /** Whether the node is a sealer or an observer of it. */
  readonly isMember: boolean;
  readonly consensus: TabConsensus;
  /** Why this sealer does not vote; undefined while it does. Source: decision 25 */
  readonly silence: string | undefined;
}

/** One node. */
export interface TabNodeState {
  readonly index: number;
  readonly nodeId: string;
  readonly peers: number;
  /** Running groups. */
  readonly groups: readonly TabGroupState[];
  /** Groups that do not run though they should, with the reason. */
  readonly failures: readonly { readonly groupId: number | undefined; readonly reason: string }[];
}

/** What the browser has thrown away: of the first node that ran here, and of its first group. */
export type TabLoss = Omit<EvictionMark, "chain">;

/** How the node in the tab stands. */
export interface TabStatus {
  readonly phase: TabPhase;
  /** Which tab runs it. */
  readonly owner: "this" | "other" | "none";
  readonly chain: TabChain | undefined;
  readonly nodes: readonly TabNodeState[];
  /** Of a node that joins a network. */
  readonly peers?: readonly TabPeer[];
  /** Whether its node keeps quiet as a sealer because the tab is hidden. */
  readonly isQuiet?: boolean;
  /** While it is `evicted`. */
  readonly loss?: TabLoss;
  /** Why it is `failed`, `locked` or `evicted`, in words with the next step. */
  readonly reason: string | undefined;
}

/** A request as EIP-1193 has it. */
export interface ProviderRequest {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * JSON-RPC of one node. `request` gives the result, or rejects with an error that has `code`,
 * `data` and the node's message; 4900 when no tab answers. It stays usable when another tab takes
 * the node over.
 */
export interface TabProvider {
  request(request: ProviderRequest): Promise<unknown>;
  /**
   * Follows a group.
   *
   * @param kind `blocks`, `receipts` or `logs`
   * @param params the group, then the filter as `subscribe` of JSON-RPC has it
   * @returns ends it
   */
  subscribe(
    kind: string,
    params: readonly [groupId: number, filter?: Readonly<Record<string, unknown>>],
    listener: (result: unknown) => void,
  ): Promise<() => void>;
}

/** An HTTP request to the node's endpoint, in a form that can be posted. */
export interface PlainRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Its answer. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A backup that has begun. */
export interface BackupStart {
  /** Names it in the calls that fetch its pieces. */
  readonly id: number;
  readonly groupId: number;
  /** The block up to which it goes. */
  readonly height: number;
}

/** A piece of a backup; without bytes it is over. */
export interface BackupPiece {
  readonly bytes: Uint8Array | undefined;
  /** At the end: the same on every member at that block. */
  readonly contentHash: string | undefined;
}

/** A chain to restore. */
export interface RestoreRequest {
  /** As `chainFile` wrote it. */
  readonly chainFile: Blob;
  readonly passphrase: string;
  /** One per group: backups of this program, on any platform. */
  readonly snapshots: readonly Blob[];
}

/** What was restored. */
export interface RestoreReport {
  readonly groups: readonly {
    readonly groupId: number;
    readonly height: number;
    readonly contentHash: string;
  }[];
}

/** What the worker does for a caller that is connected, through comlink. */
export interface WorkerApi {
  /** The text of a JSON-RPC body; the answer's text. @param node the index of the node asked */
  post(body: string, node: number): Promise<string>;
  /**
   * The answer to a sendRawTransaction that is handed in again, if its transaction is in a block.
   */
  landed(body: string, node: number): Promise<string | undefined>;
  /** The page has heard this many characters of notifications of a node. */
  heard(count: number, node: number): void;
  /** The whole HTTP endpoint of a node. */
  fetch(request: PlainRequest, node: number): Promise<PlainResponse>;
  /** Starts, or goes on with, a chain. @throws when another one is kept */
  start(request: StartRequest): Promise<void>;
  /** Goes on with the chain that is kept. */
  resume(passphrase?: string): Promise<void>;
  /** The key for joining a network; it is kept from now on. */
  joinKey(request: JoinKeyRequest): Promise<JoinKey>;
  /** The genesis file that a block 0 was made from; undefined when its hash does not follow. */
  genesisOf(shown: ShownGenesis): Promise<string | undefined>;
  /** Examines a request before anything is dialled or kept; undefined when it fits together. */
  checkJoin(request: JoinStartRequest): Promise<JoinFinding | undefined>;
  /** Whether the tab that runs the node is hidden: a sealer of a network keeps quiet then. */
  setHidden(isHidden: boolean): void;
  stop(): Promise<void>;
  /** Stops, and removes everything that this browser keeps of the chain. */
  wipe(): Promise<void>;
  status(): TabStatus;
  /** Groups that have data here. */
  keptGroups(): Promise<readonly number[]>;
  /** Begins the backup of a group: a snapshot, as `chain-node import` reads it. */
  openBackup(groupId: number): Promise<BackupStart>;
  nextPiece(id: number): Promise<BackupPiece>;
  endBackup(id: number): Promise<void>;
  /** The genesis file of a group, which a Node server wants besides a backup. */
  genesisFile(groupId: number): Promise<string | undefined>;
  /** What the chain is, and the keys of its nodes under a passphrase; one JSON text. */
  chainFile(passphrases: {
    /** Of the keys in this browser, where they have one. */
    readonly ofKeys?: string;
    readonly ofFile: string;
  }): Promise<string>;
  /** Restores a chain where this browser keeps none; it is not started. */
  restore(request: RestoreRequest): Promise<RestoreReport>;
  /** Where a restoring is. */
  restorePlace(): string | undefined;
  /** The user says that no other copy of these nodes runs. Source: decision 25 */
  confirmOnlyCopy(): Promise<void>;
  /**
   * Watches a group of a node: what there is to see since the last call, or what comes next. The
   * first call begins; a message `end` ends, and so does not asking for long.
   */
  watch(node: number, groupId: number): Promise<readonly LiveMessage[]>;
  /** Watches it no longer. */
  unwatch(node: number, groupId: number): void;
}

/** The node of this browser, as a page holds it. */
export interface TabNode {
  /** JSON-RPC of the first node. */
  readonly provider: TabProvider;
  /** JSON-RPC of one of the nodes of a chain in the tab. */
  providerOf(node: number): TabProvider;
  /** The HTTP endpoint of a node, where a Response is wanted. */
  fetch(path: string, init?: Partial<Omit<PlainRequest, "path">>, node?: number): Promise<Response>;
  start(request: StartRequest): Promise<void>;
  stop(): Promise<void>;
  wipe(): Promise<void>;
  /** As it was last heard. */
  status(): TabStatus;
  /** Tells each change, and how it stands now at once. @returns ends it */
  onStatus(listener: (status: TabStatus) => void): () => void;
  /** Everything else that the worker does, in whichever tab it runs now. */
  readonly worker: { [Name in keyof WorkerApi]: Answering<WorkerApi[Name]> };
  /** Leaves: the node goes on if another tab is there, and stops otherwise. */
  close(): void;
}

/** A call through comlink: always a promise. */
export type Answering<Call> = Call extends (...args: infer Args) => infer Result
  ? (...args: Args) => Promise<Awaited<Result>>
  : never;
