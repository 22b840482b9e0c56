/** Accounts. Source: console 4.1 */
import { resolve } from "node:path";
import { type ConsoleCommand, ConsoleFault, type Outcome, usageFault } from "../command.ts";
import type { KeyFile, KeyFormat } from "../account/key-files.ts";
import { said } from "../print.ts";
import type { Session } from "../session.ts";

function requireFormat(text: string): KeyFormat {
  if (text === "pem" || text === "p12") return text;
  throw usageFault(`"${text}" is no format of a key file: pem or p12 is wanted.`);
}

/** A new password is typed twice, so that a slip does not lose the key. */
async function newPassword(session: Session): Promise<string> {
  const first = await session.askSecret("New password: ");
  const again = await session.askSecret("The same again: ");
  if (first !== again) throw new ConsoleFault("the passwords differ: no account was made.");
  return first;
}

async function newAccount(
  session: Session,
  [format = "pem", given]: readonly string[],
  flags: ReadonlyMap<string, string>,
): Promise<Outcome> {
  const kind = requireFormat(format);
  if (kind === "pem" && given !== undefined)
    throw usageFault("a pem file has no password: use p12 for one.");
  const [{ accountType, createKeyFile, writeLabel }, { createNodeEntropy }] = await Promise.all([
    import("../account/key-files.ts"),
    import("../../../node/machine/entropy.ts"),
  ]);
  const { suite } = await session.chain();
  const folder = await session.keyFolder();
  const password = kind === "pem" ? "" : (given ?? (await newPassword(session)));
  const entropy = createNodeEntropy();
  const made = await createKeyFile(folder, { suite, format: kind, password, entropy });
  const label = flags.get("--label");
  if (label !== undefined) await writeLabel(folder, made.address, label);
  const type = accountType(suite.name);
  const lines = [
    `AccountPath: ${made.path}`,
    "Note: this made a key file only; nothing was written to the chain.",
    `newAccount: ${made.address}`,
    `AccountType: ${type}`,
  ];
  const data = { path: made.path, address: made.address, type, label: label ?? null };
  return said(lines.join("\n"), data);
}

/** The file of an address in the key folder, or a path. */
async function keyFileOf(
  session: Session,
  text: string,
  format: KeyFormat | undefined,
): Promise<Pick<KeyFile, "path" | "format">> {
  const { formatOfName, listKeyFiles } = await import("../account/key-files.ts");
  if (!/^0x[0-9a-f]{40}$/i.test(text)) {
    const home = process.env["HOME"] ?? "~";
    const path = resolve(text.replace(/^~(?=\/)/, home));
    return { path, format: format ?? formatOfName(path) ?? "pem" };
  }
  const folder = await session.keyFolder();
  const mine = (await listKeyFiles(folder)).filter(
    (file) => file.address === text.toLowerCase() && (format ?? file.format) === file.format,
  );
  const [newest] = mine;
  if (newest) return newest;
  const kind = format === undefined ? "key file" : `${format} file`;
  throw new ConsoleFault(`${folder} has no ${kind} of ${text}. listAccount shows what is there.`);
}

async function loadAccount(session: Session, args: readonly string[]): Promise<Outcome> {
  const [text = "", given] = args;
  const wanted = given === undefined ? undefined : requireFormat(given);
  const { readKeyFile } = await import("../account/key-files.ts");
  const { suite } = await session.chain();
  const { path, format } = await keyFileOf(session, text, wanted);
  const password = (): Promise<string> => session.askSecret(`Password of ${path}: `);
  const account = await readKeyFile(path, { suite, format, password });
  session.useAccount(account);
  return said(`Load account ${text} success!`, { address: account.address });
}

async function listAccount(session: Session): Promise<Outcome> {
  if (!(await session.hasAccount())) return said("Empty set", []);
  const { listKeyFiles, readLabels } = await import("../account/key-files.ts");
  const folder = await session.keyFolder();
  const current = (await session.account()).address as string;
  const labels = await readLabels(folder);
  const found = (await listKeyFiles(folder)).map(({ address }) => address);
  // The current one first; it may come from a file elsewhere.
  const all = [...new Set([current, ...found])];
  const rows = all.map((address) => ({
    address,
    label: labels[address] ?? null,
    isCurrent: address === current,
  }));
  const line = ({ address, label, isCurrent }: (typeof rows)[number]): string => {
    const named = label === null ? address : `${address}  ${label}`;
    return isCurrent ? `${named}(current account) <=` : named;
  };
  return { text: rows.map(line).join("\n"), data: rows };
}

/** The commands of this family. */
export const ACCOUNT_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "getCurrentAccount",
    says: "Show the account that signs",
    parameters: [],
    async run(session) {
      return said((await session.account()).address);
    },
  },
  {
    name: "getCryptoType",
    says: "Show the algorithms of the chain and of the connection",
    parameters: [],
    async run(session) {
      const { suite } = await session.chain();
      const ledger = suite.name === "national" ? "SM" : "ECDSA";
      const lines = [`ledger crypto type: ${ledger}`, "ssl crypto type: ECDSA"];
      return said(lines.join("\n"), { ledger, ssl: "ECDSA" });
    },
  },
  {
    name: "newAccount",
    says: "Make a key file for a new account; the current account stays",
    parameters: [
      {
        name: "format",
        says: "pem, or p12 with a password; pem when absent",
        isOptional: true,
        completes: "accountFormat",
      },
      { name: "password", says: "of a p12 file; asked for when absent", isOptional: true },
    ],
    flags: [{ name: "--label", value: "text", says: "a name that listAccount shows" }],
    isSecret: true,
    run: newAccount,
  },
  {
    name: "loadAccount",
    says: "Make another account the current one",
    parameters: [
      {
        name: "account",
        says: "path of a key file, or an address of the key folder",
        completes: "accountOrFile",
      },
      { name: "format", says: "pem or p12", isOptional: true, completes: "accountFormat" },
    ],
    isInteractiveOnly: true,
    run: loadAccount,
  },
  {
    name: "listAccount",
    says: "List the accounts of the key folder, the current one first",
    parameters: [],
    run: listAccount,
  },
];
