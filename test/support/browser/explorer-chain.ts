/** A dev chain with something to see: a contract, calls of it, one that failed. */
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { greeter } from "../../../docs/examples/greeter.ts";
import type { DevChain, DevChainOptions } from "../../../runtimes/node/dev/dev-chain.ts";
import {
  accountFromPrivateKey,
  createClient,
  httpTransport,
  nationalSuite,
  ReceiptFault,
  standardSuite,
} from "../../../runtimes/shared/client/client.ts";
import { ROOT } from "../runner/root.ts";

/** Starts the built dev chain: a node of it serves the built page. */
export async function startBuiltChain(options: DevChainOptions): Promise<DevChain> {
  const file = pathToFileURL(join(ROOT, "dist", "node", "dev-chain.js")).href;
  const built = (await import(file)) as {
    createDevChain: (options: DevChainOptions) => Promise<DevChain>;
  };
  return await built.createDevChain(options);
}

/** A client with the first account of the chain. */
export function clientOf({ accounts, rpcUrl }: DevChain, isNational: boolean) {
  const suite = isNational ? nationalSuite : standardSuite;
  const account = accountFromPrivateKey(accounts[0]?.privateKey ?? "", suite);
  const selectorSuite = standardSuite;
  return createClient({ transport: httpTransport(rpcUrl), suite, account, selectorSuite });
}

/** What happened on the chain. */
export interface Seen {
  readonly address: string;
  /** Hashes of transactions. */
  readonly deployed: string;
  readonly greeted: string;
  readonly reverted: string;
  readonly blocks: number;
}

/** Deploys the greeter of the documentation, greets, and fails once. */
export async function makeHistory(chain: DevChain, isNational = false): Promise<Seen> {
  const client = clientOf(chain, isNational);
  const { contract, receipt } = await client.deploy({ ...greeter, args: ["hello"] });
  const { receipt: greeted } = await contract.send.greet(["good morning"]);
  const failed = await contract.send.greet([""]).catch((cause: unknown) => cause);
  if (!(failed instanceof ReceiptFault)) throw failed;
  return {
    address: receipt.contractAddress,
    deployed: receipt.transactionHash,
    greeted: greeted.transactionHash,
    reverted: failed.receipt.transactionHash,
    blocks: Number(await client.getBlockNumber()),
  };
}

/** The contract's ABI as somebody pastes it. */
const GREETER_ABI = JSON.stringify(greeter.abi);

/** Gives the page of the contract its ABI, as a user does. */
export async function teachAbi(page: Page, base: string, seen: Seen): Promise<void> {
  await page.goto(`${base}/#/explorer/1/address/${seen.address}`);
  await page.getByRole("button", { name: "Add the ABI" }).click();
  await page.getByLabel("Name for this contract").fill("My greeter");
  await page.getByLabel(/ABI, as the compiler/).fill(GREETER_ABI);
  await page.getByRole("button", { name: "Keep the ABI" }).click();
  await page.getByRole("heading", { level: 1, name: "My greeter" }).waitFor();
}
