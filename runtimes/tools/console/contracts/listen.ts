/** Events of a contract, as blocks bring them. Source: channel-protocol 7.3 */
import { itemsOf } from "../../../../core/client/abi-item.ts";
import type { DecodedEvent, RawLog } from "../../../../core/client/contract-output.ts";
import { nearestName } from "../../../formats/config/nearest-name.ts";
import { ConsoleFault, usageFault } from "../command.ts";
import { oneLine } from "../foreign-text.ts";
import { jsonText } from "../print.ts";
import type { Session } from "../session.ts";
import { type CallPlace, eventsOf } from "./call-contract.ts";
import { compilerHash } from "./selector-hash.ts";

/** What to listen to. */
export interface ListenOrder extends CallPlace {
  /** Only events of that name. */
  readonly event?: string | undefined;
  /** Ends after this many; never by itself when absent. */
  readonly count?: number | undefined;
  /** The first block to look at; the next one when absent. */
  readonly fromBlock?: number | undefined;
  /** From now on nothing is missed. */
  readonly onOpen: () => void;
}

/** @throws ConsoleFault with exit code 2 that names the events there are */
export function requireEvent({ abi, event }: Pick<ListenOrder, "abi" | "event">): void {
  const names = [...new Set(itemsOf(abi, "event").map(({ name = "" }) => name))];
  if (names.length === 0) throw usageFault("the contract has no events.");
  if (event === undefined || names.includes(event)) return;
  const near = nearestName(event, names);
  const meant = near === undefined ? "" : ` Did you mean ${near}?`;
  throw usageFault(`the contract has no event ${event}.${meant} It has ${names.join(", ")}.`);
}

/** A log as it is pushed. */
interface PushedLog extends RawLog {
  readonly blockNumber: string;
  readonly transactionHash: string;
}

function tellEvent(session: Session, log: PushedLog, { eventName, args }: DecodedEvent): void {
  const blockNumber = Number(log.blockNumber);
  const { transactionHash } = log;
  const text = `block ${blockNumber}  ${transactionHash}  ${eventName}: ${jsonText(args)}`;
  session.tell(oneLine(text), { blockNumber, transactionHash, event: eventName, args });
}

/**
 * Tells each event until there were enough, or the person stops it.
 * @returns how many events there were
 * @throws ConsoleFault when the node ends it; UsageFault over a transport that pushes nothing
 */
export async function listen(session: Session, order: ListenOrder): Promise<number> {
  const { abi, address, event, count = Infinity, fromBlock, onOpen } = order;
  const { signal } = session;
  const client = await session.client();
  const { suite } = await session.chain();
  const hashes = [suite.hash, compilerHash()];
  const head = fromBlock ?? Number(await session.query("getBlockNumber", [session.groupId])) + 1;
  let found = 0;
  let settle = (_cause?: Error): void => undefined;
  const ended = new Promise<void>((fulfil, refuse) => {
    settle = (cause) => (cause ? refuse(cause) : fulfil());
  });
  const onResult = (result: unknown): void => {
    const log = result as PushedLog;
    const [decoded] = eventsOf(abi, { logs: [log] }, hashes);
    const isWanted = decoded && (event === undefined || decoded.eventName === event);
    if (!isWanted || Number(log.blockNumber) < head || found >= count) return;
    tellEvent(session, log, decoded);
    if (++found >= count) settle();
  };
  const onEnd = (cause: Error): void =>
    settle(new ConsoleFault(`No more events come: ${cause.message}.`, { cause }));
  const stop = (): void => settle();
  signal.addEventListener("abort", stop, { once: true });
  const first = fromBlock === undefined ? "latest" : `${fromBlock}`;
  const filter = { addresses: [address], topics: [], fromBlock: first };
  const subscription = await client.subscribe("logs", filter, { onResult, onEnd });
  try {
    onOpen();
    if (signal.aborted) settle();
    await ended;
  } finally {
    signal.removeEventListener("abort", stop);
    await subscription.stop().catch(() => undefined);
  }
  return found;
}
