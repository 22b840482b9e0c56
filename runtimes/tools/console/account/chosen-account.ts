/** Which account signs: as the start says, as config.toml says, or the newest of the folder. */
import type { Account } from "../../../../core/client/account.ts";
import type { CryptoSuite } from "../../../../core/crypto/suite.ts";
import { createNodeEntropy } from "../../../node/machine/entropy.ts";
import { ConsoleFault } from "../command.ts";
import type { AccountConfig } from "../config.ts";
import {
  createKeyFile,
  formatOfName,
  keyFolder,
  type KeyFormat,
  listKeyFiles,
  readKeyFile,
} from "./key-files.ts";

/** A key file named at the start: `-pem <file>`, `-p12 <file>`. */
export interface NamedKey {
  readonly path: string;
  readonly format: KeyFormat;
}

/** What the choice is made from. */
export interface AccountChoice {
  readonly named: NamedKey | undefined;
  readonly config: AccountConfig;
  readonly suite: CryptoSuite;
  askSecret(prompt: string): Promise<string>;
  progress(line: string): void;
}

/** The account at the start. @throws ConsoleFault; FolderFault. Source: console 4.1 */
export async function chooseAccount(choice: AccountChoice): Promise<Account> {
  const { named, config } = choice;
  if (named) return await readNamed(choice, named.path, named.format);
  if (config.filePath !== undefined)
    return await readNamed(choice, config.filePath, formatOfName(config.filePath) ?? config.format);
  if (config.address !== undefined) return await readByAddress(choice, config.address);
  return await newest(choice);
}

function readNamed(choice: AccountChoice, path: string, format: KeyFormat): Promise<Account> {
  const { suite, config } = choice;
  const password = (): Promise<string> =>
    config.password === undefined || choice.named !== undefined
      ? choice.askSecret(`Password of ${path}: `)
      : Promise.resolve(config.password);
  return readKeyFile(path, { suite, format, password });
}

async function readByAddress(choice: AccountChoice, address: string): Promise<Account> {
  const folder = keyFolder(choice.config.keyStoreDir, choice.suite.name);
  const files = await listKeyFiles(folder);
  const mine = files.filter((file) => file.address === address.toLowerCase());
  const file = mine.find(({ format }) => format === choice.config.format) ?? mine[0];
  if (file) return await readNamed(choice, file.path, file.format);
  throw new ConsoleFault(
    `account.accountAddress of config.toml is ${address}, but ${folder} has no key file of it.`,
  );
}

/** The newest PEM file; a new one when there is none. */
async function newest(choice: AccountChoice): Promise<Account> {
  const { suite, config } = choice;
  const folder = keyFolder(config.keyStoreDir, suite.name);
  const files = await listKeyFiles(folder);
  const found = files.find(({ format }) => format === "pem");
  if (found) return await readNamed(choice, found.path, found.format);
  const entropy = createNodeEntropy();
  const made = await createKeyFile(folder, { suite, format: "pem", password: "", entropy });
  choice.progress(`a new account was made: ${made.path}`);
  return await readNamed(choice, made.path, made.format);
}
