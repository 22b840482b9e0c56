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

interface Operation<Params extends readonly unknown[], Result> {
  params: Readonly<Params>;
  result: Result;
}

/** Every operation by its name. Source: interface 4.2 */
export interface RpcSchema {
  /** Adds peer addresses to the configuration and dials them. */
  addPeers: Operation<[addresses: readonly string[]], GroupOperation>;
  /** Runs a contract on the latest state; nothing is stored. */
  call: Operation<
    [
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
    ],
    CallResult
  >;
  /** Removes peer addresses from the configuration; existing sessions stay. */
  erasePeers: Operation<[addresses: readonly string[]], GroupOperation>;
  /** Writes the files of a new group; it is started with startGroup. */
  generateGroup: Operation<
    [
      groupID: number,
      genesisParams: {
        readonly timestamp: number | NumberText;
        readonly sealers: readonly string[];
        readonly enable_free_storage?: boolean;
      },
    ],
    GroupOperation
  >;
  /** Receipts of a block from an index on, in short form. */
  getBatchReceiptsByBlockHashAndRange: Operation<
    [groupID: number, blockHash: string, from: NumberText, count: NumberText, compress: boolean],
    BatchReceipts | string
  >;
  /** Receipts of a block from an index on, in short form. */
  getBatchReceiptsByBlockNumberAndRange: Operation<
    [
      groupID: number,
      blockNumber: NumberText,
      from: NumberText,
      count: NumberText,
      compress: boolean,
    ],
    BatchReceipts | string
  >;
  /** Block of a hash. */
  getBlockByHash: Operation<
    [groupID: number, blockHash: string, includeTransactions: boolean],
    Block
  >;
  /** Block of a number. */
  getBlockByNumber: Operation<
    [groupID: number, blockNumber: NumberText, includeTransactions: boolean],
    Block
  >;
  /** Hash of the block at a number. */
  getBlockHashByNumber: Operation<[groupID: number, blockNumber: NumberText], Hex>;
  /** Block header of a hash. */
  getBlockHeaderByHash: Operation<
    [groupID: number, blockHash: string, includeSignatures: boolean],
    BlockHeader
  >;
  /** Block header of a number. */
  getBlockHeaderByNumber: Operation<
    [groupID: number, blockNumber: NumberText, includeSignatures: boolean],
    BlockHeader
  >;
  /** Number of the latest block. */
  getBlockNumber: Operation<[groupID: number], Hex>;
  /** Versions of the node and of the chain. */
  getClientVersion: Operation<[], Version>;
  /** Code of a contract. */
  getCode: Operation<[groupID: number, address: string], Hex>;
  /** Consensus status and the views of the sealers. */
  getConsensusStatus: Operation<[groupID: number], ConsensusStatus>;
  /** Sealers of the current epoch; only on rPBFT groups. */
  getEpochSealersList: Operation<[groupID: number], readonly string[]>;
  /** Running groups in which the node is sealer or observer, ascending. */
  getGroupList: Operation<[], readonly number[]>;
  /** Sealers and observers of the group, ascending. */
  getGroupPeers: Operation<[groupID: number], readonly string[]>;
  /** Own node ID, then those of the connected peers. */
  getNodeIDList: Operation<[groupID: number], readonly string[]>;
  /** The node itself in the form of getPeers. */
  getNodeInfo: Operation<[], Peer>;
  /** Observers of the group, in table order. */
  getObserverList: Operation<[groupID: number], readonly string[]>;
  /** Current PBFT view. */
  getPbftView: Operation<[groupID: number], Hex>;
  /** Connected peers. */
  getPeers: Operation<[groupID: number], readonly Peer[]>;
  /** Transactions in the pool, in its order. */
  getPendingTransactions: Operation<[groupID: number], readonly PendingTransaction[]>;
  /** Number of transactions in the pool. */
  getPendingTxSize: Operation<[groupID: number], Hex>;
  /** Sealers of the group, in table order. */
  getSealerList: Operation<[groupID: number], readonly string[]>;
  /** Synchronisation status. */
  getSyncStatus: Operation<[groupID: number], SyncStatus>;
  /** Value of a system configuration key for the next block. */
  getSystemConfigByKey: Operation<
    [
      groupID: number,
      key:
        | "tx_count_limit"
        | "tx_gas_limit"
        | "consensus_timeout"
        | "rpbft_epoch_sealer_num"
        | "rpbft_epoch_block_num"
        | "enable_charge_mgr",
    ],
    string
  >;
  /** Numbers of transactions and of failed transactions. */
  getTotalTransactionCount: Operation<[groupID: number], TransactionTotals>;
  /** Transaction at a position of the block of a hash. */
  getTransactionByBlockHashAndIndex: Operation<
    [groupID: number, blockHash: string, transactionIndex: NumberText],
    Transaction
  >;
  /** Transaction at a position of the block of a number. */
  getTransactionByBlockNumberAndIndex: Operation<
    [groupID: number, blockNumber: NumberText, transactionIndex: NumberText],
    Transaction
  >;
  /** Transaction of a hash, or null. */
  getTransactionByHash: Operation<[groupID: number, transactionHash: string], Transaction | null>;
  /** Transaction of a hash with its Merkle proof, or null. */
  getTransactionByHashWithProof: Operation<
    [groupID: number, transactionHash: string],
    {
      readonly transaction: Transaction;
      readonly txProof: Proof;
    } | null
  >;
  /** Receipt of a transaction, or null. */
  getTransactionReceipt: Operation<[groupID: number, transactionHash: string], Receipt | null>;
  /** Receipt of a transaction with its Merkle proof, or null. */
  getTransactionReceiptByHashWithProof: Operation<
    [groupID: number, transactionHash: string],
    {
      readonly receiptProof: Proof;
      readonly transactionReceipt: ProvedReceipt;
    } | null
  >;
  /** State of a group on this node. */
  queryGroupStatus: Operation<[groupID: number], GroupStatus>;
  /** Configured peer addresses. */
  queryPeers: Operation<[], readonly string[]>;
  /** Makes a deleted group a stopped one. */
  recoverGroup: Operation<[groupID: number], GroupOperation>;
  /** Marks a group deleted, stopping it first; its data is kept. */
  removeGroup: Operation<[groupID: number], GroupOperation>;
  /** Name and version of the interface. */
  rpc_modules: Operation<
    [],
    {
      readonly "FISCO BCOS": string;
    }
  >;
  /** Submits a signed transaction. */
  sendRawTransaction: Operation<[groupID: number, rlp: string], Hex>;
  /** Submits a signed transaction; over the channel its receipt comes with proofs. */
  sendRawTransactionAndGetProof: Operation<[groupID: number, rlp: string], Hex>;
  /** Starts a stopped group. */
  startGroup: Operation<[groupID: number], GroupOperation>;
  /** Stops a running group. */
  stopGroup: Operation<[groupID: number], GroupOperation>;
  /** This description, as an OpenRPC document. */
  "rpc.discover": Operation<[], JsonObject>;
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
