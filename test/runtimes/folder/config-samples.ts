/** Small files and identifiers for tests of configuration. */
import type { NodeId } from "../../../core/bytes/ids.ts";

/** Two node IDs; A sorts before B. */
export const SEALER_A = "ab".repeat(64) as NodeId;
export const SEALER_B = "cd".repeat(64) as NodeId;

/** The least that a genesis file must say; B stands before A. */
export const SMALLEST_GENESIS = `[consensus]
node.0=${SEALER_B}
node.1=${SEALER_A}
[group]
id=1
`;
