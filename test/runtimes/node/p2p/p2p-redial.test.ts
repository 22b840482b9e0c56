/** A configured peer is dialled until it has a session, however its host ends the stream. */
// rules: node-network 2, node-network 9
import assert from "node:assert/strict";
import { privateKeyFromRaw } from "@libp2p/crypto/keys";
import type { Stream } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import { createLibp2p } from "libp2p";
import { test } from "vitest";
import { PEER_VERSIONS, peerProtocol } from "../../../../core/network/handshake.ts";
import { nodeTransports } from "../../../../runtimes/node/p2p/p2p-node.ts";
import { freePort, testKey, testNode, until, withNodes } from "./p2p-field.ts";

const ENDS: readonly (readonly [string, (stream: Stream) => void])[] = [
  ["resets", (stream) => stream.abort(new DOMException("no", "AbortError"))],
  ["closes", (stream) => void stream.close()],
];

for (const [name, end] of ENDS) {
  test.concurrent(`a host that ${name} every stream at once is dialled again and again, until a node is there`, async () => {
    const port = await freePort();
    const server = await createLibp2p({
      ...nodeTransports(),
      privateKey: privateKeyFromRaw(testKey(0)),
      addresses: { listen: [`/ip4/127.0.0.1/tcp/${port}`] },
      streamMuxers: [yamux()],
    });
    await server.handle(PEER_VERSIONS.map(peerProtocol), end);
    await server.start();
    const dialler = await testNode({ index: 1, peers: [`127.0.0.1:${port}`] });
    const node = await testNode({ index: 0, port });
    await withNodes([dialler, node], async () => {
      try {
        await dialler.start();
        const { network } = dialler;
        await until("dialled again", () => network.counters().dials >= 2, 20_000);
        // Between two dials it waits, and says why.
        const isWaiting = () => network.endpointStates()[0]?.state === "waiting";
        await until("waiting", isWaiting, 20_000);
        assert.match(network.endpointStates()[0]?.reason ?? "", /connection lost/);
      } finally {
        await server.stop();
      }
      await node.start();
      await until("connected", () => dialler.ups.length === 1, 30_000);
    });
  }, 60_000);
}
