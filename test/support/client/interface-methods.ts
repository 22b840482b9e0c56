/** The operations that the interface names. Source: interface 4.2 */

const NAMES = `getClientVersion getBlockNumber getPbftView getSealerList getObserverList
  getConsensusStatus getSyncStatus getPeers getGroupPeers getNodeIDList getGroupList getBlockByHash
  getBlockByNumber getBlockHeaderByHash getBlockHeaderByNumber getBlockHashByNumber
  getTransactionByHash getTransactionByBlockHashAndIndex getTransactionByBlockNumberAndIndex
  getTransactionReceipt getPendingTransactions getPendingTxSize getCode getTotalTransactionCount
  getSystemConfigByKey call sendRawTransaction sendRawTransactionAndGetProof
  getTransactionByHashWithProof getTransactionReceiptByHashWithProof generateGroup startGroup
  stopGroup removeGroup recoverGroup queryGroupStatus`;

/** Their names. */
export function methodNames(): readonly string[] {
  return NAMES.split(/\s+/);
}
