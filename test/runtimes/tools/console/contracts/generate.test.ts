/** Bindings of contracts, and whether they have the types that they claim. Source: console 7 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, test } from "vitest";
import { ConsoleFault, EXIT } from "../../../../../runtimes/tools/console/command.ts";
import { COMMANDS } from "../../../../../runtimes/tools/console/commands/all.ts";
import { readLine, runInvocation } from "../../../../../runtimes/tools/console/run-line.ts";
import { compiledIn } from "../../../../support/console/console-chain.ts";
import { keepAnswers, lendAnswers } from "../../../../support/runner/kept-answers.ts";
import { posedSession } from "../../../../support/console/posed-session.ts";
import { ROOT } from "../../../../support/runner/root.ts";

const VAULT = `pragma solidity ^0.8.0;
library LibSum {
  function sum(uint256 a, uint256 b) public pure returns (uint256) { return a + b; }
}
interface Owned { function owner() external view returns (address); }
contract Vault {
  struct Entry { string name; uint256 amount; }
  event Kept(address indexed who, uint256 amount);
  Entry[] entries;
  constructor(string memory first, uint256 amount) { entries.push(Entry(first, amount)); }
  function all() public view returns (Entry[] memory) { return entries; }
  function keep(Entry memory entry) public returns (bool) {
    entries.push(entry);
    emit Kept(msg.sender, LibSum.sum(entry.amount, 0));
    return true;
  }
}
`;
const PLAIN = `pragma solidity ^0.4.24;
contract Plain { function get() public pure returns (string memory) { return "x"; } }
`;
/** Uses what was written. */
const GOOD = `
import type { Client } from "chain-node/client";
import { deployVault, vaultAt } from "./Vault.ts";
import { deployPlain } from "./Plain.ts";
export async function use(client: Client): Promise<string> {
  const { contract } = await deployVault(client, { args: ["x", 5n] });
  const vault = vaultAt(client, contract.address);
  const kept = await vault.send.keep([{ name: "a", amount: 2n }]);
  const isKept: boolean = kept.result;
  const [first] = await vault.call.all();
  const { contract: plain } = await deployPlain(client);
  const text: string = await plain.call.get();
  return \`\${isKept} \${first?.name} \${text}\`;
}
`;
/** Three lines that the types refuse. */
const BAD = `
import type { Client } from "chain-node/client";
import { deployVault, vaultAt } from "./Vault.ts";
export async function misuse(client: Client): Promise<void> {
  await deployVault(client, { args: [5n, "x"] });
  const vault = vaultAt(client, "0x");
  await vault.send.keep([{ name: "a" }]);
  await vault.call.none();
}
`;
const ADDRESS = `0x${"c0".repeat(20)}`;

let folder = "";
beforeAll(async () => {
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  // Below the repository, so that the compiler of TypeScript finds what the client imports.
  const cache = join(ROOT, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "sol2ts-"));
  await mkdir(join(folder, "contracts/solidity"), { recursive: true });
  await writeFile(join(folder, "contracts/solidity/Vault.sol"), VAULT);
  await writeFile(join(folder, "contracts/solidity/Plain.sol"), PLAIN);
  await writeFile(join(folder, "contracts/solidity/LibOther.sol"), "no Solidity");
  await lendAnswers(compiledIn(folder));
});
afterAll(async () => {
  await keepAnswers(compiledIn(folder));
  await rm(folder, { recursive: true });
});

async function run(line: string) {
  const posed = posedSession({ folder });
  const outcome = await runInvocation(posed, readLine(line, COMMANDS));
  return { outcome, lines: posed.lines };
}

/** Places of errors, `bad.ts:4`, in modules next to the bindings. */
async function errorsOf(modules: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const beside = join(folder, "contracts/sdk/ts");
  for (const [name, text] of Object.entries(modules)) await writeFile(join(beside, name), text);
  const files = Object.keys(modules).map((name) => join(beside, name));
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    // Without the names of browsers, long to read: what the client says of them is not asked for.
    lib: ["lib.es2023.d.ts"],
    types: [],
    paths: { "chain-node/client": [join(ROOT, "runtimes/shared/client/client.ts")] },
  };
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  const program = ts.createProgram(files, options, host);
  // What the client itself consists of is checked with the rest of the repository.
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  const told = [
    ...program.getOptionsDiagnostics(),
    ...own.flatMap((it) => program.getSyntacticDiagnostics(it)),
    ...own.flatMap((it) => program.getSemanticDiagnostics(it)),
  ];
  assert.ok(own.length > files.length, "the bindings are among them");
  const places = told.map(({ file, start = 0 }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line;
    return `${basename(file?.fileName ?? "")}:${line}`;
  });
  return [...new Set(places)];
}

describe("sol2ts", () => {
  test("a library without an address is asked for, and nothing is written", async () => {
    await assert.rejects(run("sol2ts"), (fault) => {
      assert.ok(fault instanceof ConsoleFault && fault.exitCode === EXIT.usage);
      return /Vault needs the library LibSum: .*-l LibSum:0x<address>$/.test(fault.message);
    });
    await assert.rejects(readdir(join(folder, "contracts/sdk")));
  });

  test("ABI, code and module of every contract, for the typed client", async () => {
    const { outcome } = await run(`sol2ts -l LibSum:${ADDRESS}`);
    assert.deepEqual(outcome.text.split("\n").sort(), [
      ...["LibSum", "Owned", "Plain", "Vault"].map((name) => `contracts/sdk/abi/${name}.abi`),
      ...["LibSum", "Plain", "Vault"].map((name) => `contracts/sdk/bin/${name}.bin`),
      ...["LibSum", "Owned", "Plain", "Vault"].map((name) => `contracts/sdk/ts/${name}.ts`),
    ]);
    const code = await readFile(join(folder, "contracts/sdk/bin/Vault.bin"), "utf8");
    assert.ok(code.startsWith("60") && code.includes("c0".repeat(20)));
    const abi = JSON.parse(await readFile(join(folder, "contracts/sdk/abi/Vault.abi"), "utf8"));
    assert.equal(abi.length, 4);
    const errors = await errorsOf({ "good.ts": GOOD, "bad.ts": BAD });
    assert.deepEqual(errors, ["bad.ts:4", "bad.ts:6", "bad.ts:7"]);
  });

  test("one source, to another folder; what is not there", async () => {
    const source = join(folder, "contracts/solidity/Plain.sol");
    const { outcome } = await run(`sol2ts -s ${source} -o ${join(folder, "out")}`);
    assert.equal(outcome.text, "out/abi/Plain.abi\nout/bin/Plain.bin\nout/ts/Plain.ts");
    const gone = (fault: unknown): boolean =>
      fault instanceof ConsoleFault && /\/gone does not exist/.test(fault.message);
    await assert.rejects(run(`sol2ts -s ${join(folder, "gone")}`), gone);
    const none = (fault: unknown): boolean =>
      fault instanceof ConsoleFault && /has no \.sol files/.test(fault.message);
    await assert.rejects(run(`sol2ts -s ${join(folder, "out")}`), none);
  });

  test("sol2java says what it does not do, and does the rest", async () => {
    const source = join(folder, "contracts/solidity/Plain.sol");
    const { outcome, lines } = await run(`sol2java -p org.example -s ${source}`);
    assert.match(lines.join(), /^Java classes are out of scope/);
    assert.match(outcome.text, /contracts\/sdk\/ts\/Plain\.ts/);
  });
});
