/** Recorded lines that are not asked of our endpoint here, each with the reason. */
import { type Exchange, methodOf, paramsOf } from "./exchange.ts";

/** A reason and the lines that it concerns. */
export interface OutOfScope {
  readonly reason: string;
  readonly concerns: (exchange: Exchange) => boolean;
}

/** The list; an entry that concerns no line fails the test. */
export const OUT_OF_SCOPE: readonly OutOfScope[] = [
  {
    reason: "a note of what became of the reference's process: no request",
    concerns: (exchange) => exchange.request === undefined,
  },
  {
    reason: "a call on the state of group 2, which was not recorded",
    concerns: (exchange) => paramsOf(exchange)[0] === 2 && methodOf(exchange) === "call",
  },
  {
    reason: "a block that stores its own time, and hashes that cover times, which no line shows",
    concerns: ({ file, case: name }) => file.startsWith("compat_") && name === "envTx(): receipt",
  },
  {
    reason: "operations on group 5 of an old chain: asked of whole nodes in group-life.test.ts",
    concerns: (exchange) => exchange.file === "compat_2_4_0.jsonl" && paramsOf(exchange)[0] === 5,
  },
];

/** Recordings that are not asked over HTTP here. */
export const OTHER_FILES: Readonly<Record<string, string>> = {
  "channel.jsonl": "frames, sent to two services in channel.test.ts",
  "group_lifecycle.jsonl": "asked of four whole nodes in group-life.test.ts",
};
