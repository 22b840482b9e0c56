/** The committee, its votes, and accounts. Source: console 4.8 */
import { precompiledCode, precompiledMessage } from "../../../../core/fault/precompiled-code.ts";
import { requireAddress, requireNumber } from "../arguments.ts";
import { type ConsoleCommand, ConsoleFault, type Outcome, type Parameter } from "../command.ts";
import { codeOutcome, formatJson, managersOutcome, said } from "../print.ts";
import { type CodeCall, codeOf, PRECOMPILED, sendForCode } from "../precompiled.ts";
import type { Session } from "../session.ts";

const ACCOUNT: Parameter = {
  name: "address",
  says: "the account, 0x and up to 40 digits",
  completes: "account",
};
/** Source: console 4.8 */
const SINCE = "2.5.0";
const VOTES_SINCE = "2.7.0";
const HIGHEST_THRESHOLD = 99;
const TO = PRECOMPILED.chainGovernance;

type Sending = (session: Session, call: CodeCall) => Promise<Outcome>;

/** A vote: it may be one of several that are needed. Source: precompiles 12 */
async function vote(session: Session, { to, signature, args }: CodeCall): Promise<Outcome> {
  const receipt = await session.send(to, signature, args);
  const code = codeOf(receipt);
  const { transactionHash } = receipt;
  const outcome = codeOutcome({ code, transactionHash, options: session.options });
  if (code === 0)
    session.progress("The vote is recorded; it takes effect when enough members agree.");
  return outcome;
}

function about(name: string, says: string, send: Sending): ConsoleCommand {
  return {
    name,
    says,
    parameters: [ACCOUNT],
    since: SINCE,
    async run(session, [account = ""]) {
      const args = [requireAddress(account)];
      return await send(session, { to: TO, signature: `${name}(address)`, args });
    },
  };
}

function list(name: string, says: string): ConsoleCommand {
  return {
    name,
    says,
    parameters: [],
    since: SINCE,
    async run(session) {
      const [answer] = await session.constantCall(TO, `${name}()(string)`, []);
      return managersOutcome(answer);
    },
  };
}

/** Votes that the chain tells as JSON, `null` when there are none. */
function votesOutcome(answer: unknown): Outcome {
  const votes = JSON.parse(String(answer)) as unknown;
  const isEmpty = votes === null || Object.keys(votes as object).length === 0;
  return { text: isEmpty ? "Empty set." : formatJson(votes), data: votes };
}

async function queryWeight(session: Session, [text = ""]: readonly string[]): Promise<Outcome> {
  const account = requireAddress(text);
  const signature = "queryCommitteeMemberWeight(address)(bool,int256)";
  const [isMember, weight] = await session.constantCall(TO, signature, [account]);
  if (isMember !== true) {
    const code = precompiledCode("committeeMemberMissing");
    throw new ConsoleFault(precompiledMessage(code) ?? "", { code });
  }
  return said(`Account: ${account} Weight: ${weight}`, { account, weight: Number(weight) });
}

async function updateWeight(session: Session, args: readonly string[]): Promise<Outcome> {
  const [text = "", weightText = ""] = args;
  const account = requireAddress(text);
  const weight = BigInt(requireNumber(weightText, "weight", 1));
  const signature = "updateCommitteeMemberWeight(address,int256)";
  return await vote(session, { to: TO, signature, args: [account, weight] });
}

const OF_COMMITTEE: readonly ConsoleCommand[] = [
  about("grantCommitteeMember", "Vote for an account as a member of the committee", vote),
  about("revokeCommitteeMember", "Vote for a member to leave the committee", vote),
  list("listCommitteeMembers", "List the members of the committee"),
  {
    name: "queryCommitteeMemberWeight",
    says: "Show the weight of a member's votes",
    parameters: [ACCOUNT],
    since: SINCE,
    run: queryWeight,
  },
  {
    name: "updateCommitteeMemberWeight",
    says: "Vote for another weight of a member's votes",
    parameters: [ACCOUNT, { name: "weight", says: "a whole number from 1 on" }],
    since: SINCE,
    run: updateWeight,
  },
  {
    name: "updateThreshold",
    says: "Vote for another share of weights that votes must exceed",
    parameters: [{ name: "threshold", says: "percent, 0 to 99" }],
    since: SINCE,
    async run(session, [text = ""]) {
      const threshold = BigInt(requireNumber(text, "threshold", 0, HIGHEST_THRESHOLD));
      const args = [threshold];
      return await vote(session, { to: TO, signature: "updateThreshold(int256)", args });
    },
  },
  {
    name: "queryThreshold",
    says: "Show the share of weights that votes must exceed",
    parameters: [],
    since: SINCE,
    async run(session) {
      const [percent] = await session.constantCall(TO, "queryThreshold()(int256)", []);
      return said(`Effective threshold : ${percent}%`, { threshold: Number(percent) });
    },
  },
  {
    name: "queryVotesOfMember",
    says: "Show the votes about a member that were not passed yet",
    parameters: [ACCOUNT],
    since: VOTES_SINCE,
    async run(session, [text = ""]) {
      const signature = "queryVotesOfMember(address)(string)";
      const [answer] = await session.constantCall(TO, signature, [requireAddress(text)]);
      return votesOutcome(answer);
    },
  },
  {
    name: "queryVotesOfThreshold",
    says: "Show the votes about the threshold that were not passed yet",
    parameters: [],
    since: VOTES_SINCE,
    async run(session) {
      const [answer] = await session.constantCall(TO, "queryVotesOfThreshold()(string)", []);
      return votesOutcome(answer);
    },
  },
];

/** The commands of this family. */
export const GOVERNANCE_COMMANDS: readonly ConsoleCommand[] = [
  ...OF_COMMITTEE,
  about(
    "grantOperator",
    "Make an account an operator: deploy, create, register by name",
    sendForCode,
  ),
  about("revokeOperator", "Make an operator an account like others", sendForCode),
  list("listOperators", "List the operators"),
  about("freezeAccount", "Freeze an account: its transactions are refused", sendForCode),
  about("unfreezeAccount", "Make a frozen account available again", sendForCode),
  {
    name: "getAccountStatus",
    says: "Show whether an account is frozen",
    parameters: [ACCOUNT],
    since: SINCE,
    async run(session, [text = ""]) {
      const signature = "getAccountStatus(address)(string)";
      const [sentence] = await session.constantCall(TO, signature, [requireAddress(text)]);
      return said(String(sentence));
    },
  },
];
