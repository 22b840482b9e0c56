/** Where the ABI of a contract comes from. Source: console 4.3 */
import type { AbiList } from "../../../../core/client/abi-list.ts";
import type { Hex } from "../../../../core/client/rpc-objects.ts";
import { requireAddress } from "../arguments.ts";
import type { Session } from "../session.ts";
import type { CallPlace } from "./call-contract.ts";
import { compileFile, mainContract } from "./compile.ts";
import { contractNameOf, findContract } from "./contract-file.ts";
import { compileContext } from "./deploy-contract.ts";
import { keptAbi, latestAddress } from "./deployed.ts";

/** The ABI that the source of a contract has. @throws ConsoleFault */
export async function sourceAbi(session: Session, contract: string): Promise<AbiList> {
  const file = await findContract(session.folder, contract);
  const compiled = await compileFile(file, await compileContext(session));
  return mainContract(file, compiled).abi;
}

/** The address that a word means: itself, or that of the last deployment. @throws ConsoleFault */
export async function meantAddress(session: Session, contract: string, word: string): Promise<Hex> {
  return word === "latest" ? await latestAddress(session, contract) : requireAddress(word);
}

/**
 * A contract at an address, with the ABI that was kept when it was deployed from here, else that of
 * its source.
 * @throws ConsoleFault with exit code 2 when there is neither
 */
export async function knownContract(
  session: Session,
  contract: string,
  word: string,
): Promise<CallPlace> {
  const address = await meantAddress(session, contract, word);
  const kept = await keptAbi(session, contractNameOf(contract), address);
  return { address, abi: kept ?? (await sourceAbi(session, contract)) };
}
