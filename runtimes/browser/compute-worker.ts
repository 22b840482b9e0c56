/** A worker that recovers batches of signatures; `?suite=national` names the suite. */
import { answerFrame, type ComputeFrame } from "../shared/compute-frame.ts";
import { suiteNameOf } from "../shared/platform/web-suite.ts";
import { createTabSuite } from "./tab-suite.ts";

const name = suiteNameOf(new URL(location.href).searchParams.get("suite"));
const making = createTabSuite(name, { recovers: true });

addEventListener("message", async ({ data }: MessageEvent<ComputeFrame>) => {
  answerFrame(data, await making);
  postMessage(data, { transfer: [data.buffer] });
});
