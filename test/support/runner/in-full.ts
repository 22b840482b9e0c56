/** Parts of a test file that look again at what others show: `npm run soak -- regress` has them. */
import { describe, type TestFunction, type TestOptions, test } from "vitest";
import { TAKES_ALL_CASES } from "./cases.ts";

/**
 * A test of a run of all cases; in another run it does not exist. A comment names the test that
 * fails for the same fault.
 */
export function inFull(name: string, run: TestFunction, options: TestOptions = {}): void {
  if (TAKES_ALL_CASES) test(name, options, run);
}

/** Several of them. */
export function inFullAll(name: string, list: () => void, options: TestOptions = {}): void {
  if (TAKES_ALL_CASES) describe(name, options, list);
}
