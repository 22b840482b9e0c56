/** Channel ports of nodes with certificates of a deployment tool, lists of SDKs and limits. */
// rules: channel-protocol 2.1, 2.2, 2.2.1-2, 6, 6.1, 7.3, 8.3, 10
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { type FolderPlace, startFolderPlace } from "../../../support/channel-folder-place.ts";
import { Visit } from "../../../support/channel-place.ts";
import { FOLDER_CASES } from "./sections.ts";

let place: FolderPlace | undefined;

beforeAll(async () => {
  place = await startFolderPlace();
});

afterAll(() => place?.close());

// One after the other: requests of one count against the limits that another is about.
for (const { test: name, run } of FOLDER_CASES) {
  test(name, async () => {
    assert.ok(place);
    const visit = new Visit(place);
    await run(visit).finally(() => visit.end());
  });
}
