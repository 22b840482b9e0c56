/** What a page asks of the host of a tab is examined before anything is done or kept. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { JoinKeyRequest } from "../../../runtimes/browser/link/api.ts";
import type { TabStorage } from "../../../runtimes/browser/tab-storage.ts";
import { TabHost } from "../../../runtimes/browser/tab-host.ts";
import type { TabRecord } from "../../../runtimes/browser/tab-record.ts";

const KEPT: TabRecord = {
  name: "tab",
  kind: "chain",
  chainId: 1,
  sm: false,
  consensus: "pbft",
  created: 0,
  nodeIds: [],
  isWanted: false,
};

/** A host over a storage that counts what is asked of it next to the record. */
async function hostOver(record: TabRecord | undefined) {
  const uses: string[] = [];
  const storage = new Proxy({} as TabStorage, {
    get: (_, name) => async () => {
      if (name === "record") return record;
      uses.push(String(name));
      throw new RangeError(`${String(name)} is out of place`);
    },
  });
  const host = new TabHost({
    storage,
    log: { write: () => undefined },
    computeUrl: new URL("http://127.0.0.1/compute-worker.js"),
    marks: [],
    isHidden: false,
  });
  await host.open();
  return { host, uses };
}

const wordsOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (cause: unknown) => String(cause),
  );

test("a key is not made for a request that is none", async () => {
  const { host, uses } = await hostOver(undefined);
  const requests: readonly unknown[] = [
    undefined,
    { privateKey: 5 },
    { privateKey: 5n },
    { passphrase: { not: "a text" } },
    { passphrase: null },
    { sm: "yes" },
    { isNew: 1 },
  ];
  const told = [];
  for (const request of requests) told.push(await wordsOf(host.joinKey(request as JoinKeyRequest)));
  assert.deepEqual(told, [
    "TabFault: a key is asked for with an object",
    "TabFault: a key cannot have this privateKey: 5",
    "TabFault: a key cannot have this privateKey: 5n",
    'TabFault: a key cannot have this passphrase: {"not":"a text"}',
    "TabFault: a key cannot have this passphrase: null",
    'TabFault: a key cannot have this sm: "yes"',
    "TabFault: a key cannot have this isNew: 1",
  ]);
  assert.deepEqual([uses, host.record()], [[], undefined]);
});

test("a chain does not go on with a passphrase that is no text", async () => {
  const { host, uses } = await hostOver(KEPT);
  for (const given of [5, null, { not: "a text" }])
    assert.equal(
      await wordsOf(host.resume(given as unknown as string)),
      "TabFault: a passphrase is a text",
    );
  assert.deepEqual([uses, host.status().phase], [[], "off"]);
});
