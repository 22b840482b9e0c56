/** The repository's root. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
