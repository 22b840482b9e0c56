/**
 * Worker thread: answers the calls of all nodes of the process, each on a snapshot of one block.
 */
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from "node:worker_threads";
import { createChainRules } from "../../../core/execution/chain-rules.ts";
import type { ChainRules } from "../../../core/execution/chain-rules.ts";
import { Cancelled } from "../../../core/execution/evm/message.ts";
import { FairLine } from "../../../core/limits/fair-line.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { latestHeader, runCall } from "../../../core/execution/read-only-call.ts";
import type { CallOutcome, CallRequest } from "../../../core/ports/executor.ts";
import { createSuiteCache } from "../machine/chain-suite.ts";
import { giveWay } from "../machine/thread-priority.ts";
import type { CallMessage, CallReply, CallWorkerData } from "./call-frame.ts";
import { packFault } from "./executor-frame.ts";
import type { LedgerSetup } from "./ledger-setup.ts";
import { endWhenAsked } from "./thread-end.ts";
import { openLevelStore } from "../store/store.ts";
import type { LevelStore } from "../store/store.ts";

type AskedCall = Extract<CallMessage, { type: "call" }>;
type ReleaseMessage = Extract<CallMessage, { type: "release" }>;

/** A ledger that calls have asked for. */
interface OpenLedger {
  readonly store: LevelStore;
  readonly rules: ChainRules;
}

const { callLimitMs } = workerData as CallWorkerData;
endWhenAsked();
const port = parentPort;
invariant(port, "call-worker runs as a worker thread");
const messages: MessagePort = port;
giveWay();
const suiteNamed = createSuiteCache();
/** By folder; a ledger leaves when its node closes. */
const ledgers = new Map<string, OpenLedger>();

async function ledgerOf(setup: LedgerSetup): Promise<OpenLedger> {
  const known = ledgers.get(setup.folder);
  if (known) return known;
  const suite = await suiteNamed(setup.suite ?? "standard");
  const store = await openLevelStore(setup.folder, {
    create: false,
    joined: true,
    opened: setup.opened,
  });
  const rules = createChainRules({
    suite,
    version: setup.version,
    freeStorage: setup.genesis.freeStorage,
    reconfirmCommittee: setup.reconfirmCommittee ?? false,
  });
  const ledger = { store, rules };
  ledgers.set(setup.folder, ledger);
  return ledger;
}

/** Those that wait for their turns, and all of them by number. */
const line = new FairLine<AskedCall>();
const waiting = new Map<number, AskedCall>();
const releases: ReleaseMessage[] = [];
let running: { readonly id: number; isWanted: boolean } | undefined;

function take(message: CallMessage): void {
  if (message.type === "release") return void releases.push(message);
  const { id } = message;
  if (message.type === "call") {
    waiting.set(id, message);
    return line.add(message.place, message);
  }
  const asked = waiting.get(id);
  if (asked && waiting.delete(id)) line.remove(asked.place, asked);
  else if (running?.id === id) running.isWanted = false;
}

/** Takes what arrived while a call keeps this thread from hearing of it. */
function takeArrived(): void {
  for (let next = receiveMessageOnPort(messages); next; next = receiveMessageOnPort(messages))
    take(next.message as CallMessage);
}

async function perform({ id, setup, request }: AskedCall): Promise<CallReply> {
  const mine = { id, isWanted: true };
  running = mine;
  // Opening the store, at the first call, is no part of it.
  let deadline = Number.POSITIVE_INFINITY;
  // Asked every few milliseconds.
  const cancelled = (): boolean => {
    takeArrived();
    return !mine.isWanted || performance.now() > deadline;
  };
  try {
    const ledger = await ledgerOf(setup);
    deadline = performance.now() + callLimitMs;
    const outcome = await call(ledger, request, cancelled);
    return { type: "answer", id, outcome, isLate: performance.now() > deadline };
  } finally {
    running = undefined;
  }
}

async function call(
  { store, rules }: OpenLedger,
  request: CallRequest,
  cancelled: () => boolean,
): Promise<CallOutcome> {
  const snapshot = store.snapshot();
  try {
    const latest = await latestHeader(snapshot);
    const { number, status, output } = runCall(snapshot, { rules, latest, cancelled }, request);
    return { number, status, output: new Uint8Array(output) };
  } finally {
    await snapshot.close();
  }
}

async function release({ id, folder }: ReleaseMessage): Promise<CallReply> {
  const ledger = ledgers.get(folder);
  ledgers.delete(folder);
  await ledger?.store.close();
  return { type: "released", id };
}

function failure(id: number, thrown: unknown): CallReply {
  if (thrown instanceof Cancelled) return { type: "tooLong", id };
  return { type: "fault", id, fault: packFault(thrown) };
}

let isWorking = false;

/** The answer to the next message. Stores are dropped first: many calls may wait. */
async function answerNext(): Promise<CallReply | undefined> {
  takeArrived();
  const letGo = releases.shift();
  if (letGo) return release(letGo).catch((thrown) => failure(letGo.id, thrown));
  const next = line.next();
  if (!next) return undefined;
  waiting.delete(next.id);
  return perform(next).catch((thrown) => failure(next.id, thrown));
}

/** An output is not copied: the other thread would spend its time on it. */
function handedOver(reply: CallReply): ArrayBuffer[] {
  return reply.type === "answer" ? [reply.outcome.output.buffer as ArrayBuffer] : [];
}

async function work(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  for (let reply = await answerNext(); reply; reply = await answerNext())
    messages.postMessage(reply, handedOver(reply));
  isWorking = false;
}

messages.on("message", (message: CallMessage) => {
  take(message);
  void work();
});
