/** What the clients of a process may have it hold, over all its ports. */
import { MemoryTotal } from "../../../core/limits/memory-total.ts";

/** Of all nodes of the process. */
export const CLIENT_MEMORY: MemoryTotal = new MemoryTotal();
