/**
 * What `chain-node start` says about a folder that it cannot run from. How it ends is examined in
 * one of them; the others run the same start in this process.
 */
// rules: groups 8, node-network 1
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { chmod, copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, test } from "vitest";
import { plainSentence } from "../../../../runtimes/node/cli/fault-sentence.ts";
import { createHouse } from "../../../support/process/hosted-nodes.ts";
import { initProcessChain, type ProcessChain } from "../../../support/process/node-processes.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { inFull } from "../../../support/runner/in-full.ts";

let chain: ProcessChain;
let outsider: ProcessChain;
const house = createHouse("standard");

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 2 });
  outsider = await initProcessChain({ nodes: 1 });
});

afterAll(async () => {
  await house.close();
  await chain?.close();
  await outsider?.close();
});

function folder(): string {
  return chain.nodes[0]?.folder ?? assert.fail();
}

/** What the command says of the fault that ends a start. */
async function refusal(config: string): Promise<string> {
  const cause = await house.start(config, 1).then(
    () => assert.fail("it started"),
    (fault: unknown) => fault,
  );
  const said = plainSentence(cause);
  assert.doesNotMatch(said, /\n {4}at /);
  return said;
}

interface Said {
  readonly code: number;
  readonly said: string;
}

/** Runs the built program, which is to fail, to its end. @param by what it is run by */
async function refusalBuilt(args: readonly string[], by: readonly string[] = []): Promise<Said> {
  const [program = "", ...rest] = [...by, process.execPath, join(ROOT, "dist/node/main.js")];
  try {
    await promisify(execFile)(program, [...rest, ...args]);
  } catch (error) {
    const { code, stdout, stderr } = error as Record<"stdout" | "stderr", string> & Said;
    return { code, said: stdout + stderr };
  }
  return assert.fail("it started");
}

/** Runs a program without what lets root read everything; undefined where that is not to be had. */
function withoutRights(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return process.platform === "win32" ? undefined : [];
  const by = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] as const;
  return spawnSync(by[0], [...by.slice(1), "true"]).status === 0 ? by : undefined;
}

/** Refused with a file changed, which is put back. */
async function refusedWith(file: string, change: (text: string) => string) {
  const path = join(folder(), file);
  const text = await readFile(path, "utf8");
  await writeFile(path, change(text));
  try {
    return await refusal(join(folder(), "config.ini"));
  } finally {
    await writeFile(path, text);
  }
}

test("a folder without config.ini is named, with the next step", async () => {
  const { code, said } = await refusalBuilt([
    "start",
    "-c",
    join(tmpdir(), "nowhere", "config.ini"),
  ]);
  assert.equal(code, 1);
  assert.match(said, /nowhere\/config\.ini: there is no such file.*chain-node start -c/);
});

test("a value that is not allowed is named with file, line, section, key and range", async () => {
  const said = await refusedWith("config.ini", (text) =>
    text.replace(/jsonrpc_listen_port=\d+/, "jsonrpc_listen_port=80"),
  );
  assert.match(said, /config\.ini, line \d+, \[rpc\] jsonrpc_listen_port = "80" is not allowed/);
});

test("a certificate of another chain is refused, and so is one of another key", async () => {
  const own = join(folder(), "conf/node.crt");
  const kept = await readFile(own, "utf8");
  for (const [other, reason] of [
    [outsider.nodes[0]?.folder, /belongs to another chain/],
    [chain.nodes[1]?.folder, /not the key of its certificate/],
  ] as const) {
    await copyFile(join(other ?? "", "conf/node.crt"), own);
    const said = await refusal(join(folder(), "config.ini"));
    await writeFile(own, kept);
    assert.match(said, reason);
  }
});

test("a key that is missing or no key is named", async () => {
  const path = join(folder(), "conf/node.key");
  const garbled = await refusedWith("conf/node.key", () => "no key\n");
  assert.match(garbled, /node\.key: this is no secp256k1 private key/);
  const kept = await readFile(path, "utf8");
  await rm(path);
  const missing = await refusal(join(folder(), "config.ini"));
  await writeFile(path, kept);
  assert.match(missing, /node\.key: the node's key cannot be read \(ENOENT\)/);
});

// A key that is missing, or no key, is named above.
inFull("a key that this user may not read is told from one that is missing", async ({ skip }) => {
  const by = withoutRights();
  if (!by) return skip("root without its rights is not to be had here");
  const path = join(folder(), "conf/node.key");
  await chmod(path, 0);
  try {
    const told =
      /node\.key: the node's key cannot be read \(EACCES\)\. It is there: run this as the/;
    const started = await refusalBuilt(["start", "-c", join(folder(), "config.ini")], by);
    assert.equal(started.code, 1);
    assert.match(started.said, told);
    const { code, said } = await refusalBuilt(["doctor", folder()], by);
    assert.equal(code, 1);
    assert.match(said.replaceAll(/\s+/g, " "), /cannot be read \(EACCES\).* run this as the user/i);
    assert.doesNotMatch(said, /Restore it from a copy/);
  } finally {
    await chmod(path, 0o600);
  }
});

// dev-refusals.test.ts names a port in use, and who has it.
inFull(
  "every port in use is named with its key and who has it, without libp2p's words",
  async () => {
    const path = join(folder(), "config.ini");
    const ini = await readFile(path, "utf8");
    const keys = [
      ["jsonrpc_listen_port", "[rpc] jsonrpc_listen_port"],
      ["channel_listen_port", "[rpc] channel_listen_port"],
      ["listen_port", "[p2p] listen_port"],
      ["ws_listen_port", "[p2p] ws_listen_port"],
    ] as const;
    const servers = await Promise.all(keys.map(() => listening()));
    const ports = servers.map((server) => (server.address() as AddressInfo).port);
    const changed = ini
      .replace(/jsonrpc_listen_port=\d+/, `jsonrpc_listen_port=${ports[0]}`)
      .replace(/channel_listen_port=\d+/, `channel_listen_port=${ports[1]}`)
      .replace(/^( *)listen_port=\d+/m, `$1listen_port=${ports[2]}\n$1ws_listen_port=${ports[3]}`);
    await writeFile(path, changed);
    try {
      const said = await refusal(path);
      const lines = said.split("\n");
      assert.equal(lines.length, keys.length, said);
      for (const [index, [, key]] of keys.entries()) {
        const line = lines[index] ?? "";
        const place = `cannot listen on 127.0.0.1:${ports[index]}: process ${process.pid} (node`;
        assert.ok(line.startsWith(place), line);
        assert.ok(line.endsWith(` has the port. Stop it, or set another ${key} in ${path}.`), line);
      }
    } finally {
      await writeFile(path, ini);
      for (const server of servers) server.close();
    }
  },
);

test("a port that a node has is reported to be that node's, or its own key's", async () => {
  const server = await answering({ nodeId: "a".repeat(128), groups: [], pid: 77 });
  const { port } = server.address() as AddressInfo;
  const path = join(folder(), "config.ini");
  const ini = await readFile(path, "utf8");
  await writeFile(path, ini.replace(/jsonrpc_listen_port=\d+/, `jsonrpc_listen_port=${port}`));
  const other = await refusal(path);
  server.close();
  const node = `another chain-node has the port (id aaaaaaaa, process 77)`;
  assert.ok(other.startsWith(`cannot listen on 127.0.0.1:${port}: ${node}. Stop it, or set`));
  const nodeId = chain.nodes[0]?.nodeId ?? "";
  const copy = await answering({ nodeId, groups: [], pid: 78, folderNumber: "1" });
  const { port: copyPort } = copy.address() as AddressInfo;
  await writeFile(path, ini.replace(/jsonrpc_listen_port=\d+/, `jsonrpc_listen_port=${copyPort}`));
  const said = await refusal(path);
  copy.close();
  await writeFile(path, ini);
  assert.match(
    said,
    /a node with this node's key runs already \(id \w{8}, process 78\)\. Never run/,
  );
  assert.doesNotMatch(said, /set another/);
});

/** A server that answers as a node does. */
async function answering(health: object): Promise<Server> {
  const server = createHttpServer((_, response) => response.end(JSON.stringify(health)));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return server;
}

/** A server on any port. */
async function listening(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return server;
}
