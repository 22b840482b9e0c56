/** Freezing contracts. Source: console 4.9 */
import { requireAddress } from "../arguments.ts";
import { type ConsoleCommand, ConsoleFault, type Parameter } from "../command.ts";
import { PRECOMPILED, sendForCode } from "../precompiled.ts";
import { codeText, outcomeOf, said } from "../print.ts";
import type { Session } from "../session.ts";

const CONTRACT: Parameter = { name: "contractAddress", says: "address of the contract" };
const USER: Parameter = {
  name: "userAddress",
  says: "the account, 0x and up to 40 digits",
  completes: "account",
};
/** Source: console 4.9 */
const SINCE = "2.3.0";
const REVOKE_SINCE = "2.7.0";
const TO = PRECOMPILED.contractLifeCycle;

function change(name: string, signature: string, says: string): ConsoleCommand {
  return {
    name,
    says,
    parameters: [CONTRACT],
    since: SINCE,
    async run(session, [contract = ""]) {
      const args = [requireAddress(contract)];
      return await sendForCode(session, { to: TO, signature, args });
    },
  };
}

function manage(
  name: string,
  signature: string,
  { says, since }: { readonly says: string; readonly since: string },
): ConsoleCommand {
  return {
    name,
    says,
    parameters: [CONTRACT, USER],
    since,
    async run(session, [contract = "", user = ""]) {
      const args = [requireAddress(contract), requireAddress(user)];
      return await sendForCode(session, { to: TO, signature, args });
    },
  };
}

/** What stands behind the code. @throws ConsoleFault for a code below 0 */
async function ask(session: Session, signature: string, contract: string): Promise<unknown> {
  const [code, answer] = await session.constantCall(TO, signature, [requireAddress(contract)]);
  const number = Number(code);
  if (number < 0) throw new ConsoleFault(codeText(number), { code: number });
  return answer;
}

/** The commands of this family. */
export const LIFE_CYCLE_COMMANDS: readonly ConsoleCommand[] = [
  change("freezeContract", "freeze(address)", "Freeze a contract: calls of it are refused"),
  change("unfreezeContract", "unfreeze(address)", "Make a frozen contract available again"),
  {
    name: "getContractStatus",
    says: "Show whether a contract is frozen",
    parameters: [CONTRACT],
    since: SINCE,
    async run(session, [contract = ""]) {
      return said(String(await ask(session, "getStatus(address)(int256,string)", contract)));
    },
  },
  {
    name: "listContractStatusManager",
    says: "List the accounts that may freeze a contract",
    parameters: [CONTRACT],
    since: SINCE,
    async run(session, [contract = ""]) {
      return outcomeOf(await ask(session, "listManager(address)(int256,address[])", contract));
    },
  },
  manage("grantContractStatusManager", "grantManager(address,address)", {
    says: "Let an account freeze a contract",
    since: SINCE,
  }),
  manage("revokeContractStatusManager", "revokeManager(address,address)", {
    says: "Let an account no longer freeze a contract",
    since: REVOKE_SINCE,
  }),
];
