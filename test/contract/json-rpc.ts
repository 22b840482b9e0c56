/** What every JSON-RPC endpoint does over HTTP; each runtime runs this against its real server. */
import assert from "node:assert/strict";
import { describe, test } from "vitest";

/** How the suite reaches an endpoint. */
export interface Endpoint {
  readonly request: (path: string, init: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void>;
}

interface Row {
  readonly name: string;
  readonly body: string;
  /** The answer without its messages: code and id, or id and the type of the result. */
  readonly expected: unknown;
}

const HUGE_ID = "18446744073709551615";

function error(code: number, id: unknown = null): unknown {
  return { code, id };
}

function text(method: unknown, params: unknown, rest: object = { id: 1 }): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params, ...rest });
}

/** Precondition: the node is a member of group 1, and has no groups 9 and 30000. */
const ROWS: readonly Row[] = [
  { name: "a height", body: text("getBlockNumber", [1]), expected: { id: 1, type: "string" } },
  { name: "a list", body: text("getGroupList", []), expected: { id: 1, type: "object" } },
  { name: "text that is not JSON", body: "{", expected: error(-32700) },
  { name: "no text", body: "", expected: error(-32700) },
  { name: "a number", body: "1", expected: error(-32600) },
  { name: "an empty batch", body: "[]", expected: error(-32600) },
  { name: "no method", body: '{"jsonrpc":"2.0","id":7}', expected: error(-32600, 7) },
  {
    name: "an unknown method",
    body: text("getblocknumber", [1]),
    expected: error(-32601, 1),
  },
  { name: "no id", body: text("getBlockNumber", [1], {}), expected: error(-32604) },
  { name: "too few values", body: text("getBlockNumber", []), expected: error(-32602, 1) },
  {
    name: "a value of a wrong type",
    body: text("getBlockNumber", ["1"]),
    expected: error(-32602, 1),
  },
  { name: "an unknown group", body: text("getBlockNumber", [9]), expected: error(-40001, 1) },
  {
    name: "a block number that is none",
    body: text("getBlockHashByNumber", [1, "latest"]),
    expected: error(-32603, 1),
  },
  {
    name: "a block above the head",
    body: text("getBlockHashByNumber", [1, "99999999"]),
    expected: error(-40004, 1),
  },
  {
    name: "a batch in order",
    body: `[${text("getBlockNumber", [9], { id: "a" })},1,${text("getGroupList", [], { id: 2 })}]`,
    expected: [error(-40001, "a"), error(-32600), { id: 2, type: "object" }],
  },
];

function reduce(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(reduce);
  const {
    id,
    result,
    error: failure,
  } = answer as {
    id: unknown;
    result?: unknown;
    error?: { code: number };
  };
  return failure === undefined ? { id, type: typeof result } : { code: failure.code, id };
}

/** The suite: pass what opens an endpoint whose node is a member of group 1. */
export function jsonRpcContract(name: string, open: () => Promise<Endpoint>): void {
  async function using<T>(run: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const endpoint = await open();
    try {
      return await run(endpoint);
    } finally {
      await endpoint.close();
    }
  }

  function post(endpoint: Endpoint, body: string, path = "/"): Promise<Response> {
    const headers = { "content-type": "application/json" };
    return endpoint.request(path, { method: "POST", headers, body });
  }

  describe(name, () => {
    for (const row of ROWS) {
      test(`${row.name} is answered with status 200`, () =>
        using(async (endpoint) => {
          const response = await post(endpoint, row.body);
          assert.equal(response.status, 200);
          assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
          const answer = await response.text();
          assert.ok(answer.endsWith("\n"));
          assert.deepEqual(reduce(JSON.parse(answer)), row.expected);
        }));
    }

    test("an id above 2^53 comes back digit for digit", () =>
      using(async (endpoint) => {
        const body = `{"jsonrpc":"2.0","method":"getGroupList","params":[],"id":${HUGE_ID}}`;
        const answer = await (await post(endpoint, body)).text();
        assert.ok(answer.includes(`"id":${HUGE_ID},`), answer);
      }));

    test("every path is the endpoint", () =>
      using(async (endpoint) => {
        const response = await post(endpoint, text("getGroupList", []), "/any/path?x=1");
        assert.equal(response.status, 200);
      }));

    test("a body of a megabyte is answered", () =>
      using(async (endpoint) => {
        const padding = "x".repeat(1_048_576);
        const response = await post(endpoint, text("getGroupList", [], { padding, id: 7 }));
        assert.equal(((await response.json()) as { id: number }).id, 7);
      }));

    for (const method of ["PUT", "DELETE", "PATCH"]) {
      test(`${method} is refused`, () =>
        using(async (endpoint) => {
          const response = await endpoint.request("/", { method });
          assert.equal(response.status, 405);
          assert.equal(await response.text(), "Not allowed HTTP Method");
        }));
    }

    test("OPTIONS names what is allowed", () =>
      using(async (endpoint) => {
        const response = await endpoint.request("/", { method: "OPTIONS" });
        assert.equal(response.status, 200);
        assert.equal(response.headers.get("allow"), "POST, OPTIONS");
        assert.equal(await response.text(), "");
      }));
  });
}
