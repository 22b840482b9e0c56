/** Channel ports of nodes with certificates of a deployment tool, lists of SDKs and limits. */
// rules: channel-protocol 2.1, 2.2, 2.2.1-2, 6, 6.1, 7.3, 8.3, 10
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import {
  type FolderPlace,
  startFolderPlace,
} from "../../../support/channel/channel-folder-place.ts";
import { Visit } from "../../../support/channel/channel-place.ts";
import { FOLDER_CASES } from "./sections.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";

type FolderCase = (typeof FOLDER_CASES)[number];

/**
 * What waits for blocks or seconds, or fills a frame: by themselves frames, limits and transactions
 * that are too late are in core/channel, core/limits and core/txpool.
 */
const LONG: ReadonlySet<string> = new Set([
  "a frame of exactly 100 MiB is taken, and the next one answered",
  "a pool without memory refuses",
  "a transaction whose blocks have passed while it waited is pushed as refused",
  "requests to a group beyond those of a second are refused, to others they are not",
]);
const CASES = FOLDER_CASES.filter(({ test: name }) => TAKES_ALL_CASES || !LONG.has(name));

let place: FolderPlace | undefined;

beforeAll(async () => {
  place = await startFolderPlace();
});

afterAll(() => place?.close());

async function visitFor({ run }: FolderCase): Promise<void> {
  assert.ok(place);
  const visit = new Visit(place);
  await run(visit).finally(() => visit.end());
}

// One after the other: requests of one count against the limits that another is about.
for (const folderCase of CASES.filter(({ lane }) => lane === undefined)) {
  test(folderCase.test, () => visitFor(folderCase));
}

// Side by side those that wait for blocks or permits of different groups.
const lanes = new Map<string, Promise<void>>();
for (const folderCase of CASES) {
  const { lane, test: name } = folderCase;
  if (lane === undefined) continue;
  test.concurrent(name, async () => {
    const before = lanes.get(lane) ?? Promise.resolve();
    const visit = before.then(() => visitFor(folderCase));
    lanes.set(
      lane,
      visit.catch(() => undefined),
    );
    await visit;
  });
}
