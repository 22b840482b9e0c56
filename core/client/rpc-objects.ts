/**
 * Objects of answers, written from the description that nodes give of themselves.
 * To write it anew, with the formatter after it:
 * REWRITE_REFERENCE=1 npx vitest run test/core/client/rpc-schema.test.ts
 *
 * Source: interface 2
 */

/** Hexadecimal text: `0x` and digits. */
export type Hex = `0x${string}`;

/** Block as nodes answer it. Source: interface 2 */
export interface Block extends Omit<BlockHeader, "number"> {
  readonly number: Hex;
  readonly transactions: readonly (Hex | Transaction)[];
}

/** BlockHeader as nodes answer it. Source: interface 2 */
export interface BlockHeader {
  readonly dbHash: Hex;
  readonly extraData: readonly Hex[];
  readonly gasLimit: Hex;
  readonly gasUsed: Hex;
  readonly hash: Hex;
  readonly logsBloom: Hex;
  readonly number: number;
  readonly parentHash: Hex;
  readonly receiptsRoot: Hex;
  readonly sealer: Hex;
  readonly sealerList: readonly string[];
  readonly signatureList?: readonly {
    readonly index: Hex;
    readonly signature: Hex;
  }[];
  readonly stateRoot: Hex;
  readonly timestamp: Hex;
  readonly transactionsRoot: Hex;
}

/** Transaction as nodes answer it. Source: interface 2 */
export interface Transaction extends PendingTransaction {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly transactionIndex: Hex;
}

/** PendingTransaction as nodes answer it. Source: interface 2 */
export interface PendingTransaction {
  readonly blockLimit: Hex;
  readonly chainId: Hex;
  readonly extraData: Hex;
  readonly from: Hex;
  readonly gas: Hex;
  readonly gasPrice: Hex;
  readonly groupId: Hex;
  readonly hash: Hex;
  readonly input: Hex;
  readonly nonce: Hex;
  readonly signature: {
    readonly r: Hex;
    readonly s: Hex;
    readonly signature: Hex;
    readonly v: Hex;
  };
  readonly to: Hex | null;
  readonly value: Hex;
}

/** Receipt as nodes answer it. Source: interface 2 */
export interface Receipt extends ProvedReceipt {
  readonly remainGas: Hex;
  readonly statusMsg: string;
}

/** ProvedReceipt as nodes answer it. Source: interface 2 */
export interface ProvedReceipt {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly contractAddress: Hex;
  readonly from: Hex;
  readonly gasUsed: Hex;
  readonly input: Hex;
  readonly logs: readonly {
    readonly address: Hex;
    readonly data: Hex;
    readonly topics: readonly Hex[];
  }[];
  readonly logsBloom: Hex;
  readonly output: Hex;
  readonly root: Hex;
  readonly status: Hex;
  readonly to: Hex | null;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
}

/** Proof as nodes answer it. Source: interface 2 */
export type Proof = readonly {
  readonly left: readonly string[];
  readonly right: readonly string[];
}[];

/** BatchReceipts as nodes answer it. Source: interface 2 */
export interface BatchReceipts {
  readonly blockInfo: {
    readonly blockHash: Hex;
    readonly blockNumber: Hex;
    readonly receiptRoot: Hex;
    readonly receiptsCount: Hex;
  };
  readonly transactionReceipts?: readonly {
    readonly contractAddress: Hex;
    readonly from: Hex;
    readonly gasUsed: Hex;
    readonly logs: readonly {
      readonly address: Hex;
      readonly data: Hex;
      readonly topics: readonly Hex[];
    }[];
    readonly output: Hex;
    readonly status: Hex;
    readonly to: Hex | null;
    readonly transactionHash: Hex;
    readonly transactionIndex: Hex;
  }[];
}

/** Version as nodes answer it. Source: interface 2 */
export interface Version {
  readonly "Build Time": string;
  readonly "Build Type": string;
  readonly "Chain Id": string;
  readonly "Chain-Node Version": string;
  readonly "FISCO-BCOS Version": string;
  readonly "Git Branch": string;
  readonly "Git Commit Hash": string;
  readonly "Supported Version": string;
}

/** ConsensusStatus as nodes answer it. Source: interface 2 */
export type ConsensusStatus =
  | readonly [
      {
        readonly accountType: number;
        readonly allowFutureBlocks: boolean;
        readonly cfgErr: boolean;
        readonly connectedNodes: number;
        readonly consensusedBlockNumber: number;
        readonly currentView: number;
        readonly groupId: number;
        readonly highestblockHash: Hex;
        readonly highestblockNumber: number;
        readonly leaderFailed: boolean;
        readonly max_faulty_leader: number;
        readonly nodeId: string;
        readonly nodeNum: number;
        readonly node_index: number;
        readonly omitEmptyBlock: boolean;
        readonly protocolId: number;
        readonly toView: number;
        readonly [name: `sealer.${number}`]: string;
      },
      readonly {
        readonly nodeId: string;
        readonly view: number;
      }[],
    ]
  | readonly [
      {
        readonly accountType: number;
        readonly allowFutureBlocks: boolean;
        readonly cfgErr: boolean;
        readonly consensusedBlockNumber: number;
        readonly groupId: number;
        readonly highestblockHash: Hex;
        readonly highestblockNumber: number;
        readonly leaderId: string;
        readonly leaderIdx: number | string;
        readonly max_faulty_leader: number;
        readonly "node index": number;
        readonly nodeId: string;
        readonly nodeNum: number;
        readonly node_index: number;
        readonly omitEmptyBlock: boolean;
        readonly protocolId: number;
        readonly [name: `sealer.${number}`]: string;
      },
    ];

/** SyncStatus as nodes answer it. Source: interface 2 */
export interface SyncStatus {
  readonly blockNumber: number;
  readonly genesisHash: Hex;
  readonly isSyncing: boolean;
  readonly knownHighestNumber: number;
  readonly knownLatestHash: Hex;
  readonly latestHash: Hex;
  readonly nodeId: string;
  readonly peers: readonly {
    readonly blockNumber: number;
    readonly genesisHash: Hex;
    readonly latestHash: Hex;
    readonly nodeId: string;
  }[];
  readonly protocolId: number;
  readonly txPoolSize: string;
}

/** Peer as nodes answer it. Source: interface 2 */
export interface Peer {
  readonly Agency: string;
  readonly IPAndPort: string;
  readonly Node: string;
  readonly NodeID: string;
  readonly Topic: readonly string[];
  readonly nodeId: string;
}

/** TransactionTotals as nodes answer it. Source: interface 2 */
export interface TransactionTotals {
  readonly blockNumber: Hex;
  readonly failedTxSum: Hex;
  readonly txSum: Hex;
}

/** CallResult as nodes answer it. Source: interface 2 */
export interface CallResult {
  readonly currentBlockNumber: Hex;
  readonly output: Hex;
  readonly status: Hex;
}

/** GroupOperation as nodes answer it. Source: interface 2 */
export interface GroupOperation {
  readonly code: Hex;
  readonly message: string;
}

/** GroupStatus as nodes answer it. Source: interface 2 */
export interface GroupStatus extends GroupOperation {
  readonly status: "" | "INEXISTENT" | "STOPPING" | "RUNNING" | "STOPPED" | "DELETED" | "UNKNOWN";
}
