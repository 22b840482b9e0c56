/** Contracts. Source: console 4.3 */
import { itemsOf } from "../../../../core/client/abi-item.ts";
import { type AbiItem, isReadOnly, signatureText } from "../../../../core/client/abi-list.ts";
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import { toPrefixedHex } from "../../../../core/bytes/hex.ts";
import { selectorOf } from "../../../../core/abi/encode.ts";
import { HIGHEST_NUMBER, requireNumber } from "../arguments.ts";
import type { ConsoleCommand, Flag, GivenFlags, Outcome, Parameter } from "../command.ts";
import { formatTable, said } from "../print.ts";
import type { Session } from "../session.ts";

/** The contract of commands that need its source or its name. */
export const CONTRACT: Parameter = {
  name: "contract",
  says: "its name in contracts/solidity, or the path of its .sol file",
  completes: "contract",
};
/** The libraries of commands that deploy. */
export const LIBRARIES_FLAG: Flag = {
  name: "-l",
  value: "lib:address",
  says: "addresses of the libraries that the contract uses, with commas between them",
};
const DEPLOYED_LISTED = 20;
const MOST_LISTED = 1_000;
const MOST_LOG_LINES = 100;

async function deploy(
  session: Session,
  [contract = "", ...args]: readonly string[],
  flags: GivenFlags,
): Promise<Outcome> {
  const { deployContract } = await import("../contracts/deploy-contract.ts");
  const { readLibraries } = await import("../contracts/libraries.ts");
  const libraries = readLibraries(flags.get(LIBRARIES_FLAG.name));
  const { receipt, address } = await deployContract(session, { contract, args, libraries });
  const { transactionHash, from } = receipt;
  const text = [
    `transaction hash: ${transactionHash}`,
    `contract address: ${address}`,
    `currentAccount: ${from}`,
  ].join("\n");
  return said(text, { transactionHash, contractAddress: address, currentAccount: from });
}

async function call(session: Session, args: readonly string[]): Promise<Outcome> {
  const [contract = "", word = "", name = "", ...texts] = args;
  const { knownContract } = await import("../contracts/known-abi.ts");
  const { callContract } = await import("../contracts/call-contract.ts");
  const place = await knownContract(session, contract, word);
  return await callContract(session, place, { name, args: texts });
}

async function listAbi(session: Session, [contract = ""]: readonly string[]): Promise<Outcome> {
  const { sourceAbi } = await import("../contracts/known-abi.ts");
  const { compilerHash } = await import("../contracts/selector-hash.ts");
  const abi = await sourceAbi(session, contract);
  const hash = compilerHash();
  const functions = itemsOf(abi, "function").map((item: AbiItem) => {
    const signature = signatureText(item);
    const methodId = toPrefixedHex(selectorOf(signature, hash));
    return { name: item.name ?? "", constant: isReadOnly(item), methodId, signature };
  });
  const events = itemsOf(abi, "event").map((item) => {
    const signature = signatureText(item);
    return { name: item.name ?? "", topic: toPrefixedHex(hash(utf8Bytes(signature))), signature };
  });
  const rows = functions.map((it) => [it.name, `${it.constant}`, it.methodId, it.signature]);
  const methods = formatTable([["name", "constant", "methodId", "signature"], ...rows]);
  const eventRows = events.map((it) => [it.name, it.topic, it.signature]);
  const shownEvents =
    events.length === 0 ? [] : [formatTable([["name", "topic", "signature"], ...eventRows])];
  const text = [`Method list:\n${methods}`, ...shownEvents.map((it) => `Event list:\n${it}`)];
  return said(text.join("\n\n"), { functions, events });
}

async function listDeployed(session: Session, args: readonly string[]): Promise<Outcome> {
  const [contract = "", count = `${DEPLOYED_LISTED}`] = args;
  const { deployedContracts, localTime } = await import("../contracts/deployed.ts");
  const most = requireNumber(count, "count", 1, MOST_LISTED);
  const found = (await deployedContracts(session, contract)).slice(0, most);
  const lines = found.map(({ address, deployedAt }) => `${address}  ${localTime(deployedAt)}`);
  return said(lines.length === 0 ? "Empty set." : lines.join("\n"), found);
}

async function getDeployLog(session: Session, args: readonly string[]): Promise<Outcome> {
  const [count = `${DEPLOYED_LISTED}`] = args;
  const { deploymentLog } = await import("../contracts/deployed.ts");
  const most = requireNumber(count, "count", 1, MOST_LOG_LINES);
  const lines = await deploymentLog(session, most);
  return said(lines.length === 0 ? "Empty set." : lines.join("\n"), lines);
}

/** The commands of this family. */
export const CONTRACT_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "deploy",
    says: "Compile and deploy a contract",
    parameters: [
      CONTRACT,
      { name: "arguments", says: "arguments of the constructor", isOptional: true, isMany: true },
    ],
    flags: [LIBRARIES_FLAG],
    run: deploy,
  },
  {
    name: "call",
    says: "Call a function of a contract",
    parameters: [
      CONTRACT,
      {
        name: "address",
        says: "its address, or latest for the last one deployed from here",
        completes: "contractAddress",
        form: /^(latest$|0x)/,
      },
      { name: "function", says: "the function", completes: "contractFunction" },
      { name: "arguments", says: "its arguments", isOptional: true, isMany: true },
    ],
    run: call,
  },
  {
    name: "listAbi",
    says: "List the functions and events of a contract",
    parameters: [CONTRACT],
    run: listAbi,
  },
  {
    name: "listDeployContractAddress",
    says: "List the addresses of a contract that were deployed from here, the newest first",
    parameters: [CONTRACT, { name: "count", says: "how many, 20 when absent", isOptional: true }],
    run: listDeployed,
  },
  {
    name: "getDeployLog",
    says: "Show the log of deployments to the group",
    parameters: [
      { name: "count", says: "how many lines, 1 to 100, 20 when absent", isOptional: true },
    ],
    run: getDeployLog,
  },
];

function givenNumber(flags: GivenFlags, name: string, least: number): number | undefined {
  const text = flags.get(name);
  return text === undefined ? undefined : requireNumber(text, name, least, HIGHEST_NUMBER);
}

/** Events as they come. Source: channel-protocol 7.3 */
async function listenEvents(
  session: Session,
  [contract = "", word = "", event]: readonly string[],
  flags: GivenFlags,
): Promise<Outcome> {
  const { knownContract } = await import("../contracts/known-abi.ts");
  const { listen, requireEvent } = await import("../contracts/listen.ts");
  const count = givenNumber(flags, "--count", 1);
  const fromBlock = givenNumber(flags, "--from", 0);
  const place = await knownContract(session, contract, word);
  await session.channel();
  requireEvent({ abi: place.abi, event });
  const stopsBy = count === undefined ? "; Ctrl+C ends it" : "";
  const says = `Listening to events of ${contract} at ${place.address}${stopsBy}.`;
  const onOpen = () => session.progress(says);
  const found = await listen(session, { ...place, event, count, fromBlock, onOpen });
  return said(`${found} ${found === 1 ? "event" : "events"}.`, { count: found });
}

/** The commands of this family. */
export const EVENT_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "listenEvents",
    says: "Print the events of a contract as blocks bring them",
    parameters: [
      CONTRACT,
      {
        name: "address",
        says: "its address, or latest for the last one deployed from here",
        completes: "contractAddress",
      },
      { name: "event", says: "only events of this name", isOptional: true },
    ],
    flags: [
      { name: "--count", value: "n", says: "ends after this many events" },
      { name: "--from", value: "block", says: "begins with this block instead of the next one" },
    ],
    endsBySignal: true,
    run: listenEvents,
  },
];
