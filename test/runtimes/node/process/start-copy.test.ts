/** A copy of a node's folder started next to the original. */
import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { CONTROL_SOCKET_FILE } from "../../../../runtimes/node/machine/control-socket.ts";
import { endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import { freePort, request, sleep, waitForReceipt } from "../../../support/process/dev-process.ts";
import { initProcessChain } from "../../../support/process/node-processes.ts";
import { createSender } from "../../../support/sender.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const LIMIT_MS = 240_000;

/** Copies a node's folder and gives the copy ports of its own. */
async function copyOf(folder: string): Promise<string> {
  const copy = `${folder}-copy`;
  const filter = (path: string) => !path.endsWith(CONTROL_SOCKET_FILE);
  await cp(folder, copy, { recursive: true, filter });
  const path = join(copy, "config.ini");
  let text = await readFile(path, "utf8");
  for (const key of ["jsonrpc_listen_port", "channel_listen_port", "listen_port"]) {
    text = text.replace(new RegExp(`^( *${key}=)\\d+$`, "m"), `$1${await freePort()}`);
  }
  await writeFile(path, text);
  return path;
}

test("a copy next to its original gives way before it could vote; the original goes on", async () => {
  const chain = await initProcessChain({ nodes: 1, hosted: true });
  const [original] = chain.nodes;
  assert.ok(original);
  try {
    await original.start();
    const config = await copyOf(original.folder);
    const { code, stderr } = await endOf(runProgram("start", "-c", config));
    assert.equal(code, 1);
    assert.match(stderr, /another node with this node's key has run for \d+ s at 127\.0\.0\.1:\d+/);
    assert.ok(!stderr.includes("    at "), stderr);
    const end = performance.now() + LIMIT_MS;
    while (!original.errors().includes("another node runs with this node's key")) {
      assert.ok(performance.now() < end, "the original raises the alarm");
      await sleep(20);
    }
    const { raw, hash } = createSender(STANDARD_SUITE)({ head: 0 });
    await request(original.url, "sendRawTransaction", [1, raw]);
    await waitForReceipt(original.url, hash, LIMIT_MS);
  } finally {
    await chain.close();
  }
});
