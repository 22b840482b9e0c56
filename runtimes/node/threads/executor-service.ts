/** The executor thread's side of the executor port: takes requests in order, one at a time. */
import { parentPort } from "node:worker_threads";
import { invariant, unreachable } from "../../../core/fault/invariant.ts";
import type { ExecuteOutcome, Executor } from "../../../core/ports/executor.ts";
import { cancelFlag, exactHeader, packFault, unpackExecute } from "./executor-frame.ts";
import type { ExecutorReply, ExecutorRequest } from "./executor-frame.ts";
import type { SlotMessage } from "./executor-threads.ts";
import { endWhenAsked } from "./thread-end.ts";

/** The part of an executor that runs in its thread; calls run elsewhere. */
export type BlockWriter = Pick<Executor, "execute" | "write" | "close">;

/** Makes an executor; `cancelled` is for it to ask while it executes. */
type Open<Setup> = (setup: Setup, cancelled: () => boolean) => Promise<BlockWriter>;

function exactOutcome(outcome: ExecuteOutcome): ExecuteOutcome {
  if (!outcome.ok) return outcome;
  const { block } = outcome;
  return { ok: true, block: { ...block, header: exactHeader(block.header) } };
}

/**
 * Serves requests until one of them is close. Faults are answered, never thrown: one while opening
 * as the answer to request 0, and the thread ends.
 */
async function serveSlot<Setup>(
  { setup, cancel, port }: SlotMessage<Setup>,
  open: Open<Setup>,
): Promise<void> {
  const flag = cancelFlag(cancel);
  let running = 0;
  const reply = (message: ExecutorReply) => port.postMessage(message);
  let executor: BlockWriter;
  try {
    executor = await open(setup, () => flag.isCancelled(running));
  } catch (thrown) {
    reply({ type: "fault", id: 0, fault: packFault(thrown) });
    port.close();
    return;
  }

  async function perform(request: ExecutorRequest): Promise<ExecutorReply> {
    const { id } = request;
    switch (request.type) {
      case "execute": {
        running = request.execution;
        if (flag.isCancelled(running)) return { type: "executed", id, outcome: CANCELLED };
        const outcome = await executor.execute(unpackExecute(request.frame), (heavy) =>
          reply({ type: "heavy", id, heavy }),
        );
        return { type: "executed", id, outcome: exactOutcome(outcome) };
      }
      case "write":
        await executor.write(request.hash, request.seals);
        return { type: "done", id };
      case "close":
        await executor.close();
        return { type: "done", id };
      default:
        return unreachable(request);
    }
  }

  let last: Promise<void> = Promise.resolve();
  port.on("message", (request: ExecutorRequest) => {
    last = last
      .then(() => perform(request))
      .catch(
        (thrown): ExecutorReply => ({ type: "fault", id: request.id, fault: packFault(thrown) }),
      )
      .then((answer) => {
        reply(answer);
        if (request.type === "close") port.close();
      });
  });
  reply({ type: "ready" });
}

const CANCELLED: ExecuteOutcome = { ok: false, reason: "cancelled", heavy: undefined };

/** Runs in the thread: serves every ledger that is given a place in it. */
export function serveSlots<Setup>(open: Open<Setup>): void {
  invariant(parentPort, "an executor runs in a worker thread");
  endWhenAsked();
  parentPort.on("message", (slot: SlotMessage<Setup>) => void serveSlot(slot, open));
}
