/**
 * The compilers next to a node: what is served of them, and what is reported when they are absent.
 */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import {
  COMPILER_POLICIES,
  createCompilerService,
} from "../../../../runtimes/node/server/compilers.ts";
import type { PageAnswer } from "../../../../runtimes/node/server/page.ts";

const LICENCE = "licences/gpl.txt";

function textOf(answer: PageAnswer | undefined): string {
  assert.ok(answer && "text" in answer);
  return answer.text;
}

interface Listed {
  readonly compilers: readonly {
    readonly version: string;
    readonly installed: boolean;
    readonly bytes: number;
    readonly install: string;
  }[];
}

function listOf(origin: string): Listed["compilers"] {
  const service = createCompilerService({ origin, licenceFile: LICENCE });
  return (JSON.parse(textOf(service("/compilers/index.json"))) as Listed).compilers;
}

test("each installed compiler is served with its licence and a notice", () => {
  const service = createCompilerService({ origin: import.meta.url, licenceFile: LICENCE });
  const list = listOf(import.meta.url);
  assert.deepEqual(
    list.map(({ version, installed }) => [version, installed]),
    ["0.4.25", "0.5.2", "0.6.10", "0.7.6", "0.8.11"].map((version) => [version, true]),
  );
  for (const { version, bytes } of list) {
    assert.ok(bytes > 5_000_000, version);
    const script = service(`/compilers/${version}/soljson.js`);
    assert.ok(script && "file" in script && script.isImmutable);
    assert.match(script.contentType, /^text\/javascript/);
    const licence = service(`/compilers/${version}/LICENSE`);
    assert.ok(licence && "file" in licence && licence.file === LICENCE);
    const notice = textOf(service(`/compilers/${version}/NOTICE`));
    assert.match(notice, /unmodified/);
    assert.match(notice, /GNU General Public License/);
    assert.ok(notice.includes(`https://github.com/ethereum/solidity/tree/v${version}`));
  }
});

test("what is not installed is listed with the command that installs it", () => {
  const nowhere = join(tmpdir(), "no-such-folder", "package.json");
  assert.deepEqual(
    listOf(nowhere).map(({ installed, bytes, install }) => ({ installed, bytes, install }))[4],
    { installed: false, bytes: 0, install: "npm install solc08@npm:solc@0.8.11" },
  );
  const service = createCompilerService({ origin: nowhere, licenceFile: LICENCE });
  assert.equal(service("/compilers/0.8.11/soljson.js"), undefined);
});

test("nothing else of the packages can be asked for", () => {
  const service = createCompilerService({ origin: import.meta.url, licenceFile: LICENCE });
  for (const path of [
    "/",
    "/compilers/",
    "/compilers/0.8.11/",
    "/compilers/0.8.11/package.json",
    "/compilers/0.8.11/../0.8.11/soljson.js",
    "/compilers/0.9.0/soljson.js",
    "/other/0.8.11/soljson.js",
  ]) {
    assert.equal(service(path), undefined, path);
  }
});

test("what builds functions from text reaches nothing, and has no origin in a frame", () => {
  for (const [path, policy] of COMPILER_POLICIES) {
    assert.match(policy, /^default-src 'none'; script-src /, path);
    assert.doesNotMatch(policy, /connect-src/, path);
  }
  assert.match(COMPILER_POLICIES.get("/compiler-frame.html") ?? "", /; sandbox allow-scripts;/);
});
