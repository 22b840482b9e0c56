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
import { invariant } from "../../../core/fault/invariant.ts";
import { latestHeader, runCall } from "../../../core/execution/read-only-call.ts";
import type { CallOutcome, CallRequest } from "../../../core/ports/executor.ts";
import { createSuiteShelf } from "../machine/chain-suite.ts";
import type { CallMessage, CallReply, CallWorkerData } from "./call-frame.ts";
import { packFault } from "./executor-frame.ts";
import type { LedgerSetup } from "./ledger-setup.ts";
import { openLevelStore } from "../store/store.ts";
import type { LevelStore } from "../store/store.ts";

type RequestMessage = Extract<CallMessage, { type: "call" }>;
type ReleaseMessage = Extract<CallMessage, { type: "release" }>;

/** A ledger that calls have asked for. */
interface OpenLedger {
  readonly store: LevelStore;
  readonly rules: ChainRules;
}

const { callLimitMs } = workerData as CallWorkerData;
const port = parentPort;
invariant(port, "call-worker runs as a worker thread");
const messages: MessagePort = port;
const suiteNamed = createSuiteShelf();
/** By folder; a ledger leaves when its node closes. */
const ledgers = new Map<string, OpenLedger>();

async function ledgerOf(setup: LedgerSetup): Promise<OpenLedger> {
  const known = ledgers.get(setup.folder);
  if (known) return known;
  const suite = await suiteNamed(setup.suite ?? "standard");
  const store = await openLevelStore(setup.folder, { create: false, joined: true });
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

async function call({ store, rules }: OpenLedger, request: CallRequest): Promise<CallOutcome> {
  const deadline = performance.now() + callLimitMs;
  const snapshot = store.snapshot();
  try {
    const cancelled = () => performance.now() > deadline;
    const latest = await latestHeader(snapshot);
    const { number, status, output } = runCall(snapshot, { rules, latest, cancelled }, request);
    return { number, status, output: new Uint8Array(output) };
  } finally {
    await snapshot.close();
  }
}

/** The release of each folder that was let go of: calls that were asked before it are refused. */
const released = new Map<string, number>();

async function perform(message: RequestMessage): Promise<CallReply> {
  const { id, setup, request } = message;
  if (id < (released.get(setup.folder) ?? 0)) return { type: "closed", id };
  return { type: "answer", id, outcome: await call(await ledgerOf(setup), request) };
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

const calls: RequestMessage[] = [];
const releases: ReleaseMessage[] = [];
let working = false;

function take(message: CallMessage): void {
  if (message.type === "call") {
    calls.push(message);
    return;
  }
  released.set(message.folder, message.id);
  releases.push(message);
}

/** Takes what arrived while a call kept this thread from hearing of it. */
function takeArrived(): void {
  for (let next = receiveMessageOnPort(messages); next; next = receiveMessageOnPort(messages))
    take(next.message as CallMessage);
}

/** The answer to the next message. Stores are let go of first: many calls may wait. */
async function answerNext(): Promise<CallReply | undefined> {
  takeArrived();
  const letGo = releases.shift();
  if (letGo) return release(letGo).catch((thrown) => failure(letGo.id, thrown));
  const next = calls.shift();
  return next && perform(next).catch((thrown) => failure(next.id, thrown));
}

/** An output is not copied: the other thread would spend its time on it. */
function handedOver(reply: CallReply): ArrayBuffer[] {
  return reply.type === "answer" ? [reply.outcome.output.buffer as ArrayBuffer] : [];
}

async function work(): Promise<void> {
  if (working) return;
  working = true;
  for (let reply = await answerNext(); reply; reply = await answerNext())
    messages.postMessage(reply, handedOver(reply));
  working = false;
}

messages.on("message", (message: CallMessage) => {
  take(message);
  void work();
});
