/**
 * The client as its users have it: its package is installed in a project of its own, where the page
 * about it is compiled and run, and examined by a linter. With all cases npm installs it, or says
 * that it cannot reach its registry; else files are put where npm puts them.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, transform } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, test } from "vitest";
import { greeter } from "../../../../docs/examples/greeter.ts";
import { createDevChain, type DevChain } from "../../../../runtimes/node/dev/dev-chain.ts";
import { endLeftovers, endOf, run } from "../../../support/process/dev-chain-process.ts";
import { installLocked } from "../../../support/process/linked-install.ts";
import { bytesBelow, installByNpm, packedTarball } from "../../../support/process/packed.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { inFull } from "../../../support/runner/in-full.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { compileSource } from "../../../support/execution/solidity.ts";

const NAME = "chain-node-client";
const BUILT = join(ROOT, "dist", NAME);
const MOST_PACKAGES = 10;
const MOST_MB = 5;
const MB = 1_000_000;
/** The manifest of an installed package. */
const MANIFEST = /(?:^|[/\\])node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+[/\\]package\.json$/;
const PAGES = ["docs/client.md", "docs/client.zh.md"];
const FENCE = /^(?<skipped><!-- not run.*-->\n\n)?```ts\n(?<text>[\s\S]*?)^```$/gm;

interface Block {
  readonly text: string;
  readonly isRun: boolean;
}

/** The programs of a page. */
function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(FENCE)].map(({ groups }) => ({
    text: groups?.["text"] ?? "",
    isRun: groups?.["skipped"] === undefined,
  }));
}

const BLOCKS = blocksOf("docs/client.md");
/** One program of all blocks that are run. */
const PROGRAM = BLOCKS.filter(({ isRun }) => isRun)
  .map(({ text }) => text)
  .join("\n");
const SHOWN = BLOCKS.filter(({ isRun }) => !isRun);

let home: string;
let chain: DevChain;
let tarball: string;
/** The packages that came, and their bytes. */
let installed: { readonly packages: readonly string[]; readonly bytes: number };

/** Installs the package of the client, and nothing else. */
async function install(): Promise<void> {
  tarball = await packedTarball(BUILT);
  const warnings = TAKES_ALL_CASES ? await installByNpm(home, tarball) : undefined;
  if (warnings === undefined) installLocked(home, tarball, NAME);
  else assert.doesNotMatch(warnings, /EBADENGINE/);
  const modules = join(home, "node_modules");
  const files = readdirSync(home, { recursive: true }).map(String);
  installed = {
    packages: files.filter((file) => MANIFEST.test(file)).sort(),
    bytes: bytesBelow(modules),
  };
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-client-user-"));
  await writeFile(join(home, "package.json"), '{ "type": "module", "private": true }\n');
  await install();
  // The node's package has the same exports below its own name.
  await symlink(ROOT, join(home, "node_modules", "chain-node"));
  await copyFile(join(ROOT, "docs/examples/greeter.ts"), join(home, "greeter.ts"));
  await writeFile(join(home, "wrong.ts"), WRONG);
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  chain = await createDevChain({ nodes: 1, blockTimeMs: 20, channel: true });
});

afterAll(async () => {
  await chain?.close();
  endLeftovers();
  await rm(home, { recursive: true, force: true });
});

test("the client is few packages and small", () => {
  const { packages, bytes } = installed;
  console.log(`client: ${packages.length} packages, ${(bytes / MB).toFixed(1)} MB`);
  assert.ok(packages.includes(join("node_modules", NAME, "package.json")), packages.join());
  assert.ok(packages.length <= MOST_PACKAGES, packages.join("\n"));
  assert.ok(bytes <= MOST_MB * MB, `${bytes}`);
});

/** A file of the installed package. */
function own(...path: readonly string[]): string {
  return join(home, "node_modules", NAME, ...path);
}

test("the package names what it took in and has no link to what it lacks", () => {
  const licences = readFileSync(own("THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const name of ["curves", "hashes"])
    assert.match(licences, new RegExp(`^@noble/${name} [\\d.]+ \\(MIT\\)\\n\\n.*MIT License`, "m"));
  for (const page of ["README.md", "README.zh.md"])
    for (const [, link = ""] of readFileSync(own(page), "utf8").matchAll(
      /\]\((?!https?:|#)([^)#]+)/g,
    ))
      readFileSync(own(link));
});

test("both entries have one set of classes, and the names of the node's package", async () => {
  const load = async (path: string) =>
    (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  const [client, node] = [await load(own("client.js")), await load(own("node.js"))];
  const same = {
    client: join(ROOT, "dist/client/client.js"),
    node: join(ROOT, "dist/node/client.js"),
  };
  assert.deepEqual(Object.keys(client), Object.keys(await load(same.client)));
  assert.deepEqual(Object.keys(node), Object.keys(await load(same.node)));
  const accountFromPem = node["accountFromPem"] as (text: string) => unknown;
  const { UsageFault } = client as { readonly UsageFault: new () => Error };
  assert.throws(() => accountFromPem("no key"), UsageFault);
});

test("a bundler takes the client for a browser, and nothing of Node with it", async () => {
  const { errors } = await build({
    entryPoints: [own("client.js")],
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false,
    logLevel: "silent",
  });
  assert.deepEqual(errors, []);
});

test("the Chinese page has the programs of the English one", () => {
  const [english = [], chinese = []] = PAGES.map(blocksOf);
  const code = (blocks: readonly Block[]) =>
    blocks.map(({ text }) => text.replaceAll(/\s*\/\/.*$/gm, ""));
  assert.deepEqual(code(chinese), code(english));
});

test("the example's contract is what its source compiles to", () => {
  const source = readFileSync(join(ROOT, "docs/examples/greeter.sol"), "utf8");
  const { Greeter } = compileSource(source, "solc08");
  assert.equal(greeter.bytecode, `0x${Greeter?.bytecode}`);
  assert.deepEqual(greeter.abi, Greeter?.abi);
});

/** What must not compile: it is known to have types then. */
const WRONG = `
import { createClient, httpTransport } from "chain-node-client";
import { accountFromPem, channelTransport } from "chain-node-client/node";
import { greeter } from "./greeter.ts";
const client = createClient({ transport: httpTransport("http://127.0.0.1:1") });
const { contract } = await client.deploy({ ...greeter, args: ["hello"] });
// @ts-expect-error a number is no text
await contract.send.greet([1]);
// @ts-expect-error the constructor wants a text
await client.deploy({ ...greeter, args: [1] });
// @ts-expect-error a number of times is a big integer
const times: number = await contract.call.visits([contract.address]);
// @ts-expect-error a quantity is text
const height: number = await client.getBlockNumber();
// @ts-expect-error the certificates are missing
channelTransport({ host: "127.0.0.1", port: 20200 });
// @ts-expect-error there is no such suite
accountFromPem("", "other");
export { height, times };
`;

const STRICT = {
  strict: true,
  // Types that do not resolve would be any, and nothing in wrong.ts would be wrong then.
  skipLibCheck: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: "es2022",
  noEmit: true,
  allowImportingTsExtensions: true,
};

async function compile(config: string): Promise<void> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { code, stdout } = await endOf(run(process.execPath, [tsc, "-p", config]));
  assert.equal(code, 0, stdout);
}

// Against the types that the build has declared, as the installed package has them. This and the
// next two wait for processes and files, side by side.
test.concurrent("the programs of the page compile in a project of a user", async () => {
  await writeFile(join(home, "page.ts"), PROGRAM);
  for (const [i, { text }] of SHOWN.entries()) await writeFile(join(home, `shown${i}.ts`), text);
  await writeFile(join(home, "wrong-too.ts"), WRONG.replaceAll(NAME, "chain-node/client"));
  const options = {
    ...STRICT,
    module: "nodenext",
    typeRoots: [join(ROOT, "node_modules/@types")],
    types: ["node"],
  };
  const config = { compilerOptions: options, include: ["*.ts"] };
  await writeFile(join(home, "tsconfig.json"), JSON.stringify(config));
  await compile(home);
});

// Nor does anything in the declarations fail, though nothing of Node is declared here.
// The same types are used in the test above, by the other way to find modules.
inFull("the types are there for a bundler too", async () => {
  const file = join(home, "for-a-bundler.json");
  const bundler = { module: "esnext", moduleResolution: "bundler", types: [], skipLibCheck: false };
  const config = { compilerOptions: { ...STRICT, ...bundler }, files: ["wrong.ts"] };
  await writeFile(file, JSON.stringify(config));
  await compile(file);
});

test.concurrent("the program of the page runs against a chain and prints what it says", async () => {
  const text = PROGRAM.replaceAll("http://127.0.0.1:8545", chain.rpcUrl);
  for (const [name, source] of [
    ["page", text],
    ["greeter", readFileSync(join(home, "greeter.ts"), "utf8")],
  ] as const) {
    const { code } = await transform(source.replaceAll("./greeter.ts", "./greeter.mjs"), {
      loader: "ts",
    });
    await writeFile(join(home, `${name}.mjs`), code);
  }
  const ended = await endOf(run(process.execPath, [join(home, "page.mjs")]));
  assert.deepEqual([ended.code, ended.stderr], [0, ""]);
  const lines = ended.stdout.trimEnd().split("\n");
  assert.equal(lines[0], "0x0");
  assert.match(lines[1] ?? "", /^0x[0-9a-f]{64} 0$/);
  assert.match(lines[2] ?? "", /^0x[0-9a-f]{40} 1$/);
  assert.deepEqual(lines.slice(3, 7), [
    "hello",
    "1n good morning",
    "good morning 1n",
    "good morning",
  ]);
  assert.match(lines[7] ?? "", /^RevertInstruction say something \d+$/);
  assert.deepEqual(lines.slice(8, 11), ["0x0 2n", "true", "asked: getSealerList"]);
  assert.match(lines.at(-3) ?? "", /^0x0 0x[0-9a-f]{40} \d+$/);
  assert.match(lines.at(-2) ?? "", /^1 0x0 \d+$/);
  assert.equal(lines.at(-1), "true");
});

// What the packages hold is examined above and in cli/tarball.test.ts.
inFull("a linter of packages finds nothing", async () => {
  const content = Uint8Array.from(readFileSync(tarball)).buffer;
  for (const place of [{ pkgDir: ROOT, pack: false }, { pack: { tarball: content } }] as const) {
    const { messages, pkg } = await publint({ strict: true, ...place });
    const words = messages.map((message) => formatMessage(message, pkg, { color: false }));
    // A package in itself, which goes into no tarball of the other one.
    const others = words.filter((each) => !each?.startsWith(`./dist/${NAME}/package.json`));
    assert.deepEqual(others, []);
  }
});
