/** Ids of requests are echoed in the same way over HTTP, over a WebSocket and over the channel. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { afterAll, test } from "vitest";
import { WebSocket } from "ws";
import { AccessControl, OPEN_ACCESS } from "../../../../core/channel/access.ts";
import { AskingConnection } from "../../../../core/limits/asking-connection.ts";
import { answerRequest } from "../../../../core/channel/answer.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { serve } from "../../../../runtimes/node/server/http-server.ts";
import { createWebSocketEnd } from "../../../../runtimes/node/server/websocket.ts";
import { createHttpApp } from "../../../../runtimes/shared/http-app.ts";
import { ID_BATCH } from "../../../support/client/id-cases.ts";
import { rpcNode } from "../../../support/rpc-node.ts";

// rules: rpc-semantics 2.1, 2.3

const node = rpcNode();
const options = { node, maxBodyBytes: 100_000, log: { write: () => {} } };
const { app, posts } = createHttpApp(options);
const end = createWebSocketEnd({ onBlock: () => {} }, options, createNodeClock());
const server = await serve(app.fetch, { host: "127.0.0.1", port: 0 }, posts, end);
afterAll(() => server.close());

test("ids are echoed over HTTP", async () => {
  const answer = await fetch(server.url, {
    method: "POST",
    body: ID_BATCH.request,
    headers: { connection: "close" },
  });
  assert.equal(await answer.text(), `${ID_BATCH.answer}\n`);
});

test("ids are echoed over a WebSocket", async () => {
  const socket = new WebSocket(server.url.replace("http", "ws"));
  await once(socket, "open");
  socket.send(ID_BATCH.request);
  const [data] = (await once(socket, "message")) as [Buffer];
  socket.terminate();
  assert.equal(data.toString("utf8"), ID_BATCH.answer);
});

test("ids are echoed over the channel", async () => {
  const { log } = options;
  const access = new AccessControl(OPEN_ACCESS, 0);
  const answer = await answerRequest(
    { node, access, now: () => 0, log, pace: async () => {} },
    {
      text: ID_BATCH.request,
      sdkId: "",
      version: 3,
      asker: new AskingConnection("10.0.0.1"),
      onAdmitted: () => {},
      onRefused: () => {},
      onGrown: () => true,
    },
  );
  assert.equal(answer, `${ID_BATCH.answer}\n`);
});
