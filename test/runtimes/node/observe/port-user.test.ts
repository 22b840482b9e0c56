/** Who answers at a port: the node that is meant, a copy, another one, something else, nobody. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { askPort, folderNumber, userText } from "../../../../runtimes/node/observe/port-user.ts";
import {
  hasOpen,
  isAlive,
  portHolder,
  processText,
  runsIn,
} from "../../../../runtimes/node/machine/processes.ts";
import { freePort } from "../../../support/process/dev-process.ts";

const OWN = "ab".repeat(64);
const isLinux = process.platform === "linux";

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return (server.address() as AddressInfo).port;
}

/** Who is found at a server, in words, by a node whose folder is here. */
async function found(server: Server, nodeId: string | undefined = OWN) {
  const port = await portOf(server);
  const user = await askPort({ ip: "127.0.0.1", port }, { nodeId, home: "." });
  server.close();
  return { kind: user.kind, text: userText(user) };
}

const saying = (body: string) => createHttpServer((_, response) => response.end(body));
const health = (nodeId: string, folder?: string) =>
  saying(JSON.stringify({ nodeId, pid: 7, groups: [], folderNumber: folder }));

test("a node is known by its key and its folder", async () => {
  const here = await folderNumber(".");
  assert.ok(here);
  assert.deepEqual(await found(health(OWN, here)), { kind: "own", text: undefined });
  const copy = "a node with the same key from another folder (id abababab, process 7)";
  assert.deepEqual(await found(health(OWN, "1")), { kind: "copy", text: copy });
  const other = "another node (id cdcdcdcd, process 7)";
  assert.deepEqual(await found(health("cd".repeat(64), here)), { kind: "otherNode", text: other });
  const unread = await askPort({ ip: "127.0.0.1", port: 1 }, { nodeId: undefined, home: "." });
  assert.equal(unread.kind, "silent");
});

test("what is no node is distinguished from nobody", async () => {
  for (const server of [
    saying("<html>"),
    saying("[]"),
    saying('{"jsonrpc":"2.0"}'),
    createServer((socket) => socket.end("220 mail ready\r\n")),
  ]) {
    const { kind, text } = await found(server);
    assert.equal(kind, "program");
    const who = `process ${process.pid} (node`;
    const wanted = isLinux ? who : "something";
    assert.ok(text?.startsWith(wanted) && text.endsWith("not a chain-node"), text);
  }
  const address = { ip: "127.0.0.1", port: await freePort() };
  const nobody = await askPort(address, { nodeId: OWN, home: "." });
  assert.deepEqual(nobody, { kind: "silent", reason: "nothing listens there" });
});

test.skipIf(!isLinux)("a process is found by its port, its folder and its files", async () => {
  const server = createServer();
  const port = await portOf(server);
  const holder = await portHolder(port);
  server.close();
  assert.equal(holder?.pid, process.pid);
  assert.ok(holder && processText(holder).endsWith(`, in ${process.cwd()})`));
  assert.equal(await portHolder(await freePort()), undefined);
  const home = await mkdtemp(join(tmpdir(), "processes-"));
  assert.deepEqual(
    [await runsIn(process.pid, "."), await runsIn(process.pid, home)],
    [true, false],
  );
  await rm(home, { recursive: true });
  assert.equal(await hasOpen(process.pid, join(home, "none")), false);
  assert.deepEqual([isAlive(process.pid), isAlive(2 ** 22 + 1)], [true, false]);
});

test.skipIf(!isLinux)("a process that has ended is not alive, though nobody notices", async () => {
  // The shell becomes a program that never asks for the end of its child.
  const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"]);
  const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
  const isProgram = async () =>
    (await readFile(`/proc/${parent.pid}/comm`, "utf8")).trim() === "sleep";
  // A shell that still is one may ask for it.
  while (!(await isProgram())) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(isAlive(pid));
  process.kill(pid, "SIGKILL");
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.match(await readFile(`/proc/${pid}/stat`, "utf8"), /\) Z /);
  parent.kill("SIGKILL");
});
