/** Calls of precompiled contracts that give a code back. Source: precompiles 0; console 3 */
import { fromHex } from "../../../core/bytes/hex.ts";
import type { Hex, Receipt } from "../../../core/client/rpc-objects.ts";
import type { Outcome } from "./command.ts";
import { type CodeTold, codeOutcome } from "./print.ts";
import type { Session } from "./session.ts";

/** Addresses of the contracts that commands speak to. Source: precompiles 0 */
export const PRECOMPILED = {
  systemConfig: addressOf("1000"),
  tableFactory: addressOf("1001"),
  crud: addressOf("1002"),
  consensus: addressOf("1003"),
  cns: addressOf("1004"),
  permission: addressOf("1005"),
  contractLifeCycle: addressOf("1007"),
  chainGovernance: addressOf("1008"),
  gasCharge: addressOf("1009"),
} as const;

function addressOf(digits: string): Hex {
  return `0x${digits.padStart(40, "0")}`;
}

const WORD_BYTES = 32;

/** The code in the output of a receipt: one word, read with its sign; 0 when there is none. */
export function codeOf({ output }: Pick<Receipt, "output">): number {
  const bytes = fromHex(output) ?? new Uint8Array(0);
  if (bytes.length < WORD_BYTES) return 0;
  return Number(BigInt.asIntN(256, BigInt(output.slice(0, 2 + 2 * WORD_BYTES))));
}

/** A transaction to a precompiled contract. */
export interface CodeCall {
  readonly to: Hex;
  readonly signature: string;
  readonly args: readonly unknown[];
  readonly hidesHash?: CodeTold["hidesHash"];
}

/**
 * Sends it and tells the code.
 * @throws ConsoleFault for a status other than 0, and for a code below 0
 */
export async function sendForCode(
  session: Session,
  { to, signature, args, hidesHash }: CodeCall,
): Promise<Outcome> {
  const receipt = await session.send(to, signature, args);
  const { transactionHash } = receipt;
  return codeOutcome({
    code: codeOf(receipt),
    transactionHash,
    hidesHash,
    options: session.options,
  });
}
