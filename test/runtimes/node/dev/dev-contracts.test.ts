/** Contracts on `chain-node dev`. */
import assert from "node:assert/strict";
import { contractsContract } from "../../../contract/solidity-contracts.ts";
import { endLeftovers, startDev, stop } from "../../../support/process/dev-chain-process.ts";

contractsContract("contracts on chain-node dev", async () => {
  const chain = await startDev(4, "--ephemeral", "--block-time", "50");
  return {
    urls: chain.ready.rpc,
    accounts: chain.ready.accounts,
    async close() {
      const { code } = await stop(chain);
      endLeftovers();
      assert.equal(code, 0);
    },
  };
});
