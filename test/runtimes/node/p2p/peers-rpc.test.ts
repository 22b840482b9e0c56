/** The list of peers: config.ini and the network follow addPeers and erasePeers. */
import assert from "node:assert/strict";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import type { PeerList } from "../../../../core/api/node-api.ts";
import { createPeerList } from "../../../../runtimes/node/p2p/peer-list.ts";
import { parseEndpoint } from "../../../../runtimes/shared/p2p/endpoint.ts";

const TEXT = `; kept as it is
[p2p]
    listen_port=30300
    ; the first
    node.0=127.0.0.1:30301
    node.1=[::1]:30302
[chain]
    id=1
`;

let folder = "";
let path = "";
let dialled: string[] = [];
let peers: PeerList;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "peer-list-"));
  path = join(folder, "config.ini");
  await writeFile(path, TEXT);
  dialled = ["127.0.0.1:30301", "[::1]:30302"];
  const network = {
    endpoints: () => dialled,
    addPeers: (endpoints: readonly string[]) => dialled.push(...endpoints),
    erasePeers: (endpoints: readonly string[]) => {
      dialled = dialled.filter((endpoint) => !endpoints.includes(endpoint));
      return 1;
    },
  };
  const log = { write: () => undefined };
  peers = createPeerList({ path, network, paramLimit: 10, totalLimit: 4, log });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const peersInFile = async () =>
  [...(await readFile(path, "utf8")).matchAll(/^ *node\.\d+=(.*)$/gm)].map((match) => match[1]);

test("added peers are dialled and written, the rest of the file stays", async () => {
  const outcome = await peers.add(["127.0.0.1:30301", "example.org:30303"]);
  assert.deepEqual(outcome, { code: 0, message: "add peers :update config file successfully" });
  assert.deepEqual(dialled, ["127.0.0.1:30301", "[::1]:30302", "example.org:30303"]);
  assert.deepEqual(await peersInFile(), dialled);
  const text = await readFile(path, "utf8");
  for (const line of ["; kept as it is", "    ; the first", "    id=1"]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
  assert.deepEqual(await readdir(folder), ["config.ini"]);
});

test("peers that are known already change nothing", async () => {
  const outcome = await peers.add(["[::1]:30302"]);
  const message = "add peers :all the inserted peers already exist";
  assert.deepEqual(outcome, { code: 0, message });
  assert.equal(await readFile(path, "utf8"), TEXT);
});

test("more peers than max_nodes_limit are refused, and none of them is kept", async () => {
  const outcome = await peers.add(["a.org:1", "b.org:2", "c.org:3"]);
  assert.deepEqual(outcome, { code: 1, message: "refused for too many peers. max_nodes_limit: 4" });
  assert.equal(await readFile(path, "utf8"), TEXT);
  assert.equal(dialled.length, 2);
});

test("erased peers are neither dialled nor written", async () => {
  const outcome = await peers.erase(["127.0.0.1:30301", "example.org:1"]);
  assert.deepEqual(outcome, { code: 0, message: "erase peers :update config file successfully" });
  assert.deepEqual(dialled, ["[::1]:30302"]);
  assert.deepEqual(await peersInFile(), dialled);
  const again = await peers.erase(["127.0.0.1:30301"]);
  assert.deepEqual(again, { code: 0, message: "erase peers :none of the erased peers exist" });
});

test("the file keeps its permissions, and a link to it stays one", async () => {
  const real = join(folder, "etc", "node.ini");
  await mkdir(join(folder, "etc"));
  await rename(path, real);
  await chmod(real, 0o600);
  await symlink(real, path);
  assert.equal((await peers.add(["a.org:1"])).code, 0);
  assert.equal((await lstat(path)).isSymbolicLink(), true);
  assert.equal((await stat(real)).mode & 0o777, 0o600);
  assert.ok((await readFile(real, "utf8")).includes("a.org:1"));
  assert.deepEqual(await readdir(join(folder, "etc")), ["node.ini"]);
});

test("what is an endpoint to the book is one to the network", () => {
  assert.equal(peers.isEndpoint("[fe80::1%eth0]:1"), false);
  const texts = ["[fe80::1]:1", "[::ffff:1.2.3.4]:1", "[::]:9", "10.0.0.1:1", "a.org:1", "a_b:1"];
  for (const text of [...texts, "[fe80::1%eth0]:1", "[fe80::1%25eth0]:1", "10.0.0.300:1"]) {
    if (peers.isEndpoint(text)) assert.ok(parseEndpoint(text), text);
  }
  for (const text of texts) assert.ok(peers.isEndpoint(text), text);
});

test("calls at once are written one after the other", async () => {
  await Promise.all([peers.add(["a.org:1"]), peers.erase(["[::1]:30302"]), peers.add(["b.org:2"])]);
  assert.deepEqual(await peersInFile(), ["127.0.0.1:30301", "a.org:1", "b.org:2"]);
  assert.deepEqual(dialled, await peersInFile());
});

test("a file that cannot be read is an outcome, and nothing is dialled", async () => {
  await rm(path);
  const outcome = await peers.add(["a.org:1"]);
  assert.equal(outcome.code, 1);
  assert.match(outcome.message, /config\.ini/);
  assert.equal(dialled.length, 2);
});
