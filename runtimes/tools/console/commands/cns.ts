/** Contracts by name. Source: console 4.3 */
import { requireAddress } from "../arguments.ts";
import {
  type ConsoleCommand,
  ConsoleFault,
  type GivenFlags,
  type Outcome,
  type Parameter,
} from "../command.ts";
import { oneLine } from "../foreign-text.ts";
import { RULE, said } from "../print.ts";
import type { Session } from "../session.ts";
import { CONTRACT, LIBRARIES_FLAG } from "./contracts.ts";

const VERSION: Parameter = { name: "version", says: "the version, at most 128 bytes" };

async function deployByName(
  session: Session,
  [contract = "", version = "", ...args]: readonly string[],
  flags: GivenFlags,
): Promise<Outcome> {
  const { contractNameOf } = await import("../contracts/contract-file.ts");
  const { requireFreeName, registerName } = await import("../contracts/cns.ts");
  const { deployContract } = await import("../contracts/deploy-contract.ts");
  const { readLibraries } = await import("../contracts/libraries.ts");
  const libraries = readLibraries(flags.get(LIBRARIES_FLAG.name));
  await requireFreeName(session, contractNameOf(contract), version);
  const deployed = await deployContract(session, { contract, args, libraries });
  const { name, abi, address, receipt } = deployed;
  const { transactionHash, from } = receipt;
  const lines = [
    `transaction hash: ${transactionHash}`,
    `contract address: ${address}`,
    `currentAccount: ${from}`,
  ];
  const registration = { name, version, address, abi };
  const registered = await registerName(session, registration, { hidesHash: true }).catch(
    (cause: unknown) => {
      throw notRegistered(cause, lines, `registerCNS ${name} ${address} ${version}`);
    },
  );
  const data = { transactionHash, contractAddress: address, currentAccount: from };
  return { ...registered, text: [...lines, registered.text].join("\n"), data };
}

/** The contract is there and has no name: says how to give it one. */
function notRegistered(cause: unknown, lines: readonly string[], command: string): unknown {
  if (!(cause instanceof ConsoleFault)) return cause;
  const { code, exitCode, message, data } = cause;
  const text = [...lines, `It was deployed but not registered: ${oneLine(message)}`].join("\n");
  return new ConsoleFault(message, { code, exitCode, text, data, hint: `Try: ${command}`, cause });
}

/** `name:version`, or the name alone. */
function nameAndVersion(text: string): { readonly name: string; readonly version?: string } {
  const at = text.indexOf(":");
  return at < 0 ? { name: text } : { name: text.slice(0, at), version: text.slice(at + 1) };
}

async function callByName(
  session: Session,
  [given = "", name = "", ...args]: readonly string[],
): Promise<Outcome> {
  const { abiOfRow, namedContracts } = await import("../contracts/cns.ts");
  const { callContract } = await import("../contracts/call-contract.ts");
  const { knownContract } = await import("../contracts/known-abi.ts");
  const { name: contract, version } = nameAndVersion(given);
  const row = (await namedContracts(session, contract, version)).at(-1);
  if (row === undefined) {
    const what = version === undefined ? contract : `${contract}, version ${version}`;
    throw new ConsoleFault(`No contract is registered as ${what}: see queryCNS.`);
  }
  const { address } = row;
  const abi = abiOfRow(row);
  // Who registered it had no ABI; maybe it was deployed from here, or its source is.
  const place = abi ? { address, abi } : await knownContract(session, contract, address);
  return await callContract(session, place, { name, args });
}

async function queryNames(session: Session, args: readonly string[]): Promise<Outcome> {
  const [contract = "", version] = args;
  const { contractNameOf } = await import("../contracts/contract-file.ts");
  const { namedContracts } = await import("../contracts/cns.ts");
  const rows = await namedContracts(session, contractNameOf(contract), version);
  if (rows.length === 0) return said("Empty set.", rows);
  const lines = rows.flatMap((row) => [
    `* contract address: ${oneLine(row.address)}`,
    `* contract version: ${oneLine(row.version)}`,
  ]);
  return said([RULE, ...lines, RULE].join("\n"), rows);
}

async function register(session: Session, args: readonly string[]): Promise<Outcome> {
  const [contract = "", text = "", version = ""] = args;
  const { contractNameOf } = await import("../contracts/contract-file.ts");
  const { registerName, requireFreeName } = await import("../contracts/cns.ts");
  const { keptAbi } = await import("../contracts/deployed.ts");
  const name = contractNameOf(contract);
  const address = requireAddress(text);
  await requireFreeName(session, name, version);
  const abi = await keptAbi(session, name, address);
  if (abi === undefined) {
    session.progress(
      `${name} at ${address} was not deployed from here: it is registered without its ABI.`,
    );
  }
  return await registerName(session, { name, version, address, abi });
}

/** The commands of this family. */
export const CNS_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "deployByCNS",
    says: "Compile and deploy a contract and register it by name and version",
    parameters: [
      CONTRACT,
      VERSION,
      { name: "arguments", says: "arguments of the constructor", isOptional: true, isMany: true },
    ],
    flags: [LIBRARIES_FLAG],
    run: deployByName,
  },
  {
    name: "callByCNS",
    says: "Call a function of a contract that is registered by name",
    parameters: [
      {
        name: "name[:version]",
        says: "the name; without a version the last one that was registered",
        completes: "contract",
      },
      { name: "function", says: "the function" },
      { name: "arguments", says: "its arguments", isOptional: true, isMany: true },
    ],
    run: callByName,
  },
  {
    name: "queryCNS",
    says: "List the versions and addresses of a name",
    parameters: [CONTRACT, { ...VERSION, says: "only this version", isOptional: true }],
    run: queryNames,
  },
  {
    name: "registerCNS",
    says: "Register a contract that exists by name and version",
    parameters: [CONTRACT, { name: "address", says: "its address" }, VERSION],
    run: register,
  },
];
