/** Who asks over HTTP, as tables: whose request it is, the node's names, its pages. */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  callerOf,
  callerOfRequest,
  hostRefusal,
  type Leave,
  NOTHING_LISTED,
  type PageLists,
} from "../../../runtimes/shared/http-caller.ts";
import type { RequestHeaders } from "../../../runtimes/shared/request-headers.ts";

// rules: README 24

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)";
const LISTS: PageLists = {
  allowedHosts: ["chain.example.org", "Dotted.Example.net."],
  allowedOrigins: ["https://app.example.org"],
};

function leaveOf(headers: RequestHeaders, lists = LISTS): Leave {
  return callerOf(headers, lists).leave;
}

describe("whose request it is", () => {
  const host = "rebound.example.com:8545";
  const CALLERS: readonly (readonly [headers: RequestHeaders, isBrowser: boolean])[] = [
    [{ "user-agent": BROWSER }, true],
    [{ "user-agent": "Mozilla/5.0+(compatible; Probe/2.0)" }, true],
    [{ origin: "https://app.example.org" }, true],
    [{ origin: "null" }, true],
    [{ origin: "" }, true],
    [{ origin: "http://a, http://b" }, true],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{ "sec-fetch-mode": "cors" }, true],
    [{ "sec-fetch-dest": "empty", "user-agent": "node" }, true],
    [{ "sec-fetch-storage-access": "none", "user-agent": "own/1" }, true],
    [{ "sec-fetch-mode": "cors", "sec-fetch-site": "none", "user-agent": "node" }, true],
    [{ "sec-fetch-mode": "cors", "user-agent": BROWSER }, true],
    [{ "sec-fetch-mode": "navigate", "user-agent": "curl/8.5.0" }, true],
    [{}, false],
    [{ "user-agent": "curl/8.5.0" }, false],
    [{ "user-agent": "Java/17 Mozilla/5.0" }, false],
    [{ "user-agent": "kube-probe/1.31" }, false],
    [{ "user-agent": "Apache-HttpClient/4.5", accept: "text/html", referer: "http://a" }, false],
    [{ via: "1.1 proxy", "x-forwarded-for": "203.0.113.9" }, false],
    // As fetch of Node.js sends it.
    [{ "sec-fetch-mode": "cors", "user-agent": "node", "accept-language": "*" }, false],
    [{ "sec-fetch-mode": "websocket", "user-agent": "undici" }, false],
  ];
  for (const [headers, isBrowser] of CALLERS) {
    test(`${JSON.stringify(headers)} is ${isBrowser ? "" : "not "}a browser's`, () => {
      assert.equal(leaveOf({ ...headers, host }), isBrowser ? "nothing" : "all");
    });
  }
});

describe("the node's names", () => {
  const NAMES: readonly (readonly [host: string | undefined, isOwn: boolean])[] = [
    ["127.0.0.1:8545", true],
    ["192.0.2.7", true],
    ["203.0.113.200:80", true],
    ["[::1]:8545", true],
    ["[2001:DB8::7]", true],
    ["[::ffff:127.0.0.1]:8545", true],
    ["localhost", true],
    ["LocalHost:8545", true],
    ["localhost.:8545", true],
    ["node0", true],
    ["node0:8545", true],
    ["my_node", true],
    ["printer.local", true],
    ["node0.chain.svc.cluster.local:8545", true],
    ["NODE.Internal.", true],
    ["chain.example.org", true],
    ["Chain.Example.ORG:443", true],
    ["chain.example.org.", true],
    ["dotted.example.net", true],
    ["rebound.example.com:8545", false],
    ["sub.chain.example.org", false],
    ["chain.example.org.evil.example", false],
    ["127.0.0.1.evil.example", false],
    ["localhost.evil.example", false],
    ["evil.example..", false],
    ["evil.localhost", false],
    ["node.local.evil.example", false],
    ["local.evil.example", false],
    ["evil.xlocal", false],
    ["1.2.3", false],
    ["1.2.3.4.5", false],
    ["localhost@evil.example", false],
    ["evil.example@localhost", false],
    ["localhost/evil.example", false],
    ["localhost#evil", false],
    ["localhost:8545:8545", false],
    ["localhost, evil.example", false],
    ["local\u{ff45}", false],
    ["::1", false],
    ["[]", false],
    [".", false],
    [":8545", false],
    ["", false],
    [undefined, false],
  ];
  for (const [host, isOwn] of NAMES) {
    test(`${host} is ${isOwn ? "one" : "none"}`, () => {
      const headers = { "user-agent": BROWSER, host };
      assert.equal(leaveOf(headers), isOwn ? "all" : "nothing");
    });
  }

  test("with * every name is one, but no name is none", () => {
    const lists = { allowedHosts: ["*"], allowedOrigins: [] };
    const leaves = ["evil.example", "a@b", undefined].map((host) =>
      leaveOf({ "user-agent": BROWSER, host }, lists),
    );
    assert.deepEqual(leaves, ["all", "nothing", "nothing"]);
  });

  test("a name without a dot may be listed, which changes nothing", () => {
    const lists = { allowedHosts: ["node0", "[::1]"], allowedOrigins: [] };
    assert.equal(leaveOf({ "user-agent": BROWSER, host: "node0" }, lists), "all");
    assert.equal(leaveOf({ "user-agent": BROWSER, host: "a.example" }, lists), "nothing");
  });
});

describe("the node's pages", () => {
  const LOOPBACK = "127.0.0.1:8545";
  const PAGES: readonly (readonly [origin: string | undefined, host: string, leave: Leave])[] = [
    [undefined, LOOPBACK, "all"],
    ["http://127.0.0.1:8545", LOOPBACK, "all"],
    ["https://127.0.0.1:8545", LOOPBACK, "all"],
    ["http://localhost:8545", "LOCALHOST:8545", "all"],
    ["http://localhost.:8545", "localhost.:8545", "all"],
    ["http://[::1]:8545", "[::1]:8545", "all"],
    ["http://[::1]:8545", "[0:0:0:0:0:0:0:1]:8545", "all"],
    ["https://chain.example.org", "chain.example.org", "all"],
    ["https://chain.example.org", "chain.example.org:443", "all"],
    ["http://chain.example.org", "chain.example.org:80", "all"],
    ["http://node0", "node0", "all"],
    ["https://app.example.org", LOOPBACK, "all"],
    ["https://app.example.org", "chain.example.org", "all"],
    // The same host, another port.
    ["http://127.0.0.1:3000", LOOPBACK, "reads"],
    ["http://127.0.0.1", LOOPBACK, "reads"],
    ["http://localhost:8545", LOOPBACK, "reads"],
    ["http://evil.example", LOOPBACK, "reads"],
    ["http://app.example.org", LOOPBACK, "reads"],
    ["https://app.example.org:444", LOOPBACK, "reads"],
    ["https://app.example.org.evil.example", LOOPBACK, "reads"],
    ["ftp://127.0.0.1:8545", LOOPBACK, "reads"],
    ["chrome-extension://127.0.0.1:8545", LOOPBACK, "reads"],
    ["http://127.0.0.1:8545, http://127.0.0.1:8545", LOOPBACK, "reads"],
    ["null", LOOPBACK, "reads"],
    ["", LOOPBACK, "reads"],
    ["*", LOOPBACK, "reads"],
    ["http://evil.example:8545", "evil.example:8545", "nothing"],
    ["https://app.example.org", "app.example.org", "nothing"],
  ];
  for (const [origin, host, leave] of PAGES) {
    test(`a page of ${origin} at ${host} may do ${leave}`, () => {
      assert.equal(leaveOf({ "user-agent": BROWSER, origin, host }), leave);
    });
  }

  const SITES = [
    ["same-origin", "all"],
    ["none", "all"],
    ["same-site", "reads"],
    ["cross-site", "reads"],
  ] as const;
  for (const [site, leave] of SITES) {
    test(`without an origin, a request that is ${site} may do ${leave}`, () => {
      assert.equal(leaveOf({ "sec-fetch-site": site, host: LOOPBACK }), leave);
    });
  }

  test("with * every page is one of them", () => {
    const lists = { allowedHosts: [], allowedOrigins: ["*"] };
    for (const origin of ["https://any.example", "null"])
      assert.equal(leaveOf({ origin, host: LOOPBACK }, lists), "all");
    assert.equal(leaveOf({ origin: "http://a.example", host: "a.example" }, lists), "nothing");
  });
});

test("whether a request was sent here is judged of programs too, which may leave Host out", () => {
  const isSentHere = (headers: RequestHeaders) => callerOf(headers, LISTS).isSentHere;
  for (const host of ["localhost:8545", "node.local", "chain.example.org"])
    assert.equal(isSentHere({ host }), true, host);
  for (const agent of [undefined, "curl/8", BROWSER])
    assert.equal(isSentHere({ host: "rebound.example.com", "user-agent": agent }), false, agent);
  assert.deepEqual([isSentHere({}), isSentHere({ "user-agent": BROWSER })], [true, false]);
});

test("a server may know better than Host where a browser's request went", () => {
  const headers = { "user-agent": BROWSER, host: "localhost" };
  assert.equal(callerOf(headers, LISTS, { hostOf: () => "evil.example" }).leave, "nothing");
  assert.equal(callerOf(headers, LISTS, { hostOf: () => undefined }).leave, "nothing");
  const { leave, host } = callerOf({ host: "a.b.c" }, LISTS, { hostOf: () => "evil.example" });
  assert.deepEqual([leave, host], ["all", "a.b.c"]);
});

test("a request of the web's form is sent to its Host, or else to the host of its address", () => {
  const ask = (url: string, headers: Record<string, string>) =>
    callerOfRequest(new Request(url, { headers }), NOTHING_LISTED);
  const agent = { "user-agent": BROWSER };
  assert.equal(ask("http://127.0.0.1/", { ...agent, host: "evil.example" }).leave, "nothing");
  assert.equal(ask("http://evil.example/", agent).leave, "nothing");
  assert.equal(ask("http://127.0.0.1:8545/", agent).host, "127.0.0.1:8545");
});

test("a refusal says which name it was, when it was one", () => {
  const said = (host: string) =>
    hostRefusal(callerOf({ host, "user-agent": BROWSER }, NOTHING_LISTED));
  assert.match(said("Chain.example:80"), /\(chain\.example\)/);
  assert.match(said("<script>"), /\(none\)/);
  assert.ok(said(`${"a".repeat(9_000)}.b`).length < 600);
});
