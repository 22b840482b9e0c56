/** The page at the RPC port: what is sent, under which headers, and what is not. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, test } from "vitest";
import { createPage, PAGE_POLICY, type PageHook } from "../../../../runtimes/node/server/page.ts";

const SCRIPT = `export const words = ${JSON.stringify("page ".repeat(1_000))};\n`;
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const LARGE_BYTES = 5 * 1024 * 1024;

let root: string;
let page: PageHook;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "chain-node-page-"));
  const web = join(root, "web");
  mkdirSync(join(web, "chunks"), { recursive: true });
  writeFileSync(join(web, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(web, "main.js"), SCRIPT);
  writeFileSync(join(web, "chunks", "page-ABCDEFGH.js"), SCRIPT);
  writeFileSync(join(web, ".hidden"), "secret");
  writeFileSync(join(web, "large.bin"), Buffer.alloc(LARGE_BYTES, 7));
  writeFileSync(join(root, "node.key"), "secret");
  page = createPage({
    folder: web,
    dev: true,
    service: (path) =>
      path === "/desk.txt"
        ? { contentType: "text/plain", text: "from the service", isImmutable: false }
        : undefined,
    policies: new Map([["/large.bin", "default-src 'none'"]]),
  });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  return page(new Request(`http://127.0.0.1:8545${path}`, { method, headers }));
}

async function got(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await get(path, headers);
  assert.ok(response, `${path} is not answered`);
  return response;
}

test("a browser gets the page at the root, under a policy that lets nothing leave", async () => {
  const response = await got("/", BROWSER);
  assert.equal(response.status, 200);
  assert.match(await response.text(), /<title>page<\/title>/);
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(response.headers.get("content-security-policy"), PAGE_POLICY);
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(response.headers.get("cache-control"), "no-cache");
});

test("who does not ask for a page is answered as ever: with a refusal of GET", async () => {
  assert.equal(await get("/"), undefined);
  assert.equal(await get("/", { accept: "*/*" }), undefined);
  assert.equal(await get("/nothing"), undefined);
});

test("an address that does not exist leads a browser to the page", async () => {
  const response = await got("/somewhere/else", BROWSER);
  assert.equal(response.status, 302);
  assert.equal(response.headers.get("location"), "/");
});

test("a known file is not sent twice", async () => {
  const etag = (await got("/main.js")).headers.get("etag") ?? "";
  for (const tags of [etag, `"other", ${etag}`, etag.replace("W/", ""), "*"]) {
    const response = await got("/main.js", { "if-none-match": tags });
    assert.equal(response.status, 304);
    assert.equal(await response.text(), "");
    assert.equal(response.headers.get("etag"), etag);
  }
  assert.equal((await got("/main.js", { "if-none-match": '"other"' })).status, 200);
});

test("text is compressed for those who take it, and only for them", async () => {
  const zipped = await got("/main.js", { "accept-encoding": "br, gzip" });
  assert.equal(zipped.headers.get("content-encoding"), "gzip");
  const bytes = Buffer.from(await zipped.arrayBuffer());
  assert.equal(Number(zipped.headers.get("content-length")), bytes.length);
  assert.ok(bytes.length < SCRIPT.length / 10);
  assert.equal(gunzipSync(bytes).toString(), SCRIPT);
  for (const accepted of ["", "br", "gzip;q=0"]) {
    const plain = await got("/main.js", { "accept-encoding": accepted });
    assert.equal(plain.headers.get("content-encoding"), null);
    assert.equal(await plain.text(), SCRIPT);
  }
});

test("HEAD is answered with the headers of GET and no body", async () => {
  const response = await get("/main.js", {}, "HEAD");
  assert.equal(response?.headers.get("content-length"), String(SCRIPT.length));
  assert.equal(await response?.text(), "");
});

test("files whose name has their hash are kept for ever, others are asked for again", async () => {
  const chunk = await got("/chunks/page-ABCDEFGH.js");
  assert.match(chunk.headers.get("cache-control") ?? "", /max-age=31536000, immutable/);
  assert.equal((await got("/main.js")).headers.get("cache-control"), "no-cache");
});

test("nothing outside the folder and nothing hidden is sent", async () => {
  const paths = [
    "/../node.key",
    "/..%2fnode.key",
    "/%2e%2e/node.key",
    "/chunks/../../node.key",
    "//node.key",
    "/chunks/..\\..\\node.key",
    "/.hidden",
    "/chunks",
    "/chunks/",
    "/main.js%00",
    "/main.js/",
  ];
  for (const path of paths) assert.equal(await get(path), undefined, path);
});

test("a file that was replaced is sent anew", async () => {
  const file = join(root, "web", "main.js");
  const before = (await got("/main.js")).headers.get("etag");
  writeFileSync(file, "export {};\n");
  utimesSync(file, 1, 1);
  const after = await got("/main.js");
  assert.notEqual(after.headers.get("etag"), before);
  assert.equal(await after.text(), "export {};\n");
  writeFileSync(file, SCRIPT);
});

test("a large file is streamed, under the policy of its own", async () => {
  const response = await got("/large.bin", { "accept-encoding": "gzip" });
  assert.equal(response.headers.get("content-security-policy"), "default-src 'none'");
  assert.equal(response.headers.get("content-encoding"), null);
  assert.equal((await response.arrayBuffer()).byteLength, LARGE_BYTES);
});

test("the page learns that a node serves it; others may answer further paths", async () => {
  assert.deepEqual(await (await got("/page.json")).json(), { node: true, dev: true });
  assert.equal(await (await got("/desk.txt")).text(), "from the service");
});

test("without a build the browser is told what to do", async () => {
  const bare = createPage({ folder: join(root, "nowhere"), dev: false });
  const response = await bare(new Request("http://127.0.0.1:8545/", { headers: BROWSER }));
  assert.equal(response?.status, 404);
  assert.match((await response?.text()) ?? "", /npm run build/);
});

test("few large files are sent at a time, and their places are free once they are not", async () => {
  const bodies: (ReadableStream | null)[] = [];
  let response = await got("/large.bin");
  for (; response.status === 200; response = await got("/large.bin")) bodies.push(response.body);
  assert.equal(response.status, 503);
  assert.equal(bodies.length, 32);
  assert.equal((await got("/main.js")).status, 200, "others are as ever");
  for (const body of bodies) await body?.cancel();
  while (response.status !== 200) {
    await new Promise((resolve) => setImmediate(resolve));
    response = await got("/large.bin");
  }
  await response.body?.cancel();
});
