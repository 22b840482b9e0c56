/** Deploys a contract from its source. Source: console 4.3 */
import { encodeCreation } from "../../../../core/client/abi-item.ts";
import type { AbiList } from "../../../../core/client/abi-list.ts";
import { ReceiptFault } from "../../../../core/client/client-fault.ts";
import { failureReason } from "../../../../core/client/contract-output.ts";
import type { Hex, Receipt } from "../../../../core/client/rpc-objects.ts";
import { hexBytes } from "../../../../core/bytes/hex.ts";
import { ConsoleFault } from "../command.ts";
import { oneLine } from "../foreign-text.ts";
import type { Session } from "../session.ts";
import { statusNumber, statusText } from "../status-text.ts";
import { constructorValues } from "./choose-function.ts";
import { compileFile, linkedContract, mainContract } from "./compile.ts";
import { findContract } from "./contract-file.ts";
import { keepContract, logDeployment } from "./deployed.ts";
import { compilerHash } from "./selector-hash.ts";

/** What is to be deployed. */
export interface DeployOrder {
  /** Name or path, as it was typed. */
  readonly contract: string;
  readonly args: readonly string[];
  readonly libraries: ReadonlyMap<string, string>;
}

/** What was deployed. */
export interface DeployedNow {
  readonly name: string;
  readonly address: Hex;
  readonly abi: AbiList;
  readonly receipt: Receipt;
}

function deployFault(name: string, abi: AbiList, cause: ReceiptFault): ConsoleFault {
  const { receipt } = cause;
  const code = statusNumber(cause.status);
  const message = failureReason(receipt.output, compilerHash(), abi) ?? statusText(code);
  const { transactionHash } = receipt;
  const text = [
    `transaction hash: ${transactionHash}`,
    `deploy contract for ${name} failed!`,
    `return message: ${oneLine(message)}`,
    `return code:${code}`,
  ].join("\n");
  return new ConsoleFault(message, { code, text, transactionHash, data: receipt, cause });
}

/** A session as compilations see it. */
export async function compileContext(session: Session) {
  const { supportedVersion } = await session.chain();
  const { folder, signal } = session;
  return { folder, supportedVersion, signal, progress: (line: string) => session.progress(line) };
}

/**
 * Compiles and deploys; ABI, code and a line of the log stay in the console folder.
 * @throws ConsoleFault with exit code 2 for arguments that do not fit, before anything is sent;
 *   with the status when the contract refuses
 */
export async function deployContract(
  session: Session,
  { contract, args, libraries }: DeployOrder,
): Promise<DeployedNow> {
  const file = await findContract(session.folder, contract);
  const compiled = await compileFile(file, await compileContext(session));
  const { name, abi, code } = linkedContract(mainContract(file, compiled), libraries);
  const data = encodeCreation(abi, hexBytes(code), constructorValues(abi, args));
  const client = await session.client();
  let receipt: Receipt;
  try {
    receipt = await client.execute({ to: null, data }, { signal: session.signal });
  } catch (cause) {
    if (cause instanceof ReceiptFault) throw deployFault(name, abi, cause);
    throw cause;
  }
  const address = receipt.contractAddress;
  await keepContract(session, { name, address, abi, code });
  await logDeployment(session, name, address);
  return { name, address, abi, receipt };
}
