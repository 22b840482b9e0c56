/** Why no node is reached: port, certificate, chain. */
// rules: console 1
import assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import {
  runConsoleHere,
  runConsoleProgram,
  writeConsoleFolder,
} from "../../../../support/console/console-chain.ts";
import type { Steps } from "../../../../support/console/steps.ts";

/** Lists the tests. */
export function connectionTests({ world, endpoint }: Steps): void {
  /** A console folder whose configuration or certificates are changed. */
  async function otherFolder(name: string, peer: string, network = ""): Promise<string> {
    const folder = join(world().folder, "..", name);
    await writeConsoleFolder(folder, join(world().chain.folder, "agency/sdk"), [peer]);
    const file = join(folder, "conf/config.toml");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("[network]", `[network]\n${network}`));
    return folder;
  }

  /** What a console in a folder says of a connection that does not come about. */
  async function noConnection(cwd: string, run = runConsoleHere): Promise<string> {
    const { code, stdout, stderr } = await run(["getBlockNumber"], { cwd });
    assert.deepEqual([code, stdout], [3, ""], stderr);
    return stderr;
  }

  test("a closed port, a port of JSON-RPC and another chain ID are distinguished, with code 3", async () => {
    const closed = await noConnection(
      await otherFolder("closed", "127.0.0.1:1"),
      runConsoleProgram,
    );
    assert.match(
      closed,
      /127\.0\.0\.1:1: TCP does not connect: nothing listens there \(ECONNREFUSED\)/,
    );
    const rpc = new URL(world().urls[0] ?? "").host;
    const wrongPort = await noConnection(await otherFolder("rpc", rpc));
    assert.match(wrongPort, /TCP connects, but what listens there does not speak TLS/);
    const chain = await noConnection(await otherFolder("chain", endpoint(0), 'chainId = "7"'));
    assert.match(chain, /is a node of chain 1, not of chain 7/);
    const url = ["getBlockNumber", "--url", "http://127.0.0.1:9"];
    const http = await world().run(...url);
    assert.equal(http.code, 3);
    assert.match(http.stderr, /http:\/\/127\.0\.0\.1:9/);
  });

  test("certificates of another chain are told with alert, issuers and the files to copy", async () => {
    const folder = await otherFolder("strange", endpoint(0));
    const conf = join(folder, "conf");
    const other = await world().otherSdk();
    for (const name of ["ca.crt", "sdk.crt", "sdk.key"])
      await copyFile(join(other, name), join(conf, name));
    const all = await noConnection(folder);
    assert.match(all, /TCP connects, TLS does not: the node is of another chain than .*ca\.crt/);
    assert.match(all, /TLS alert: unknown ca/);
    assert.match(all, /SDK certificate .*sdk\.crt: issued by CN=agency.*SHA-256/);
    assert.match(all, /certificate of the node: issued by CN=agency.*SHA-256/);
    assert.match(
      all,
      /Copy ca\.crt, sdk\.crt and sdk\.key from the folder sdk of the node's agency/,
    );
    const own = join(world().chain.folder, "agency/sdk");
    await copyFile(join(own, "ca.crt"), join(conf, "ca.crt"));
    assert.match(await noConnection(folder), /sdk\.crt was not issued under .*ca\.crt/);
    await copyFile(join(own, "sdk.crt"), join(conf, "sdk.crt"));
    assert.match(await noConnection(folder), /sdk\.key is not the key of .*sdk\.crt/);
    await writeFile(join(conf, "sdk.key"), "nothing");
    assert.match(await noConnection(folder), /sdk\.key holds no private key/);
    await writeFile(join(conf, "config.toml"), "[network]\npeers = []\n");
    const none = await runConsoleHere(["getBlockNumber"], { cwd: folder });
    assert.deepEqual([none.code, none.stderr.includes("network.peers names no node")], [1, true]);
  });

  test("doctor examines every configured node, and says why one does not answer", async () => {
    const whole = await world().run("--config", "conf/two-nodes.toml", "doctor");
    assert.equal(whole.code, 0);
    const line = /^ok {5}127\.0\.0\.1:\d+: chain 1, version \d+\.\d+\.\d+, groups 1, 2/gm;
    assert.equal(whole.stdout.match(line)?.length, 2);
    const folder = await otherFolder("half", "127.0.0.1:1");
    const file = join(folder, "conf/config.toml");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace('["127.0.0.1:1"]', `["127.0.0.1:1", "${endpoint(0)}"]`));
    const half = await runConsoleHere(["doctor"], { cwd: folder });
    assert.equal(half.code, 1);
    assert.match(half.stdout, /^FAILED 127\.0\.0\.1:1: TCP does not connect: nothing listens/m);
    assert.match(half.stdout, /^ok {5}127/m);
    await writeFile(file, text.replace('["127.0.0.1:1"]', '["127.0.0.1:1", "127.0.0.1:2"]'));
    const none = await runConsoleProgram(["doctor"], { cwd: folder });
    const failed = /^FAILED 127\.0\.0\.1:([12]): TCP does not connect: nothing listens.*\nFAILED/;
    assert.match(none.stdout, failed, "each line has its own reason");
    assert.equal(none.stdout.trim().split("\n").length, 2);
  });
}
