/** Which threads of a process come first when there are more of them than processors. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** A third of the time of a thread with which it competes. */
const NICE = 5;

/**
 * Has the calling thread give way to others, where the system has a priority for each (Linux): what
 * clients ask for costs neither consensus nor the answers of the main thread their processor.
 */
export function giveWay(): void {
  try {
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), NICE);
  } catch {
    // As the system shares processors out.
  }
}
