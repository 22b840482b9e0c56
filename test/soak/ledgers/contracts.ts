/** The contracts of test/contracts for the generator that calls by ABI, by five compilers. */
import { compileContract, type CompilerName } from "../../support/execution/solidity.ts";
import type { OracleContract } from "./oracle-process.ts";

const SOURCES: readonly (readonly [CompilerName, readonly string[]])[] = [
  ["solc04", ["HelloWorld.sol", "Old.sol"]],
  ["solc05", ["Token.sol"]],
  ["solc06", ["Vault.sol"]],
  ["solc07", ["Ledger.sol"]],
  ["solc08", ["Business.sol", "Factory.sol", "Mechanics.sol"]],
];

/** Compiles them: a few seconds each. */
export function generatorContracts(): readonly OracleContract[] {
  return SOURCES.flatMap(([compiler, files]) =>
    files.flatMap((file) =>
      Object.entries(compileContract(file, compiler))
        .filter(([, { bytecode }]) => bytecode !== "" && !bytecode.includes("_"))
        .map(([name, { bytecode, abi }]) => ({ name: `${name} ${compiler}`, bytecode, abi })),
    ),
  );
}
