/** How long a node's certificates last, and when its operator learns of it. */
// rules: generator 12
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { createChainFolder } from "../../../../runtimes/folder/chain-folder.ts";
import { DEFAULT_PORTS, planChain } from "../../../../runtimes/folder/chain-layout.ts";
import type { NodeIdentity } from "../../../../runtimes/folder/node-identity.ts";
import {
  certificateDaysLeft,
  readOwnIdentity,
  watchCertificates,
} from "../../../../runtimes/node/observe/own-certificates.ts";
import { collectLog } from "../../../support/collected-log.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { DAY_MS, NOW, seededEntropy } from "../../folder/chain-of-certificates.ts";

const FILES = {
  suite: "standard",
  dataPath: "conf/",
  key: "conf/node.key",
  cert: "conf/node.crt",
  caCert: "conf/ca.crt",
  caPath: undefined,
} as const;

let home: string;
let identity: NodeIdentity;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-own-cert-"));
  const plan = planChain({
    nodes: 1,
    agencies: ["A"],
    groups: [{ id: 1, consensus: "pbft" }],
    host: "127.0.0.1",
    basePorts: DEFAULT_PORTS,
  });
  const context = { entropy: seededEntropy("own"), now: NOW, days: 60 };
  await createChainFolder(home, plan, { ...context, program: { runtime: "", entry: "" } });
  identity = await readOwnIdentity(join(home, "node0"), FILES, NOW);
});

afterAll(() => rm(home, { recursive: true, force: true }));

test("the days left are those of the first certificate to end", () => {
  assert.equal(certificateDaysLeft(identity, NOW), 60);
  assert.equal(certificateDaysLeft(identity, NOW + 59.5 * DAY_MS), 0);
  assert.equal(certificateDaysLeft(identity, NOW + 60.5 * DAY_MS), -1);
});

test("from 30 days before the end on, each day brings a warning, and an error afterwards", () => {
  const clock = createHandClock(NOW);
  const log = collectLog();
  const end = watchCertificates({ identity, file: "conf/node.crt", clock, log });
  clock.move(29 * DAY_MS);
  assert.equal(log.lines.length, 0);
  clock.move(DAY_MS);
  assert.equal(log.messages("warning").length, 1);
  assert.match(log.messages("warning")[0] ?? "", /ends soon.*chain-node cert renew/);
  assert.deepEqual(log.lines[0]?.fields, { file: "conf/node.crt", days: 30 });
  clock.move(30 * DAY_MS);
  assert.equal(log.messages("warning").length, 31);
  clock.move(DAY_MS);
  assert.match(log.messages("error")[0] ?? "", /has ended/);
  end();
  assert.equal(clock.waiting, 0);
});

test("a node that starts within the last 30 days is warned at once", () => {
  const clock = createHandClock(NOW + 50 * DAY_MS);
  const log = collectLog();
  watchCertificates({ identity, file: "conf/node.crt", clock, log })();
  assert.deepEqual(log.lines[0]?.fields, { file: "conf/node.crt", days: 10 });
});
