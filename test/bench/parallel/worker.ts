/** The second thread of the prototype: executes the shares that it is sent. */
import { parentPort, workerData } from "node:worker_threads";
import { executeShare, openBench, type Share } from "./share.ts";

const bench = await openBench((workerData as { readonly folder: string }).folder);

parentPort?.on("message", async (share: Share | null) => {
  if (share !== null) {
    parentPort?.postMessage(executeShare(bench, share));
    return;
  }
  await bench.close();
  parentPort?.close();
});
parentPort?.postMessage("ready");
