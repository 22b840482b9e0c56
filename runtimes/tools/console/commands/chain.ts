/** Questions about a group and its members. Source: console 4.2 */
import type { ConsoleCommand, Outcome } from "../command.ts";
import { formatIds, outcomeOf, said } from "../print.ts";
import type { Session } from "../session.ts";

/** Questions with the group as their one parameter. */
type OfGroup =
  | "getConsensusStatus"
  | "getSyncStatus"
  | "getPendingTransactions"
  | "getTotalTransactionCount";

function asked(method: OfGroup): ConsoleCommand["run"] {
  return async (session) => outcomeOf(await session.query(method, [session.groupId]));
}

/** Lists of node IDs. */
function ids(method: "getSealerList" | "getObserverList" | "getNodeIDList"): ConsoleCommand["run"] {
  return async (session) => {
    const found = await session.query(method, [session.groupId]);
    return { text: formatIds(found), data: found };
  };
}

/** Numbers, told in decimal. */
function number(method: "getBlockNumber" | "getPendingTxSize"): ConsoleCommand["run"] {
  return async (session) => decimal(await session.query(method, [session.groupId]));
}

function decimal(text: string): Outcome {
  const value = BigInt(text);
  return said(value.toString(), Number(value));
}

async function totals(session: Session): Promise<Outcome> {
  const found = await session.query("getTotalTransactionCount", [session.groupId]);
  const { blockNumber, txSum, failedTxSum } = found;
  return outcomeOf({
    blockNumber: Number(blockNumber),
    txSum: Number(txSum),
    failedTxSum: Number(failedTxSum),
  });
}

function plain(name: string, says: string, run: ConsoleCommand["run"]): ConsoleCommand {
  return { name, says, parameters: [], run };
}

/** The commands of this family. */
export const CHAIN_COMMANDS: readonly ConsoleCommand[] = [
  plain("getNodeVersion", "Show the versions of the node and the chain", async (session) =>
    outcomeOf(await session.query("getClientVersion", [])),
  ),
  plain("getBlockNumber", "Show the number of the newest block", number("getBlockNumber")),
  plain("getPbftView", "Show the PBFT view", async (session) =>
    decimal(await session.query("getPbftView", [session.groupId])),
  ),
  plain("getConsensusStatus", "Show the state of the consensus", asked("getConsensusStatus")),
  plain("getSyncStatus", "Show the state of the block synchronisation", asked("getSyncStatus")),
  plain("getSealerList", "List the sealers of the group", ids("getSealerList")),
  plain("getObserverList", "List the observers of the group", ids("getObserverList")),
  plain("getNodeIDList", "List the node and those it is connected to", ids("getNodeIDList")),
  plain(
    "getPendingTransactions",
    "List the transactions that wait for a block",
    asked("getPendingTransactions"),
  ),
  plain(
    "getPendingTxSize",
    "Show how many transactions wait for a block",
    number("getPendingTxSize"),
  ),
  plain("getTotalTransactionCount", "Count the transactions of the group", totals),
];
