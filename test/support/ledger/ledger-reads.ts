/** Every read of the ledger, to compare what two nodes answer. */

/** One request. */
export interface Read {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A whole block as the interface shows it, as far as further reads follow from it. */
export interface SeenBlock {
  readonly hash: string;
  readonly transactions: readonly { readonly hash: string; readonly from: string }[];
}

const NOWHERE = `0x${"ab".repeat(32)}`;
const TABLE_FACTORY = "0x0000000000000000000000000000000000001001";

/** Reads that concern a block and its transactions. */
export function readsOfBlock(number: number, { hash, transactions }: SeenBlock): readonly Read[] {
  const at = `0x${number.toString(16)}`;
  const block: Read[] = [
    { method: "getBlockByNumber", params: [1, at, true] },
    { method: "getBlockByNumber", params: [1, String(number), false] },
    { method: "getBlockByHash", params: [1, hash, true] },
    { method: "getBlockHeaderByNumber", params: [1, at, true] },
    { method: "getBlockHeaderByHash", params: [1, hash, true] },
    { method: "getBlockHashByNumber", params: [1, at] },
    { method: "getBatchReceiptsByBlockNumberAndRange", params: [1, at, "0", "-1", false] },
    { method: "getBatchReceiptsByBlockHashAndRange", params: [1, hash, "0", "-1", false] },
  ];
  const each = transactions.flatMap(({ hash: transaction }, index): Read[] => {
    const place = `0x${index.toString(16)}`;
    return [
      { method: "getTransactionByHash", params: [1, transaction] },
      { method: "getTransactionByBlockHashAndIndex", params: [1, hash, place] },
      { method: "getTransactionByBlockNumberAndIndex", params: [1, at, place] },
      { method: "getTransactionReceipt", params: [1, transaction] },
      { method: "getTransactionByHashWithProof", params: [1, transaction] },
      { method: "getTransactionReceiptByHashWithProof", params: [1, transaction] },
    ];
  });
  return [...block, ...each];
}

/** Reads of the state and of lists, and such as find nothing. */
export function readsOfState(contract: string): readonly Read[] {
  const config = ["tx_count_limit", "tx_gas_limit", "rpbft_epoch_sealer_num", "nothing"];
  const call = { from: contract, to: contract, value: "0x0", data: "0x01" };
  const desc = { ...call, to: TABLE_FACTORY, data: `0x5d0d6d54${"0".repeat(62)}20` };
  return [
    { method: "getBlockNumber", params: [1] },
    { method: "getSealerList", params: [1] },
    { method: "getObserverList", params: [1] },
    { method: "getGroupPeers", params: [1] },
    { method: "getGroupList", params: [] },
    { method: "getTotalTransactionCount", params: [1] },
    { method: "getCode", params: [1, contract] },
    { method: "getCode", params: [1, `0x${"00".repeat(20)}`] },
    { method: "call", params: [1, call] },
    { method: "call", params: [1, desc] },
    { method: "getBlockByHash", params: [1, NOWHERE, true] },
    { method: "getTransactionReceipt", params: [1, NOWHERE] },
    { method: "getBlockByNumber", params: [1, "0xfffffff", true] },
    { method: "getBlockNumber", params: [2] },
    ...config.map((key) => ({ method: "getSystemConfigByKey", params: [1, key] })),
  ];
}

/** What each node answers about itself. */
export const OWN_READS: readonly Read[] = [
  { method: "getPeers", params: [1] },
  { method: "getNodeIDList", params: [1] },
  { method: "getNodeInfo", params: [] },
  { method: "getSyncStatus", params: [1] },
  { method: "getConsensusStatus", params: [1] },
  { method: "getClientVersion", params: [] },
  { method: "getPbftView", params: [1] },
  { method: "getPendingTxSize", params: [1] },
  { method: "getPendingTransactions", params: [1] },
];

/** Whether two values have the same names and kinds; a list without items is like any other. */
export function isSameShape(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.every((one) => right.length === 0 || right.some((two) => isSameShape(one, two)));
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return typeof left === typeof right && (left === null) === (right === null);
  const names = Object.keys(left).sort();
  if (names.join() !== Object.keys(right).sort().join()) return false;
  const [one, two] = [new Map(Object.entries(left)), new Map(Object.entries(right))];
  return names.every((name) => isSameShape(one.get(name), two.get(name)));
}

/** The JSON-RPC body of a read. */
export function bodyOf({ method, params }: Read, id = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}
