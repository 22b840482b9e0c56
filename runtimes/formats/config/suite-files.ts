/** Names of files of keys and certificates. Source: sm-suite 7; generator 2 */
import type { SuiteName } from "../../../core/crypto/suite.ts";

/** Both suites, the usual one first. */
export const SUITE_NAMES: readonly SuiteName[] = ["standard", "national"];

/** The name of a file on a chain of this suite: `node.key`, and `gmnode.key` on a national one. */
export function suiteFile(name: string, suite: SuiteName): string {
  return suite === "national" ? `gm${name}` : name;
}
