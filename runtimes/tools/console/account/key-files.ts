/** Key files of accounts: PEM, or PKCS #12 behind a password. Source: console 4.1 */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { accountOf, type Account } from "../../../../core/client/account.ts";
import type { CryptoSuite, SuiteName } from "../../../../core/crypto/suite.ts";
import type { Entropy } from "../../../../core/ports/entropy.ts";
import {
  createKeyPair,
  type KeyPair,
  parsePrivateKey,
  privateKeyPem,
} from "../../../folder/private-key.ts";
import { readText, writeWhole } from "../../../folder/whole-files.ts";
import { ConsoleFault } from "../command.ts";

/** Formats of key files, by the end of the name. */
export type KeyFormat = "pem" | "p12";

/** A key file of an account. */
export interface KeyFile {
  /** `0x` and 40 digits. */
  readonly address: string;
  readonly path: string;
  readonly format: KeyFormat;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** What `account` is divided into. Source: console 1 */
const FOLDERS: Readonly<Record<SuiteName, string>> = { standard: "ecdsa", national: "gm" };
const SUFFIX: Readonly<Record<SuiteName, string>> = { standard: "", national: "_gm" };
/** Names of accounts, by address. */
const LABELS = "labels.json";

/** The folder of the key files of a suite. */
export function keyFolder(root: string, suite: SuiteName): string {
  return join(root, FOLDERS[suite]);
}

/** `ecdsa` or `sm`: how a kind of account is called. Source: console 4.1 */
export function accountType(suite: SuiteName): string {
  return suite === "national" ? "sm" : "ecdsa";
}

/** The format that the name of a file says; undefined for others. */
export function formatOfName(path: string): KeyFormat | undefined {
  const [, end] = /\.(pem|p12)$/.exec(path) ?? [];
  return end === "pem" || end === "p12" ? end : undefined;
}

/** Key files of a folder, newest first. None when there is no folder. */
export async function listKeyFiles(folder: string): Promise<readonly KeyFile[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.map(async (name): Promise<readonly KeyFile[]> => {
    const [, address, format] = /^(0x[0-9a-f]{40})(?:_gm)?\.(pem|p12)$/i.exec(name) ?? [];
    if (address === undefined || (format !== "pem" && format !== "p12")) return [];
    const path = join(folder, name);
    const status = await stat(path).catch(() => undefined);
    if (!status?.isFile()) return [];
    return [{ address: address.toLowerCase(), path, format, changedAt: status.mtimeMs }];
  });
  const files = (await Promise.all(found)).flat();
  return files.sort((a, b) => b.changedAt - a.changedAt || a.path.localeCompare(b.path));
}

/** What reading a key file needs. */
export interface KeyReading {
  readonly suite: CryptoSuite;
  readonly format: KeyFormat;
  /** Asked for PKCS #12 only. */
  password(): Promise<string>;
}

/** The account of a key file. @throws ConsoleFault that names file and reason */
export async function readKeyFile(path: string, reading: KeyReading): Promise<Account> {
  const { suite, format } = reading;
  const pair = format === "pem" ? await readPem(path, suite.name) : await readBag(path, reading);
  return accountOf(pair.privateKey, suite);
}

const CURVES: Readonly<Record<SuiteName, string>> = { standard: "secp256k1", national: "SM2" };

async function readPem(path: string, suite: SuiteName): Promise<KeyPair> {
  const text = await readText(path);
  if (text === undefined) throw new ConsoleFault(`${path}: the file does not exist.`);
  const pair = parsePrivateKey(text, suite);
  if (pair) return pair;
  const other = suite === "standard" ? "national" : "standard";
  const why =
    parsePrivateKey(text, other) === undefined
      ? `there is no ${CURVES[suite]} private key in PEM form in it`
      : `its key is of the curve ${CURVES[other]}, the chain wants ${CURVES[suite]}`;
  throw new ConsoleFault(`${path}: ${why}.`);
}

async function readBag(path: string, { suite, password }: KeyReading): Promise<KeyPair> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new ConsoleFault(`${path}: the file does not exist, or cannot be read.`, { cause });
  });
  const { readPkcs12 } = await import("../../../folder/pkcs12.ts");
  const given = await password();
  try {
    return readPkcs12(new Uint8Array(bytes), given, suite.name);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConsoleFault(`${path}: ${why}`, { cause });
  }
}

/** What a new key file is to be. */
export interface NewKey {
  readonly suite: CryptoSuite;
  readonly format: KeyFormat;
  /** Of PKCS #12. */
  readonly password: string;
  readonly entropy: Entropy;
}

/** Makes a key and its file. @throws FolderFault when the folder cannot be written */
export async function createKeyFile(folder: string, wanted: NewKey): Promise<KeyFile> {
  const { suite, format, password, entropy } = wanted;
  const pair = createKeyPair(entropy, suite.name);
  const { address } = accountOf(pair.privateKey, suite);
  const name = `${address}${SUFFIX[suite.name]}.${format}`;
  const path = join(folder, name);
  if (format === "pem") {
    await writeWhole(folder, { path: name, text: privateKeyPem(pair), use: "key" });
  } else {
    const { writePkcs12 } = await import("../../../folder/pkcs12.ts");
    const bytes = writePkcs12(pair, password, entropy);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A new name, so nothing is written over.
    await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
    await chmod(path, 0o600);
  }
  return { address, path, format, changedAt: Date.now() };
}

/** Labels of the accounts of a folder, by address. A file that is none counts as empty. */
export async function readLabels(folder: string): Promise<Readonly<Record<string, string>>> {
  const text = await readText(join(folder, LABELS));
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as Readonly<Record<string, string>>;
  } catch {
    return {};
  }
}

/** Gives an account a label. @throws FolderFault */
export async function writeLabel(folder: string, address: string, label: string): Promise<void> {
  const labels = { ...(await readLabels(folder)), [address]: label };
  const text = `${JSON.stringify(labels, undefined, 2)}\n`;
  await writeWhole(folder, { path: LABELS, text, use: "text" });
}
