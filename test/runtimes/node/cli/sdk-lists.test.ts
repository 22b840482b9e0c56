/** Lists and limits of SDKs as startGroup finds them: read again, never lifted by a flaw. */
// rules: groups 3, channel-protocol 10
import assert from "node:assert/strict";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, test } from "vitest";
import type { AccessRules } from "../../../../core/channel/access.ts";
import type { NodeApi } from "../../../../core/api/node-api.ts";
import { readAccessRules, readingRules } from "../../../../runtimes/node/process/node-channel.ts";
import { listSdks } from "../../../support/channel/channel-folder-place.ts";
import {
  initProcessChain,
  type ProcessChain,
  setIni,
} from "../../../support/process/node-processes.ts";

const [FIRST, SECOND] = ["1f".repeat(64), "2e".repeat(64)];
const STARTED = { code: 0, message: "started" };

let chain: ProcessChain;
let path: string;
let texts: ReadonlyMap<string, string>;

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 1, groups: "1:pbft,2:pbft" });
  path = join(node().folder, "config.ini");
  await setIni(path, "flow_control", ["limit_req", "7"]);
  for (const groupId of [1, 2]) await listSdks(node(), groupId, [FIRST]);
  const files = [path, groupFile(1), groupFile(2)];
  texts = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")] as const)),
  );
});

beforeEach(async () => {
  for (const [file, text] of texts) await writeFile(file, text);
});

afterAll(() => chain?.close());

function node() {
  return chain.nodes[0] ?? assert.fail();
}

function groupFile(groupId: number): string {
  return join(node().folder, `conf/group.${groupId}.ini`);
}

/** A node with those rules in force, which starts whatever it is asked to; some groups run. */
async function nodeWith(groups: readonly number[] = []) {
  const lines: string[] = [];
  const log = { write: (level: string, message: string) => void lines.push(`${level} ${message}`) };
  const files = { path, folder: join(node().folder, "conf"), log };
  let inForce = await readAccessRules(files);
  const port = {
    rules: () => inForce,
    replaceRules: (next: AccessRules) => {
      inForce = next;
    },
  };
  // Nothing else of a node is asked for.
  const bare = {
    manageGroup: async () => STARTED,
    group: (groupId: number) => (groups.includes(groupId) ? {} : undefined),
  } as unknown as NodeApi;
  const api = readingRules(bare, files, () => port);
  const start = () => api.manageGroup("startGroup", 1);
  const told = () => {
    const { requestsPerSecond, groups } = inForce;
    return [requestsPerSecond, groups.get(1)?.allowlist, groups.get(2)?.allowlist];
  };
  return { start, told, lines };
}

test("what has changed since is in force when a group starts", async () => {
  const { start, told, lines } = await nodeWith();
  assert.deepEqual(told(), [7, [FIRST], [FIRST]]);
  await setIni(path, "flow_control", ["limit_req", "8"]);
  await listSdks(node(), 1, [SECOND]);
  assert.deepEqual(await start(), STARTED);
  assert.deepEqual([told(), lines], [[8, [SECOND], [FIRST]], []]);
});

test("a flaw in config.ini keeps no group from its start, nor its list from being read", async () => {
  const { start, told, lines } = await nodeWith();
  await setIni(path, "flow_control", ["limit_req", "many"]);
  await listSdks(node(), 1, [SECOND]);
  assert.deepEqual(await start(), STARTED);
  assert.deepEqual(told(), [7, [SECOND], [FIRST]]);
  const said = "warning the limit of requests stays as it was: it cannot be read";
  assert.deepEqual(lines, [said]);
});

test("a list that cannot be read, or is not there, stays as it was", async () => {
  const { start, told, lines } = await nodeWith();
  await writeFile(groupFile(1), "[sdk_allowlist]\npublic_key.0=nobody\n");
  await rename(groupFile(2), `${groupFile(2)}.away`);
  assert.deepEqual(await start(), STARTED);
  assert.deepEqual(told(), [7, [FIRST], [FIRST]]);
  assert.deepEqual(lines, ["warning lists and limits of SDKs cannot be read"]);
  const conf = join(node().folder, "conf");
  await rename(conf, `${conf}.away`);
  assert.deepEqual(await start(), STARTED);
  await rename(`${conf}.away`, conf);
  assert.deepEqual(told(), [7, [FIRST], [FIRST]]);
});

test("the list of another group, or of one that runs, is not read when a group is started", async () => {
  const stopped = await nodeWith();
  await listSdks(node(), 2, []);
  assert.deepEqual(await stopped.start(), STARTED);
  assert.deepEqual(stopped.told(), [7, [FIRST], [FIRST]]);
  const { start, told } = await nodeWith([1]);
  await listSdks(node(), 1, []);
  assert.deepEqual(await start(), STARTED);
  assert.deepEqual(told(), [7, [FIRST], []]);
});

test("a list that could never be read admits nobody until it can", async () => {
  await writeFile(groupFile(1), "[sdk_allowlist]\npublic_key.0=nobody\n");
  const { start, told, lines } = await nodeWith();
  assert.deepEqual(told(), [7, ["0".repeat(128)], [FIRST]]);
  await start();
  assert.deepEqual(told(), [7, ["0".repeat(128)], [FIRST]]);
  assert.deepEqual(lines, ["warning lists and limits of SDKs cannot be read"]);
  await writeFile(groupFile(1), texts.get(groupFile(1)) ?? "");
  await start();
  assert.deepEqual(told(), [7, [FIRST], [FIRST]]);
});
