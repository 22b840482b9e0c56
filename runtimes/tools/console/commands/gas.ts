/** Gas that accounts have left, and who may charge it. Source: console 4.10 */
import { fromHex } from "../../../../core/bytes/hex.ts";
import { decodeAbi } from "../../../../core/abi/decode.ts";
import { parseAbiTypes } from "../../../../core/abi/type.ts";
import type { Receipt } from "../../../../core/client/rpc-objects.ts";
import { requireAddress } from "../arguments.ts";
import {
  type ConsoleCommand,
  ConsoleFault,
  type Outcome,
  type Parameter,
  usageFault,
} from "../command.ts";
import { PRECOMPILED } from "../precompiled.ts";
import { codeOutcome, codeText, outcomeOf, said } from "../print.ts";
import type { Session } from "../session.ts";

const ACCOUNT: Parameter = {
  name: "address",
  says: "the account, 0x and up to 40 digits",
  completes: "account",
};
const GAS: Parameter = { name: "value", says: "how much gas, a whole number" };
/** The contract exists from there on. Source: precompiles 1 */
const SINCE = "2.9.0";
const TO = PRECOMPILED.gasCharge;
const MOST_GAS = 2n ** 256n - 1n;
/** Some codes fill the word, others its last 64 bits. Source: precompiles 13 */
const CODE_BITS = 64;

function codeIn(word: unknown): number {
  return Number(BigInt.asIntN(CODE_BITS, typeof word === "bigint" ? word : 0n));
}

function wordsOf({ output }: Receipt, count: number): readonly unknown[] {
  const types = parseAbiTypes(Array.from({ length: count }, () => "uint256")) ?? [];
  const decoded = decodeAbi(types, fromHex(output) ?? new Uint8Array(0));
  return decoded.ok ? decoded.values : [];
}

function requireGas(text: string): bigint {
  const value = /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && value <= MOST_GAS) return value;
  throw usageFault(`value "${text}": a whole number from 0 to 2^256 - 1 is wanted.`);
}

/** Gives or takes gas, and tells what is left. */
function changeGas(signature: string): ConsoleCommand["run"] {
  return async (session, [text = "", gas = ""]) => {
    const args = [requireAddress(text), requireGas(gas)];
    const receipt = await session.send(TO, signature, args);
    const [code, remain] = wordsOf(receipt, 2);
    const { transactionHash } = receipt;
    const told = { code: codeIn(code), transactionHash, options: session.options };
    const outcome = codeOutcome(told);
    const data = { ...(outcome.data as object), remainGas: remain };
    return { ...outcome, text: `${outcome.text}\nremainGas: ${remain}`, data };
  };
}

function changeCharger(signature: string): ConsoleCommand["run"] {
  return async (session, [text = ""]) => {
    const receipt = await session.send(TO, signature, [requireAddress(text)]);
    const [code] = wordsOf(receipt, 1);
    const { transactionHash } = receipt;
    return codeOutcome({ code: codeIn(code), transactionHash, options: session.options });
  };
}

async function queryRemain(session: Session, [text = ""]: readonly string[]): Promise<Outcome> {
  const account = requireAddress(text);
  const signature = "queryRemainGas(address)(uint256,uint256)";
  const [word, remain] = await session.constantCall(TO, signature, [account]);
  const code = codeIn(word);
  if (code < 0) throw new ConsoleFault(codeText(code), { code });
  return said(`Account: ${account} remainGas: ${remain}`, { account, remainGas: remain });
}

/** The commands of this family. */
export const GAS_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "chargeGas",
    says: "Give an account gas",
    parameters: [ACCOUNT, GAS],
    since: SINCE,
    run: changeGas("charge(address,uint256)"),
  },
  {
    name: "deductGas",
    says: "Take gas from an account",
    parameters: [ACCOUNT, GAS],
    since: SINCE,
    run: changeGas("deduct(address,uint256)"),
  },
  {
    name: "queryRemainGas",
    says: "Show the gas that an account has left",
    parameters: [ACCOUNT],
    since: SINCE,
    run: queryRemain,
  },
  {
    name: "grantCharger",
    says: "Let an account give and take gas",
    parameters: [ACCOUNT],
    since: SINCE,
    run: changeCharger("grantCharger(address)"),
  },
  {
    name: "revokeCharger",
    says: "Let an account no longer give and take gas",
    parameters: [ACCOUNT],
    since: SINCE,
    run: changeCharger("revokeCharger(address)"),
  },
  {
    name: "listChargers",
    says: "List the accounts that may give and take gas",
    parameters: [],
    since: SINCE,
    async run(session) {
      const [chargers] = await session.constantCall(TO, "listChargers()(address[])", []);
      return outcomeOf(chargers);
    },
  },
];
