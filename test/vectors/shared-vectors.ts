/** Reads the vector files of test/data/vectors. */
import { test } from "vitest";
import { readData } from "../support/ledger/data-files.ts";

/** The content of a vector file; the caller names the shape that its index documents. */
export function readVectors<Shape>(file: string): Shape {
  return JSON.parse(readData(`vectors/${file}`)) as Shape;
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

/** Declares the tests of vector files. */
export function vectorTests(declare: (suite: VectorSuite) => void): VectorTally {
  const tally: VectorTally = { ran: 0, skipped: new Map() };
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
