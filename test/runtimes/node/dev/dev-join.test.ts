/** The route by which tabs join a development chain, without a browser. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { parseCertificates } from "../../../../runtimes/folder/certificate.ts";
import { keyPairOf } from "../../../../runtimes/folder/private-key.ts";
import { verifyChain } from "../../../../runtimes/formats/certificates/certificate-chain.ts";
import { DevJoin, type JoinOffer } from "../../../../runtimes/node/dev/dev-join.ts";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { callerOf, NOTHING_LISTED } from "../../../../runtimes/shared/http-caller.ts";
import type { JointNetwork } from "../../../../runtimes/shared/joint-network.ts";
import type { Network } from "../../../../core/ports/network.ts";
import { collectLog } from "../../../support/collected-log.ts";
import { GENESIS } from "../../../support/execution/test-chain.ts";
import { SUITE, testId, testKey } from "../p2p/p2p-field.ts";

let path: string;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), "chain-door-"));
});
afterAll(() => rm(path, { recursive: true, force: true }));

const SENDER = callerOf({ host: "127.0.0.1:8545" }, NOTHING_LISTED);

/** Networks that are only asked to widen; the second fails as often as it is told. */
function entryOf(failures: number) {
  const widened: Network[][] = [[], []];
  let left = failures;
  const networks = [0, 1].map((index) => ({
    widen: async (network: Network) => {
      if (index === 1 && left-- > 0) throw new RangeError("no port");
      widened[index]?.push(network);
      await network.start({ message() {}, peerUp() {}, peerDown() {} });
    },
  })) as unknown as readonly JointNetwork[];
  const keys = [0, 1].map((index) => keyPairOf(testKey(index)) ?? assert.fail());
  const machinery = { suite: SUITE, entropy: createNodeEntropy() };
  const log = collectLog();
  const host = "127.0.0.1";
  const { route } = new DevJoin({ path, keys, networks, machinery, genesis: GENESIS, host, log });
  const stop = () => Promise.all(widened.flat().map((network) => network.stop()));
  return { route, widened, stop };
}

test("a listen that failed half-way goes on with the networks that it has made", async () => {
  const { route, widened, stop } = entryOf(2);
  await assert.rejects(route(testId(7), SENDER), /no port/);
  const { status, body } = await route(testId(7), SENDER);
  assert.equal(status, 200);
  assert.deepEqual([widened[0]?.length, widened[1]?.length], [1, 1]);
  const { certificate, authority, peers } = JSON.parse(body) as JoinOffer;
  const authorities = parseCertificates(authority);
  const verdict = verifyChain(parseCertificates(certificate), { authorities, now: Date.now() });
  assert.ok(verdict.ok);
  assert.equal(verdict.nodeId, testId(7));
  assert.equal(new Set(peers).size, 2);
  assert.ok(peers.every((peer) => /^ws:\/\/127\.0\.0\.1:[1-9]\d*$/.test(peer)));
  const kept = JSON.parse(await readFile(join(path, "cert/peers/ports.json"), "utf8"));
  assert.deepEqual(
    kept,
    peers.map((peer) => Number(peer.split(":")[2])),
  );
  await stop();
});

test("this many are certified in a minute, and no more", async () => {
  const { route, stop } = entryOf(0);
  for (let i = 0; i < 64; i++) assert.equal((await route(testId(7), SENDER)).status, 200);
  const { status, body } = await route(testId(7), SENDER);
  assert.equal(status, 429);
  assert.match(body, /try again soon/);
  await stop();
});
