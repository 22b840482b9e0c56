/** The book of peers: config.ini and the network follow addPeers and erasePeers. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import type { PeerBook } from "../../../core/node/node-api.ts";
import { createPeerBook } from "../../../runtimes/node/peer-book.ts";

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
let book: PeerBook;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "peer-book-"));
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
  book = createPeerBook({ path, network, paramLimit: 10, totalLimit: 4, log });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const peersInFile = async () =>
  [...(await readFile(path, "utf8")).matchAll(/^ *node\.\d+=(.*)$/gm)].map((match) => match[1]);

test("added peers are dialled and written, the rest of the file stays", async () => {
  const outcome = await book.add(["127.0.0.1:30301", "example.org:30303"]);
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
  const outcome = await book.add(["[::1]:30302"]);
  const message = "add peers :all the inserted peers already exist";
  assert.deepEqual(outcome, { code: 0, message });
  assert.equal(await readFile(path, "utf8"), TEXT);
});

test("more peers than max_nodes_limit are refused, and none of them is kept", async () => {
  const outcome = await book.add(["a.org:1", "b.org:2", "c.org:3"]);
  assert.deepEqual(outcome, { code: 1, message: "refused for too many peers. max_nodes_limit: 4" });
  assert.equal(await readFile(path, "utf8"), TEXT);
  assert.equal(dialled.length, 2);
});

test("erased peers are neither dialled nor written", async () => {
  const outcome = await book.erase(["127.0.0.1:30301", "example.org:1"]);
  assert.deepEqual(outcome, { code: 0, message: "erase peers :update config file successfully" });
  assert.deepEqual(dialled, ["[::1]:30302"]);
  assert.deepEqual(await peersInFile(), dialled);
  const again = await book.erase(["127.0.0.1:30301"]);
  assert.deepEqual(again, { code: 0, message: "erase peers :none of the erased peers exist" });
});

test("calls at once are written one after the other", async () => {
  await Promise.all([book.add(["a.org:1"]), book.erase(["[::1]:30302"]), book.add(["b.org:2"])]);
  assert.deepEqual(await peersInFile(), ["127.0.0.1:30301", "a.org:1", "b.org:2"]);
  assert.deepEqual(dialled, await peersInFile());
});

test("a file that cannot be read is an outcome, and nothing is dialled", async () => {
  await rm(path);
  const outcome = await book.add(["a.org:1"]);
  assert.equal(outcome.code, 1);
  assert.match(outcome.message, /config\.ini/);
  assert.equal(dialled.length, 2);
});
