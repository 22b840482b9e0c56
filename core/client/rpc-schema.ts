/**
 * Parameters and results of every operation, written from the description that nodes give of
 * themselves.
 * To write it anew, with the formatter after it:
 * REWRITE_REFERENCE=1 npx vitest run test/core/client/rpc-schema.test.ts
 *
 * Source: interface 4.2
 */
import type {
  Hex,
  Block,
  BlockHeader,
  Transaction,
  PendingTransaction,
  Receipt,
  ProvedReceipt,
  Proof,
  BatchReceipts,
  Version,
  ConsensusStatus,
  SyncStatus,
  Peer,
  TransactionTotals,
  CallResult,
  GroupOperation,
  GroupStatus,
} from "./rpc-objects.ts";

/** A number, or its decimal or `0x` hexadecimal text. */
export type NumberText = string | number | bigint;
/** An object of any members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Every operation by its name. Source: interface 4.2 */
export interface RpcSchema {
  /** Adds peer addresses to the configuration and dials them. */
  addPeers: {
    params: readonly [addresses: readonly string[]];
    result: GroupOperation;
  };
  /** Runs a contract on the latest state; nothing is stored. */
  call: {
    params: readonly [
      groupID: number,
      request: {
        readonly from: string;
        readonly to?: string | null;
        readonly value?: NumberText | number | null;
        readonly data?: string;
        readonly code?: string;
        readonly gas?: NumberText;
        readonly gasPrice?: NumberText;
        readonly randomid?: NumberText;
        readonly blockLimit?: NumberText;
      },
    ];
    result: CallResult;
  };
  /** Removes peer addresses from the configuration; existing sessions stay. */
  erasePeers: {
    params: readonly [addresses: readonly string[]];
    result: GroupOperation;
  };
  /** Writes the files of a new group; it is started with startGroup. */
  generateGroup: {
    params: readonly [
      groupID: number,
      genesisParams: {
        readonly timestamp: number | NumberText;
        readonly sealers: readonly string[];
        readonly enable_free_storage?: boolean;
      },
    ];
    result: GroupOperation;
  };
  /** Receipts of a block from an index on, in short form. */
  getBatchReceiptsByBlockHashAndRange: {
    params: readonly [
      groupID: number,
      blockHash: string,
      from: NumberText,
      count: NumberText,
      compress: boolean,
    ];
    result: BatchReceipts | string;
  };
  /** Receipts of a block from an index on, in short form. */
  getBatchReceiptsByBlockNumberAndRange: {
    params: readonly [
      groupID: number,
      blockNumber: NumberText,
      from: NumberText,
      count: NumberText,
      compress: boolean,
    ];
    result: BatchReceipts | string;
  };
  /** Block of a hash. */
  getBlockByHash: {
    params: readonly [groupID: number, blockHash: string, includeTransactions: boolean];
    result: Block;
  };
  /** Block of a number. */
  getBlockByNumber: {
    params: readonly [groupID: number, blockNumber: NumberText, includeTransactions: boolean];
    result: Block;
  };
  /** Hash of the block at a number. */
  getBlockHashByNumber: {
    params: readonly [groupID: number, blockNumber: NumberText];
    result: Hex;
  };
  /** Block header of a hash. */
  getBlockHeaderByHash: {
    params: readonly [groupID: number, blockHash: string, includeSignatures: boolean];
    result: BlockHeader;
  };
  /** Block header of a number. */
  getBlockHeaderByNumber: {
    params: readonly [groupID: number, blockNumber: NumberText, includeSignatures: boolean];
    result: BlockHeader;
  };
  /** Number of the latest block. */
  getBlockNumber: {
    params: readonly [groupID: number];
    result: Hex;
  };
  /** Versions of the node and of the chain. */
  getClientVersion: {
    params: readonly [];
    result: Version;
  };
  /** Code of a contract. */
  getCode: {
    params: readonly [groupID: number, address: string];
    result: Hex;
  };
  /** Consensus status and the views of the sealers. */
  getConsensusStatus: {
    params: readonly [groupID: number];
    result: ConsensusStatus;
  };
  /** Sealers of the current epoch; only on rPBFT groups. */
  getEpochSealersList: {
    params: readonly [groupID: number];
    result: readonly string[];
  };
  /** Running groups in which the node is sealer or observer, ascending. */
  getGroupList: {
    params: readonly [];
    result: readonly number[];
  };
  /** Sealers and observers of the group, ascending. */
  getGroupPeers: {
    params: readonly [groupID: number];
    result: readonly string[];
  };
  /** Own node ID, then those of the connected peers. */
  getNodeIDList: {
    params: readonly [groupID: number];
    result: readonly string[];
  };
  /** The node itself in the form of getPeers. */
  getNodeInfo: {
    params: readonly [];
    result: Peer;
  };
  /** Observers of the group, in table order. */
  getObserverList: {
    params: readonly [groupID: number];
    result: readonly string[];
  };
  /** Current PBFT view. */
  getPbftView: {
    params: readonly [groupID: number];
    result: Hex;
  };
  /** Connected peers. */
  getPeers: {
    params: readonly [groupID: number];
    result: readonly Peer[];
  };
  /** Transactions in the pool, in its order. */
  getPendingTransactions: {
    params: readonly [groupID: number];
    result: readonly PendingTransaction[];
  };
  /** Number of transactions in the pool. */
  getPendingTxSize: {
    params: readonly [groupID: number];
    result: Hex;
  };
  /** Sealers of the group, in table order. */
  getSealerList: {
    params: readonly [groupID: number];
    result: readonly string[];
  };
  /** Synchronisation status. */
  getSyncStatus: {
    params: readonly [groupID: number];
    result: SyncStatus;
  };
  /** Value of a system configuration key for the next block. */
  getSystemConfigByKey: {
    params: readonly [
      groupID: number,
      key:
        | "tx_count_limit"
        | "tx_gas_limit"
        | "consensus_timeout"
        | "rpbft_epoch_sealer_num"
        | "rpbft_epoch_block_num"
        | "enable_charge_mgr",
    ];
    result: string;
  };
  /** Numbers of transactions and of failed transactions. */
  getTotalTransactionCount: {
    params: readonly [groupID: number];
    result: TransactionTotals;
  };
  /** Transaction at a position of the block of a hash. */
  getTransactionByBlockHashAndIndex: {
    params: readonly [groupID: number, blockHash: string, transactionIndex: NumberText];
    result: Transaction;
  };
  /** Transaction at a position of the block of a number. */
  getTransactionByBlockNumberAndIndex: {
    params: readonly [groupID: number, blockNumber: NumberText, transactionIndex: NumberText];
    result: Transaction;
  };
  /** Transaction of a hash, or null. */
  getTransactionByHash: {
    params: readonly [groupID: number, transactionHash: string];
    result: Transaction | null;
  };
  /** Transaction of a hash with its Merkle proof, or null. */
  getTransactionByHashWithProof: {
    params: readonly [groupID: number, transactionHash: string];
    result: {
      readonly transaction: Transaction;
      readonly txProof: Proof;
    } | null;
  };
  /** Receipt of a transaction, or null. */
  getTransactionReceipt: {
    params: readonly [groupID: number, transactionHash: string];
    result: Receipt | null;
  };
  /** Receipt of a transaction with its Merkle proof, or null. */
  getTransactionReceiptByHashWithProof: {
    params: readonly [groupID: number, transactionHash: string];
    result: {
      readonly receiptProof: Proof;
      readonly transactionReceipt: ProvedReceipt;
    } | null;
  };
  /** State of a group on this node. */
  queryGroupStatus: {
    params: readonly [groupID: number];
    result: GroupStatus;
  };
  /** Configured peer addresses. */
  queryPeers: {
    params: readonly [];
    result: readonly string[];
  };
  /** Makes a deleted group a stopped one. */
  recoverGroup: {
    params: readonly [groupID: number];
    result: GroupOperation;
  };
  /** Marks a group deleted, stopping it first; its data is kept. */
  removeGroup: {
    params: readonly [groupID: number];
    result: GroupOperation;
  };
  /** Name and version of the interface. */
  rpc_modules: {
    params: readonly [];
    result: {
      readonly "FISCO BCOS": string;
    };
  };
  /** Submits a signed transaction. */
  sendRawTransaction: {
    params: readonly [groupID: number, rlp: string];
    result: Hex;
  };
  /** Submits a signed transaction; over the channel its receipt comes with proofs. */
  sendRawTransactionAndGetProof: {
    params: readonly [groupID: number, rlp: string];
    result: Hex;
  };
  /** Starts a stopped group. */
  startGroup: {
    params: readonly [groupID: number];
    result: GroupOperation;
  };
  /** Stops a running group. */
  stopGroup: {
    params: readonly [groupID: number];
    result: GroupOperation;
  };
  /** This description, as an OpenRPC document. */
  "rpc.discover": {
    params: readonly [];
    result: JsonObject;
  };
}

/** What the parameters are: the group, a number as text, or any other value. */
export const RPC_PARAMS = {
  addPeers: ["value"],
  call: ["group", "value"],
  erasePeers: ["value"],
  generateGroup: ["group", "value"],
  getBatchReceiptsByBlockHashAndRange: ["group", "value", "number", "number", "value"],
  getBatchReceiptsByBlockNumberAndRange: ["group", "number", "number", "number", "value"],
  getBlockByHash: ["group", "value", "value"],
  getBlockByNumber: ["group", "number", "value"],
  getBlockHashByNumber: ["group", "number"],
  getBlockHeaderByHash: ["group", "value", "value"],
  getBlockHeaderByNumber: ["group", "number", "value"],
  getBlockNumber: ["group"],
  getClientVersion: [],
  getCode: ["group", "value"],
  getConsensusStatus: ["group"],
  getEpochSealersList: ["group"],
  getGroupList: [],
  getGroupPeers: ["group"],
  getNodeIDList: ["group"],
  getNodeInfo: [],
  getObserverList: ["group"],
  getPbftView: ["group"],
  getPeers: ["group"],
  getPendingTransactions: ["group"],
  getPendingTxSize: ["group"],
  getSealerList: ["group"],
  getSyncStatus: ["group"],
  getSystemConfigByKey: ["group", "value"],
  getTotalTransactionCount: ["group"],
  getTransactionByBlockHashAndIndex: ["group", "value", "number"],
  getTransactionByBlockNumberAndIndex: ["group", "number", "number"],
  getTransactionByHash: ["group", "value"],
  getTransactionByHashWithProof: ["group", "value"],
  getTransactionReceipt: ["group", "value"],
  getTransactionReceiptByHashWithProof: ["group", "value"],
  queryGroupStatus: ["group"],
  queryPeers: [],
  recoverGroup: ["group"],
  removeGroup: ["group"],
  rpc_modules: [],
  sendRawTransaction: ["group", "value"],
  sendRawTransactionAndGetProof: ["group", "value"],
  startGroup: ["group"],
  stopGroup: ["group"],
  "rpc.discover": [],
} as const;
