/** Worker thread: recovers batches of signatures for the Compute port. */
import { parentPort } from "node:worker_threads";
import { createNodeSuite } from "./backends.ts";
import { answerFrame } from "./compute-frame.ts";
import type { ComputeFrame } from "./compute-frame.ts";
import { invariant } from "../../core/fault/invariant.ts";

const port = parentPort;
invariant(port, "compute-worker runs as a worker thread");
const suite = await createNodeSuite();
port.on("message", (frame: ComputeFrame) => {
  answerFrame(frame, suite);
  port.postMessage(frame, [frame.buffer]);
});
