/** Deploys one contract. Source: benchmark 3 */
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import { failureOf } from "../../../shared/benchmark/receipt-watch.ts";
import type { TransactionMaker } from "../../../shared/benchmark/signing.ts";
import type { Chain } from "./chain.ts";
import type { Lane } from "./lane.ts";

/** The part of a chain that is needed for it. */
export interface DeployPlace extends Pick<Chain, "groupId" | "request"> {
  pick(): Pick<Lane, "submit">;
}

/** A receipt is in the ledger of one node before it is in that of another. */
const LOOKS = 50;
const LOOK_MS = 100;

async function addressOf(chain: DeployPlace, hash: string): Promise<string> {
  for (let look = 0; look < LOOKS; look++) {
    const call = { method: "getTransactionReceipt", params: [chain.groupId, hash] };
    const receipt = (await chain.request(call)) as { readonly contractAddress: string } | null;
    if (receipt !== null) return receipt.contractAddress;
    await new Promise((resume) => setTimeout(resume, LOOK_MS));
  }
  throw new BenchmarkFault("engine", `no node has the receipt of ${hash}`);
}

/**
 * The address of a new contract.
 * @param input code with encoded arguments behind it
 * @throws BenchmarkFault `engine` with the status of the receipt; NodeFault, TransportFault
 */
export async function deploy(
  chain: DeployPlace,
  input: Uint8Array,
  maker: TransactionMaker,
): Promise<string> {
  const params = [chain.groupId];
  const height = Number(await chain.request({ method: "getBlockNumber", params }));
  const transaction = maker.make(null, input, height);
  const failure = failureOf(await chain.pick().submit(transaction));
  if (failure === undefined) return await addressOf(chain, transaction.hash);
  throw new BenchmarkFault("engine", `the deployment failed: ${failure}`);
}
