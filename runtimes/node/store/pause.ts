/** Waits in the background. */
import { setTimeout } from "node:timers/promises";
import type { Pause } from "../../shared/checksums/background-pass.ts";

/** A process ends although something waits so. */
export const pause: Pause = (ms, signal) => setTimeout(ms, undefined, { signal, ref: false });
