/**
 * Whose hash makes the selectors of a contract: on chains of the national suite there are contracts
 * of compilers for SM3, and those of the compilers here, which know Keccak-256 only.
 */
import { itemsOf, signatureOf } from "../../../../core/client/abi-item.ts";
import type { AbiItem, AbiList } from "../../../../core/client/abi-list.ts";
import { UsageFault } from "../../../../core/client/client-fault.ts";
import type { Hex } from "../../../../core/client/rpc-objects.ts";
import { selectorOf } from "../../../../core/abi/encode.ts";
import { toHex } from "../../../../core/bytes/hex.ts";
import type { HashFunction } from "../../../../core/crypto/merkle.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import type { Session } from "../session.ts";

/** Hash of the compilers that are installed. */
export function compilerHash(): HashFunction {
  return createStandardSuite().hash;
}

/** The instruction that pushes a selector. */
const PUSH4 = "63";

function isInCode(code: string, item: AbiItem, hash: HashFunction): boolean {
  try {
    return code.includes(`${PUSH4}${toHex(selectorOf(signatureOf(item), hash))}`);
  } catch (cause) {
    // ABIs of libraries have types that only compilers know.
    if (cause instanceof UsageFault) return false;
    throw cause;
  }
}

/** The hash by which the code of a contract distinguishes its functions. */
export async function selectorHash(
  session: Session,
  { abi, address }: { readonly abi: AbiList; readonly address: Hex },
): Promise<HashFunction> {
  const { suite } = await session.chain();
  if (suite.name === "standard") return suite.hash;
  const code = await session.query("getCode", [session.groupId, address]);
  const keccak = compilerHash();
  const functions = itemsOf(abi, "function");
  const isOfCompiler = functions.some((item) => isInCode(code, item, keccak));
  const isOfChain = functions.some((item) => isInCode(code, item, suite.hash));
  return isOfCompiler && !isOfChain ? keccak : suite.hash;
}
