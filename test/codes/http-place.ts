/** Nodes of this process behind real HTTP ports. */
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { serve } from "../../runtimes/node/server/http-server.ts";
import { createHttpApp, DEFAULT_MAX_BODY_BYTES } from "../../runtimes/shared/http-app.ts";
import type { Reply } from "../support/rpc-node.ts";
import type { EntryPlace } from "./entry.ts";

/** The place. */
export const HTTP_PLACE: EntryPlace = {
  suite: await createNodeSuite(),
  async openWay({ api }) {
    const { app, posts } = createHttpApp({ node: api, maxBodyBytes: DEFAULT_MAX_BODY_BYTES });
    const server = await serve(app.fetch, { host: "127.0.0.1", port: 0 }, posts);
    return {
      async ask(method, params) {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        const response = await fetch(server.url, { method: "POST", body });
        return (await response.json()) as Reply;
      },
      close: () => server.close(),
    };
  },
};
