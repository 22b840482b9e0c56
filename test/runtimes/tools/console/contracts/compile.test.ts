/** Contracts compiled in place. Source: console 4.3 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { ConsoleFault, EXIT } from "../../../../../runtimes/tools/console/command.ts";
import { chooseCompiler } from "../../../../../runtimes/tools/console/contracts/choose-compiler.ts";
import {
  type CompileContext,
  compileFile,
  linkedContract,
  mainContract,
} from "../../../../../runtimes/tools/console/contracts/compile.ts";
import {
  contractNameOf,
  findContract,
} from "../../../../../runtimes/tools/console/contracts/contract-file.ts";
import { readClosure } from "../../../../../runtimes/tools/console/contracts/source-closure.ts";
import { ROOT } from "../../../../support/runner/root.ts";
import { TAKES_ALL_CASES } from "../../../../support/runner/cases.ts";

let folder = "";
const lines: string[] = [];
beforeAll(async () => {
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  folder = await mkdtemp(join(tmpdir(), "console-"));
});
afterAll(() => rm(folder, { recursive: true }));

function context(more: Partial<CompileContext> = {}): CompileContext {
  const { signal } = new AbortController();
  const progress = (line: string): void => void lines.push(line);
  return { folder, supportedVersion: "2.11.1", signal, progress, ...more };
}

async function write(path: string, ...text: readonly string[]): Promise<string> {
  const file = join(folder, "contracts/solidity", path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text.join("\n"));
  return file;
}

async function compile(name: string, more: Partial<CompileContext> = {}) {
  const file = await findContract(folder, name);
  return { file, compiled: await compileFile(file, context(more)) };
}

function refusal(message: RegExp, exitCode: number): (fault: unknown) => boolean {
  return (fault) => {
    assert.ok(fault instanceof ConsoleFault, String(fault));
    assert.match(fault.message, message);
    return fault.exitCode === exitCode;
  };
}

describe("files", () => {
  test("by name with or without suffix, by path, and not at all", async () => {
    const path = await write("Plain.sol", "contract Plain {}");
    assert.deepEqual(await findContract(folder, "Plain"), { name: "Plain", path });
    assert.deepEqual(await findContract(folder, "Plain.sol"), { name: "Plain", path });
    assert.deepEqual(await findContract(folder, path), { name: "Plain", path });
    const relative = "contracts/solidity/Plain.sol";
    assert.deepEqual(await findContract(folder, relative), { name: "Plain", path });
    const missing = refusal(/^Nothing does not exist: looked for .*Nothing\.sol\.$/, EXIT.usage);
    await assert.rejects(findContract(folder, "Nothing"), missing);
    await assert.rejects(findContract(folder, "~/no/Nothing"), refusal(/no\/Nothing\.sol/, 2));
    assert.equal(contractNameOf("~/a/B.sol"), "B");
  });

  test("imports next to the file, above it, of its folder and of the console's", async () => {
    const entry = await write("deep/er/Entry.sol", 'import "./A.sol";', 'import "B.sol";');
    await write("deep/er/A.sol", 'import "../C.sol";', 'import "Shared.sol";');
    await write("deep/er/B.sol", "contract B {}");
    await write("deep/C.sol", "contract C {}");
    await write("Shared.sol", 'import "./Plain.sol";');
    const libraries = join(folder, "contracts/solidity");
    const { sources, entry: name } = await readClosure(entry, libraries);
    assert.equal(name, "er/Entry.sol");
    const names = ["B.sol", "C.sol", "Plain.sol", "Shared.sol", "er/A.sol", "er/Entry.sol"];
    assert.deepEqual([...sources.keys()].sort(), names);
  });
});

describe("compilers", () => {
  const places = [
    { alias: "solc04", version: "0.4.25", file: "a" },
    { alias: "solc05", version: "0.5.2", file: undefined },
    { alias: "solc08", version: "0.8.11", file: "c" },
  ];
  const choose = (...texts: readonly string[]) =>
    chooseCompiler(new Map(texts.map((text, i) => [`${i}.sol`, text])), places).version;

  test("the newest that all pragmas admit, and 0.4.25 without any", () => {
    assert.equal(choose("pragma solidity >=0.4.0 <0.9.0;"), "0.8.11");
    assert.equal(choose("pragma solidity >=0.4.0 <0.9.0;", "pragma solidity ^0.4.24;"), "0.4.25");
    assert.equal(choose("contract A {}"), "0.4.25");
  });

  test("one that is not installed, one that is not offered, one of PUSH0", () => {
    const install = refusal(/0\.5\.2 is not installed.*npm install solc05@npm:solc@0\.5\.2/, 1);
    assert.throws(() => choose("pragma solidity ^0.5.0;"), install);
    assert.throws(() => choose("pragma solidity ^0.9.0;"), refusal(/not offered.*\^0\.8\.11/, 1));
    assert.throws(() => choose("pragma solidity ^0.8.20;"), refusal(/emit PUSH0/, 1));
  });
});

/** Which one is chosen is seen above; the others compile in tests of contracts. */
const MINORS = TAKES_ALL_CASES ? [4, 5, 6, 7, 8] : [4, 8];

describe("compilations", () => {
  test("each pragma has its compiler; progress is told once, then the answer is kept", async () => {
    lines.length = 0;
    for (const [minor, name] of MINORS.map((it) => [it, `Version${it}`] as const)) {
      await write(`${name}.sol`, `pragma solidity ^0.${minor}.0;`, `contract ${name} {}`);
      const { file, compiled } = await compile(name);
      assert.match(compiled.compiler, new RegExp(`^0\\.${minor}\\.`));
      const { code } = linkedContract(mainContract(file, compiled), new Map());
      assert.match(code, /^60[48]060/);
    }
    assert.deepEqual(lines.length, MINORS.length);
    assert.match(lines[0] ?? "", /^Compiling Version4 with Solidity 0\.4\.25 \.\.\.$/);
    await compile("Version8");
    assert.equal(lines.length, MINORS.length);
  });

  test("of many answers the oldest are forgotten", async () => {
    const cache = join(folder, "contracts/.compiled/sources");
    for (let i = 0; i < 205; i++) {
      await writeFile(join(cache, `old-${i}.json`), "");
      await utimes(join(cache, `old-${i}.json`), i, i);
    }
    await compile("Version8");
    const names = await readdir(cache);
    assert.equal(names.length, 200);
    assert.ok(!names.includes("old-0.json") && names.includes("old-204.json"));
  });

  test("what the compiler says has file, line and column", async () => {
    await write("Wrong.sol", "pragma solidity ^0.8.0;", "contract Wrong {", "  uint x = y;", "}");
    const said = /Wrong\.sol does not compile with Solidity 0\.8\.11:\nWrong\.sol:3:12: Undeclared/;
    await assert.rejects(compile("Wrong"), refusal(said, EXIT.failed));
    if (!TAKES_ALL_CASES) return;
    await write("Lost.sol", "pragma solidity ^0.8.0;", 'import "./Gone.sol";');
    await assert.rejects(
      compile("Lost"),
      refusal(/Lost\.sol:2:1: Source "Gone\.sol" not found/, 1),
    );
  });

  test("the contract has the file's name, and code; libraries get their addresses", async () => {
    await write(
      "Named.sol",
      "pragma solidity ^0.8.0;",
      "library LibSum { function sum(uint a, uint) public pure returns (uint) { return a; } }",
      "contract Linked { function f() public pure returns (uint) { return LibSum.sum(1, 2); } }",
      "interface Face { function f() external; }",
    );
    const { file, compiled } = await compile("Named");
    const named = refusal(/has no contract Named, only Face, LibSum, Linked: /, EXIT.usage);
    assert.throws(() => mainContract(file, compiled), named);
    const of = (name: string) => mainContract({ ...file, name }, compiled);
    const abstract = refusal(/Face is abstract or an interface/, EXIT.usage);
    assert.throws(() => linkedContract(of("Face"), new Map()), abstract);
    const contract = of("Linked");
    const asked = refusal(/needs the library LibSum: .* -l LibSum:0x<address>$/, EXIT.usage);
    assert.throws(() => linkedContract(contract, new Map()), asked);
    const address = "c0".repeat(20);
    const libraries = new Map([["LibSum", `0x${address}`]]);
    assert.ok(linkedContract(contract, libraries).code.includes(address));
    const more = new Map([...libraries, ["LibNo", `0x${address}`]]);
    const unknown = refusal(/Linked uses no library LibNo/, EXIT.usage);
    assert.throws(() => linkedContract(contract, more), unknown);
  });

  test("a compilation that is cancelled ends", async () => {
    await write("Cut.sol", "pragma solidity ^0.8.0;", "contract Cut {}");
    const stop = new AbortController();
    const progress = (): void => stop.abort();
    const cancelled = refusal(/^The compilation was cancelled\.$/, EXIT.failed);
    await assert.rejects(compile("Cut", { signal: stop.signal, progress }), cancelled);
  });
});
