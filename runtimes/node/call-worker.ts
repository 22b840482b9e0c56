/**
 * Worker thread: answers the calls of all nodes of the process, each on a snapshot of one block.
 */
import { parentPort, workerData } from "node:worker_threads";
import { createChainRules } from "../../core/execution/chain-rules.ts";
import type { ChainRules } from "../../core/execution/chain-rules.ts";
import { Cancelled } from "../../core/execution/evm/message.ts";
import { invariant } from "../../core/fault/invariant.ts";
import { runCall } from "../../core/execution/read-only-call.ts";
import type { CallOutcome, CallRequest } from "../../core/ports/executor.ts";
import { createNodeSuite } from "./backends.ts";
import type { CallMessage, CallReply, CallWorkerData } from "./call-frame.ts";
import { packFault } from "./executor-frame.ts";
import type { LedgerSetup } from "./ledger-setup.ts";
import { openLevelStore } from "./store.ts";
import type { LevelStore } from "./store.ts";

/** A ledger that calls have asked for. */
interface OpenLedger {
  readonly store: LevelStore;
  readonly rules: ChainRules;
}

const { callLimitMs } = workerData as CallWorkerData;
const port = parentPort;
invariant(port, "call-worker runs as a worker thread");
const suite = await createNodeSuite();
/** By folder; a ledger leaves when its node closes. */
const ledgers = new Map<string, OpenLedger>();

async function ledgerOf(setup: LedgerSetup): Promise<OpenLedger> {
  const known = ledgers.get(setup.folder);
  if (known) return known;
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
    const { number, status, output } = runCall(snapshot, { rules, cancelled }, request);
    return { number, status, output: new Uint8Array(output) };
  } finally {
    await snapshot.close();
  }
}

async function perform(message: CallMessage): Promise<CallReply> {
  const { id } = message;
  if (message.type === "release") {
    const ledger = ledgers.get(message.folder);
    ledgers.delete(message.folder);
    await ledger?.store.close();
    return { type: "released", id };
  }
  const outcome = await call(await ledgerOf(message.setup), message.request);
  return { type: "answer", id, outcome };
}

function failure(id: number, thrown: unknown): CallReply {
  if (thrown instanceof Cancelled) return { type: "tooLong", id };
  return { type: "fault", id, fault: packFault(thrown) };
}

let last: Promise<void> = Promise.resolve();
port.on("message", (message: CallMessage) => {
  last = last
    .then(() => perform(message))
    .catch((thrown) => failure(message.id, thrown))
    .then((reply) => port.postMessage(reply));
});
