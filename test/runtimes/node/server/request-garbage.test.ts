/** A request that is answered is garbage at once: none keeps the next one through collections. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setTimeout } from "node:timers/promises";
import { test } from "vitest";
import { serve } from "../../../../runtimes/node/server/http-server.ts";
import { createHttpApp } from "../../../../runtimes/shared/http-app.ts";
import { rpcNode } from "../../../support/rpc-node.ts";
import { cases } from "../../../support/runner/cases.ts";

setFlagsFromString("--expose-gc");
const collectYoung = runInNewContext("(gc) => gc({ type: 'minor' })").bind(
  undefined,
  runInNewContext("gc"),
);

const BODY = '{"jsonrpc":"2.0","id":1,"method":"getClientVersion","params":[]}';
const POST = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const PAUSE_MS = 50;
const REQUESTS = cases(2_000, 400);
/** One that is kept holds six thousand bytes. */
const MOST_KEPT = 3_000;

function oldBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find((space) => space.space_name === "old_space")?.space_used_size ?? 0;
}

test("requests that are answered do not outlive young collections", async () => {
  const log = { write: () => undefined };
  const { app, posts } = createHttpApp({ node: rpcNode(), maxBodyBytes: 1_000_000, log });
  const server = await serve(app.fetch, { host: "127.0.0.1", port: 0 }, posts);
  const socket = connect(server.port, server.host);
  socket.setNoDelay();
  const ask = async (pauseMs = 0): Promise<void> => {
    socket.write(POST.slice(0, -1));
    if (pauseMs > 0) await setTimeout(pauseMs);
    collectYoung();
    collectYoung();
    socket.write(POST.slice(-1));
    await once(socket, "data");
    // The server learns that its answer has left.
    await setTimeout(0);
  };
  // This one lives long enough to be old: nothing of those behind it may hang on it.
  await ask(PAUSE_MS);
  for (let asked = 0; asked < REQUESTS; asked++) await ask();
  const before = oldBytes();
  for (let asked = 0; asked < REQUESTS; asked++) await ask();
  const kept = (oldBytes() - before) / REQUESTS;
  assert.ok(kept < MOST_KEPT, `each request left ${kept.toFixed(0)} bytes`);
  socket.destroy();
  await server.close();
});
