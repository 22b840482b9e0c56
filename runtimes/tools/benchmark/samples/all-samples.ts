/** Every ready workload, by name. */
import { CRUD } from "./crud.ts";
import { ERC20 } from "./erc20.ts";
import { EMPTY, EVENTS, SKELETON } from "./events.ts";
import { HELLO, MIXED_SAMPLE } from "./hello.ts";
import { MEMBERS } from "./members.ts";
import type { Sample } from "./sample.ts";
import { DAG_TRANSFER, GROUPS, TRANSFER } from "./transfer.ts";

/** In the order in which they are listed. */
export const SAMPLES: readonly Sample[] = [
  SKELETON,
  HELLO,
  TRANSFER,
  DAG_TRANSFER,
  CRUD,
  ERC20,
  MIXED_SAMPLE,
  EVENTS,
  MEMBERS,
  GROUPS,
  EMPTY,
];

/** Which workloads there are, a line for each. */
export function samplesText(): string {
  const width = Math.max(...SAMPLES.map(({ name }) => name.length));
  return SAMPLES.map(({ name, says }) => `  ${name.padEnd(width)}  ${says}\n`).join("");
}
