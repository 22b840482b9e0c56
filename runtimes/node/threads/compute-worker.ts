/** Worker thread: recovers batches of signatures for the Compute port. */
import { parentPort, workerData } from "node:worker_threads";
import { answerFrame } from "../../shared/compute-frame.ts";
import type { ComputeFrame, ComputeWorkerData } from "../../shared/compute-frame.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { endWhenAsked } from "./thread-end.ts";
import { invariant } from "../../../core/fault/invariant.ts";

endWhenAsked();
const port = parentPort;
invariant(port, "compute-worker runs as a worker thread");
const suite = await createChainSuite((workerData as ComputeWorkerData).suite);
port.on("message", (frame: ComputeFrame) => {
  answerFrame(frame, suite);
  port.postMessage(frame, [frame.buffer]);
});
