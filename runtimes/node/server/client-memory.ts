/** What the clients of a process may have it hold, over all its ports. */
import { MemoryTotal } from "../../../core/limits/memory-total.ts";

/** Each port has room for the longest work of one client; all of them have that and this. */
const SPARE_BYTES = 24 * 1024 * 1024;

/** Of all nodes of the process. */
export const CLIENT_MEMORY: MemoryTotal = new MemoryTotal(SPARE_BYTES);
