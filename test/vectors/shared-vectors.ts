/** Reads the vector files that lie beside the repository; they are absent in a plain checkout. */
import { existsSync, readFileSync } from "node:fs";
import { test } from "vitest";

const FOLDER = new URL("../../../shared/vectors/", import.meta.url);

/** Whether the vector files are there. */
export const VECTORS_PRESENT = existsSync(FOLDER);

/** The content of a vector file; the caller names the shape that its index documents. */
export function readVectors<Shape>(file: string): Shape {
  return JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Shape;
}

/** How many rows ran and how many were left out, by file and reason. */
export interface VectorTally {
  ran: number;
  readonly skipped: Map<string, number>;
}

/** What a suite of vector tests may do with a file. */
export interface VectorSuite {
  readonly tally: VectorTally;
  /** Declares a test for a row. */
  row(name: string, run: () => void): void;
  /** Counts a row, or a part of it, that this build cannot run. */
  skip(name: string, reason: string): void;
}

/** Declares the tests of the vector files, or one skipped test that says why there are none. */
export function vectorTests(declare: (suite: VectorSuite) => void): VectorTally {
  const tally: VectorTally = { ran: 0, skipped: new Map() };
  if (!VECTORS_PRESENT) {
    test.skip("the vector files are not beside this checkout (../shared/vectors)", () => undefined);
    return tally;
  }
  declare({
    tally,
    row(name, run) {
      test(name, () => {
        run();
        tally.ran++;
      });
    },
    skip(_name, reason) {
      tally.skipped.set(reason, (tally.skipped.get(reason) ?? 0) + 1);
    },
  });
  return tally;
}

/** One line for the end of a run. */
export function tallyText({ ran, skipped }: VectorTally): string {
  const left = [...skipped].map(([reason, count]) => `${count} (${reason})`);
  return `${ran} vector rows ran, skipped: ${left.length === 0 ? "none" : left.join(", ")}`;
}
