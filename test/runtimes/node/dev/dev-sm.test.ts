/** A chain of four nodes on the national algorithms, from outside. */
// rules: sm-suite 1, sm-suite 5, sm-suite 6, sm-suite 10.3, sm-suite 10.4
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { encodeCall } from "../../../../core/abi/encode.ts";
import { hexBytes, toHex, toPrefixedHex } from "../../../../core/bytes/hex.ts";
import { createDevChain } from "../../../../runtimes/node/dev/dev-chain.ts";
import { devSentence } from "../../../../runtimes/node/cli/fault-sentence.ts";
import {
  answerOf,
  ask,
  askUntil,
  type DevProcess,
  endLeftovers,
  startDev,
  stop,
} from "../../../support/process/dev-chain-process.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { createSender, deployment } from "../../../support/sender.ts";
import { NATIONAL_SUITE, STANDARD_SUITE } from "../../../support/suites.ts";

const suite = NATIONAL_SUITE;
const send = createSender(suite);
/** Returns the hash of nothing, by the opcode. */
const HASH_OF_NOTHING = hexBytes("600060002060005260206000f3");
const SYSTEM_CONFIG = `0x${"1000".padStart(40, "0")}`;

let home: string;
let chain: DevProcess;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-sm-"));
  chain = await startDev(4, "--sm", "--data", home, "--block-time", "50");
});

afterAll(async () => {
  await stop(chain).catch(() => undefined);
  endLeftovers();
  await rm(home, { recursive: true, force: true });
});

interface Receipt {
  readonly blockHash: string;
  readonly contractAddress: string;
  readonly from: string;
  readonly output: string;
  readonly status: string;
}

async function receiptOf(raw: string): Promise<Receipt> {
  const hash = await ask<string>(chain.url, "sendRawTransaction", 1, raw);
  const once = () => ask<Receipt | null>(chain.url, "getTransactionReceipt", 1, hash);
  const receipt = await askUntil(once, (found) => found !== null);
  assert.ok(receipt);
  return receipt;
}

async function head(): Promise<number> {
  return Number(await ask<string>(chain.url, "getBlockNumber", 1));
}

test("clients learn the suite from the version, the ready line and the keys", async () => {
  const version = await ask<Record<string, string>>(chain.url, "getClientVersion");
  assert.match(version["FISCO-BCOS Version"] ?? "", /^2\.\d+\.\d+ gm$/);
  assert.deepEqual([Reflect.get(chain.ready, "sm"), chain.ready.nodeIds.length], [true, 4]);
  for (const { address, privateKey } of chain.ready.accounts) {
    assert.equal(suite.address(suite.publicKey(hexBytes(privateKey))), address);
  }
  const pem = await readFile(join(home, "node0", "node.key"), "utf8");
  assert.match(pem, /^-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqBHM9VAYIt/);
});

test("the opcode hashes with SM3, in a contract that all nodes have in one sealed block", async () => {
  const { raw } = send({ input: deployment(HASH_OF_NOTHING), head: await head() });
  const { status, contractAddress, blockHash, from } = await receiptOf(raw);
  assert.equal(status, "0x0");
  for (const url of chain.ready.rpc) {
    const header = await askUntil(
      () => ask<Record<string, unknown> | null>(url, "getBlockHeaderByHash", 1, blockHash, true),
      (found) => found !== null,
    );
    const sealers = header?.["sealerList"] as readonly string[];
    const seals = header?.["signatureList"] as readonly { index: string; signature: string }[];
    assert.ok(seals.length >= 3, `${seals.length} seals`);
    for (const { index, signature } of seals) {
      const key = suite.recover(hexBytes(blockHash), hexBytes(signature));
      assert.equal(key && toHex(key), sealers[Number(index)]);
    }
    const call = { from, to: contractAddress, value: "0x0", data: "0x" };
    const { output } = await ask<{ readonly output: string }>(url, "call", 1, call);
    assert.equal(output, toPrefixedHex(suite.hash(new Uint8Array(0))));
  }
});

test("a system contract knows its methods by SM3", async () => {
  const data = (hash: (bytes: Uint8Array) => Uint8Array) =>
    encodeCall("setValueByKey(string,string)", ["tx_count_limit", "500"], hash);
  const standard = STANDARD_SUITE;
  const wrong = { to: SYSTEM_CONFIG, input: data(standard.hash), head: await head() };
  assert.notEqual(BigInt((await receiptOf(send(wrong).raw)).output), 1n);
  assert.equal(await ask(chain.url, "getSystemConfigByKey", 1, "tx_count_limit"), "1000");
  const right = { to: SYSTEM_CONFIG, input: data(suite.hash), head: await head() };
  assert.equal(BigInt((await receiptOf(send(right).raw)).output), 1n);
  assert.equal(await ask(chain.url, "getSystemConfigByKey", 1, "tx_count_limit"), "500");
});

test("a transaction of the standard suite, or with a changed key, is refused", async () => {
  const foreign = createSender(STANDARD_SUITE)({ head: await head() });
  const refused = await answerOf(chain.url, "sendRawTransaction", [1, foreign.raw]);
  assert.ok(refused.error, JSON.stringify(refused));
  const { raw } = send({ head: await head() });
  const forged = `${raw.slice(0, -1)}${raw.endsWith("0") ? "1" : "0"}`;
  const answer = await answerOf(chain.url, "sendRawTransaction", [1, forged]);
  assert.ok(answer.error, JSON.stringify(answer));
});

test("the folder remembers the suite: it continues with --sm only", async () => {
  const before = await head();
  assert.equal((await stop(chain)).code, 0);
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  const refused = await createDevChain({ dataDir: home }).then(
    () => assert.fail("it started"),
    (fault: unknown) => devSentence(fault),
  );
  assert.match(refused, /chain of the national suite; start with --sm/);
  const again = await createDevChain({ dataDir: home, sm: true });
  try {
    assert.ok(Number(await ask(again.rpcUrl, "getBlockNumber", 1)) >= before);
  } finally {
    await again.close();
  }
});
