/** Addresses of peers as people write them. */
// rules: node-network 5
import assert from "node:assert/strict";
import { test } from "vitest";
import { peerAddress } from "../../../runtimes/joining/join-bundle.ts";
import { JoinFault } from "../../../runtimes/joining/join-fault.ts";
import { endpointOf, listenAddress, parseEndpoint } from "../../../runtimes/shared/p2p/endpoint.ts";

test("hosts, addresses and WebSockets become the addresses that libp2p reads", () => {
  const cases = [
    ["127.0.0.1:30300", "/ip4/127.0.0.1/tcp/30300"],
    ["node.example:30300", "/dns/node.example/tcp/30300"],
    ["[::1]:30300", "/ip6/::1/tcp/30300"],
    ["ws://127.0.0.1:30400", "/ip4/127.0.0.1/tcp/30400/ws"],
    ["ws://[::1]:30400/", "/ip6/::1/tcp/30400/ws"],
    ["WSS://node.example:443", "/dns/node.example/tcp/443/tls/ws"],
    ["/ip4/127.0.0.1/tcp/1/ws", "/ip4/127.0.0.1/tcp/1/ws"],
  ] as const;
  for (const [text, address] of cases) assert.equal(parseEndpoint(text)?.toString(), address);
  for (const text of [
    "",
    "host",
    "host:0",
    "host:70000",
    "http://h:1",
    "ws://h",
    "ws://h:1/x",
    "/x",
  ])
    assert.equal(parseEndpoint(text), undefined, text);
  assert.equal(listenAddress("::1", 1, "wss"), "/ip6/::1/tcp/1/tls/ws");
});

test("a relayed connection shows the address of the relay", () => {
  const relayed = parseEndpoint(
    "/ip4/10.0.0.1/tcp/30400/ws/p2p/12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp/p2p-circuit",
  );
  assert.ok(relayed);
  assert.equal(endpointOf(relayed), "10.0.0.1:30400");
});

test("a browser dials WebSockets only, and from a secure page secure ones", () => {
  assert.equal(peerAddress(" node.example:30400 ", false), "/dns/node.example/tcp/30400/ws");
  assert.equal(peerAddress("node.example:30400", true), "/dns/node.example/tcp/30400/tls/ws");
  assert.equal(peerAddress("wss://h:443", true), "/dns/h/tcp/443/tls/ws");
  const problemOf = (text: string, isSecure: boolean) => {
    try {
      return peerAddress(text, isSecure);
    } catch (cause) {
      return cause instanceof JoinFault ? cause.problem : cause;
    }
  };
  assert.equal(problemOf("ws://h:80", true), "needsWss");
  assert.equal(problemOf("/ip4/127.0.0.1/tcp/30300", false), "badPeer");
  assert.equal(problemOf("https://h:443", false), "badPeer");
});
