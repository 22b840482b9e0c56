/** All operations by name. Source: interface 4.2; rpc-semantics 13 */
import { defineMethod, type Method } from "./method.ts";
import { addPeers } from "./methods/addPeers.ts";
import { call } from "./methods/call.ts";
import { erasePeers } from "./methods/erasePeers.ts";
import { generateGroup } from "./methods/generateGroup.ts";
import { getBatchReceiptsByHash } from "./methods/getBatchReceiptsByBlockHashAndRange.ts";
import { getBatchReceiptsByNumber } from "./methods/getBatchReceiptsByBlockNumberAndRange.ts";
import { getBlockByHash } from "./methods/getBlockByHash.ts";
import { getBlockByNumber } from "./methods/getBlockByNumber.ts";
import { getBlockHashByNumber } from "./methods/getBlockHashByNumber.ts";
import { getBlockHeaderByHash } from "./methods/getBlockHeaderByHash.ts";
import { getBlockHeaderByNumber } from "./methods/getBlockHeaderByNumber.ts";
import { getBlockNumber } from "./methods/getBlockNumber.ts";
import { getClientVersion } from "./methods/getClientVersion.ts";
import { getCode } from "./methods/getCode.ts";
import { getConsensusStatus } from "./methods/getConsensusStatus.ts";
import { getEpochSealersList } from "./methods/getEpochSealersList.ts";
import { getGroupList } from "./methods/getGroupList.ts";
import { getGroupPeers } from "./methods/getGroupPeers.ts";
import { getNodeIDList } from "./methods/getNodeIDList.ts";
import { getNodeInfo } from "./methods/getNodeInfo.ts";
import { getObserverList } from "./methods/getObserverList.ts";
import { getPbftView } from "./methods/getPbftView.ts";
import { getPeers } from "./methods/getPeers.ts";
import { getPendingTransactions } from "./methods/getPendingTransactions.ts";
import { getPendingTxSize } from "./methods/getPendingTxSize.ts";
import { getSealerList } from "./methods/getSealerList.ts";
import { getSyncStatus } from "./methods/getSyncStatus.ts";
import { getSystemConfigByKey } from "./methods/getSystemConfigByKey.ts";
import { getTotalTransactionCount } from "./methods/getTotalTransactionCount.ts";
import { getTransactionByHashAndIndex } from "./methods/getTransactionByBlockHashAndIndex.ts";
import { getTransactionByNumberAndIndex } from "./methods/getTransactionByBlockNumberAndIndex.ts";
import { getTransactionByHash } from "./methods/getTransactionByHash.ts";
import { getTransactionWithProof } from "./methods/getTransactionByHashWithProof.ts";
import { getTransactionReceipt } from "./methods/getTransactionReceipt.ts";
import { getReceiptWithProof } from "./methods/getTransactionReceiptByHashWithProof.ts";
import { queryGroupStatus } from "./methods/queryGroupStatus.ts";
import { queryPeers } from "./methods/queryPeers.ts";
import { recoverGroup } from "./methods/recoverGroup.ts";
import { removeGroup } from "./methods/removeGroup.ts";
import { rpcModules } from "./methods/rpcModules.ts";
import { sendRawTransaction } from "./methods/sendRawTransaction.ts";
import { sendRawTransactionAndGetProof } from "./methods/sendRawTransactionAndGetProof.ts";
import { startGroup } from "./methods/startGroup.ts";
import { stopGroup } from "./methods/stopGroup.ts";
import { openRpcDocument } from "./openrpc.ts";

/** Describes every operation, itself included, from the descriptors that check the requests. */
const rpcDiscover = defineMethod({
  name: "rpc.discover",
  summary: "This description, as an OpenRPC document",
  params: [],
  result: { name: "document", schema: { type: "object" } },
  errors: [],
  run: ({ node }) => openRpcDocument(METHODS, node.build.version),
});

/** In the order of the description. */
export const METHODS: readonly Method[] = [
  addPeers,
  call,
  erasePeers,
  generateGroup,
  getBatchReceiptsByHash,
  getBatchReceiptsByNumber,
  getBlockByHash,
  getBlockByNumber,
  getBlockHashByNumber,
  getBlockHeaderByHash,
  getBlockHeaderByNumber,
  getBlockNumber,
  getClientVersion,
  getCode,
  getConsensusStatus,
  getEpochSealersList,
  getGroupList,
  getGroupPeers,
  getNodeIDList,
  getNodeInfo,
  getObserverList,
  getPbftView,
  getPeers,
  getPendingTransactions,
  getPendingTxSize,
  getSealerList,
  getSyncStatus,
  getSystemConfigByKey,
  getTotalTransactionCount,
  getTransactionByHashAndIndex,
  getTransactionByNumberAndIndex,
  getTransactionByHash,
  getTransactionWithProof,
  getTransactionReceipt,
  getReceiptWithProof,
  queryGroupStatus,
  queryPeers,
  recoverGroup,
  removeGroup,
  rpcModules,
  sendRawTransaction,
  sendRawTransactionAndGetProof,
  startGroup,
  stopGroup,
  rpcDiscover,
];

const BY_NAME: ReadonlyMap<string, Method> = new Map(METHODS.map((it) => [it.name, it]));

/** The operation of that name, case-sensitive; undefined when there is none. */
export function findMethod(name: string): Method | undefined {
  return BY_NAME.get(name);
}
