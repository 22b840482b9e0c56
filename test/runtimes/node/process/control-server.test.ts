/**
 * The control socket of a node where its path is long, where a file is in the way, and for whom it
 * is.
 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { borrowView, confirmBySocket } from "../../../../runtimes/node/client/control-client.ts";
import {
  CONTROL_SOCKET_FILE,
  parseRequest,
} from "../../../../runtimes/node/machine/control-socket.ts";
import {
  type ControlWork,
  openControlSocket,
} from "../../../../runtimes/node/process/control-server.ts";
import { collectLog } from "../../../support/collected-log.ts";

let home = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "door-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

/** Lends one folder, and tells how many are lent. */
function work() {
  let lent = 0;
  const controlWork: ControlWork = {
    confirm: async (groups) => groups ?? [1, 2],
    lend: async (group) => {
      if (group === 9) throw new Error("no such ledger");
      lent += 1;
      const close = async () => {
        lent -= 1;
      };
      return { folder: join(home, "view"), close };
    },
  };
  return { controlWork, lent: () => lent };
}

test("a folder deep down has a control socket all the same, and what is lent comes back", async () => {
  const folder = join(home, "deep-".repeat(30), "down-".repeat(30));
  await mkdir(folder, { recursive: true });
  assert.ok(join(folder, CONTROL_SOCKET_FILE).length > 108);
  const { controlWork, lent } = work();
  const log = collectLog();
  const close = await openControlSocket(folder, controlWork, log);
  assert.deepEqual(log.messages("warning"), []);
  assert.equal((await stat(join(folder, CONTROL_SOCKET_FILE))).mode & 0o777, 0o600);
  assert.deepEqual(await confirmBySocket(folder, undefined), [1, 2]);
  assert.deepEqual(await confirmBySocket(folder, 7), [7]);
  await assert.rejects(borrowView(folder, 9), /: no such ledger$/);
  const view = await borrowView(folder, 1);
  assert.deepEqual([view?.folder, lent()], [join(home, "view"), 1]);
  const another = await borrowView(folder, 1);
  view?.close();
  // A control socket that closes takes back what is still out.
  await close();
  assert.equal(lent(), 0);
  another?.close();
  assert.equal(await confirmBySocket(folder, undefined), undefined);
  await assert.rejects(stat(join(folder, CONTROL_SOCKET_FILE)), { code: "ENOENT" });
});

test("a file in the place of the control socket stays, and the node does without", async () => {
  const folder = join(home, "taken");
  await mkdir(folder);
  await writeFile(join(folder, CONTROL_SOCKET_FILE), "mine");
  const log = collectLog();
  const close = await openControlSocket(folder, work().controlWork, log);
  assert.match(log.messages("warning").join(), /^the node has no control socket for commands/);
  assert.equal(log.lines[0]?.fields["cause"], "EADDRINUSE");
  await close();
  assert.equal((await stat(join(folder, CONTROL_SOCKET_FILE))).size, 4);
});

test("what is no request is none", () => {
  const lines = [
    "",
    "{}",
    '{"do":"view"}',
    '{"do":"view","group":0}',
    '{"do":"view","group":null}',
  ];
  for (const line of [...lines, '{"do":"stop"}', "[]", '{"do":"confirm","group":"1"}'])
    assert.equal(parseRequest(line), undefined, line);
  assert.deepEqual(parseRequest('{"do":"confirm","group":null}'), { do: "confirm", group: null });
});
