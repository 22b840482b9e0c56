/** The contracts of every runtime, on a group of four durable objects in workerd. */
import { devAccounts } from "../../../../runtimes/shared/dev/dev-accounts.ts";
import { contractsContract } from "../../../contract/solidity-contracts.ts";
import { openObjectChain } from "../../../support/edge/object-chain.ts";
import { compileContract } from "../../../support/execution/solidity.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

/** workerd closes a connection after five idle seconds, in which a client here may compile. */
function compileAll(): void {
  compileContract("HelloWorld.sol", "solc04");
  compileContract("Token.sol", "solc05");
  compileContract("Vault.sol", "solc06");
  compileContract("Factory.sol", "solc08");
}

contractsContract("contracts on four durable objects", async () => {
  compileAll();
  const { urls, close } = await openObjectChain(4);
  return { urls, accounts: devAccounts(STANDARD_SUITE), close };
});
