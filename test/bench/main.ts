/** `npm run bench`: reads the options; what measures is loaded when something is measured. */
import { exitOnSignals } from "../support/runner/own-children.ts";
import { readOptions } from "./options.ts";

exitOnSignals();
const options = readOptions();
const { runBench } = await import("./run.ts");
await runBench(options);
