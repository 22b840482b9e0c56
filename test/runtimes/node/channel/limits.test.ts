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

type FolderCase = (typeof FOLDER_CASES)[number];

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
for (const folderCase of FOLDER_CASES.filter(({ lane }) => lane === undefined)) {
  test(folderCase.test, () => visitFor(folderCase));
}

// Beside each other those that wait for blocks or permits of different groups.
const lanes = new Map<string, Promise<void>>();
for (const folderCase of FOLDER_CASES) {
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
