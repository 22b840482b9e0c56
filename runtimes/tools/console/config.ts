/** The file `conf/config.toml` of a console. Source: console 1 */
import { basename, dirname, join, resolve } from "node:path";
import { isIPv6 } from "node:net";
import { parse, TomlError } from "smol-toml";
import { readText } from "../../folder/whole-files.ts";
import { ConsoleFault } from "./command.ts";

/** Host and port of a node. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** As it is shown and given to commands: `127.0.0.1:20200`, `[::1]:20200`. */
  readonly text: string;
}

/** Where the files of TLS are; absolute paths. */
export interface CertificatePaths {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What the file says of the account. Paths are absolute. */
export interface AccountConfig {
  readonly keyStoreDir: string;
  readonly filePath: string | undefined;
  readonly format: "pem" | "p12";
  readonly address: string | undefined;
  readonly password: string | undefined;
}

/** What a configuration says. */
export interface ConsoleConfig {
  readonly folder: string;
  /** The file, for messages. */
  readonly file: string;
  readonly certificates: CertificatePaths;
  /** Channel ports. */
  readonly peers: readonly Endpoint[];
  /** URLs of RPC ports: when there are any, the console runs over them. */
  readonly rpc: readonly string[];
  /** The chain that is expected, where the file names one. */
  readonly chainId: bigint | undefined;
  readonly account: AccountConfig;
}

/** Where the file is below a console folder. */
export const CONFIG_FILE = "conf/config.toml";
const HIGHEST_PORT = 65_535;

/**
 * Reads `host:port`; a host may be a name. Undefined when the text is none. IPv6 addresses stand in
 * brackets.
 */
export function readEndpoint(text: string): Endpoint | undefined {
  const found = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(text.trim());
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  if (host === undefined || port < 1 || port > HIGHEST_PORT) return undefined;
  if (found?.[1] !== undefined && !isIPv6(host)) return undefined;
  return { host, port, text: text.trim() };
}

type Table = Readonly<Record<string, unknown>>;

/** Reads values of one file; its faults name file and key. */
class Reader {
  readonly #file: string;
  readonly #root: Table;

  constructor(file: string, root: Table) {
    this.#file = file;
    this.#root = root;
  }

  fault(key: string, wanted: string): ConsoleFault {
    return new ConsoleFault(`${this.#file}: ${key}: ${wanted}.`);
  }

  #value(section: string, key: string): unknown {
    const table = this.#root[section];
    if (table === undefined) return undefined;
    if (typeof table !== "object" || table === null || Array.isArray(table))
      throw this.fault(section, `a section [${section}] is expected`);
    return (table as Table)[key];
  }

  text(section: string, key: string): string | undefined {
    const value = this.#value(section, key);
    if (value === undefined || value === "") return undefined;
    if (typeof value === "string") return value;
    throw this.fault(`${section}.${key}`, "a text in quotes is expected");
  }

  texts(section: string, key: string): readonly string[] {
    const value = this.#value(section, key) ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string"))
      return value as string[];
    throw this.fault(`${section}.${key}`, 'a list of texts is expected, such as ["a", "b"]');
  }
}

function endpointsOf(reader: Reader): readonly Endpoint[] {
  return reader.texts("network", "peers").map((text) => {
    const endpoint = readEndpoint(text);
    if (endpoint !== undefined) return endpoint;
    throw reader.fault("network.peers", `"${text}" is no host:port, such as 127.0.0.1:20200`);
  });
}

function urlsOf(reader: Reader): readonly string[] {
  return reader.texts("network", "rpc").map((text) => {
    if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
    throw reader.fault("network.rpc", `"${text}" is no URL, such as http://127.0.0.1:8545`);
  });
}

function accountOf(reader: Reader, folder: string): AccountConfig {
  const format = reader.text("account", "accountFileFormat") ?? "pem";
  if (format !== "pem" && format !== "p12")
    throw reader.fault("account.accountFileFormat", `"pem" or "p12" is expected, not "${format}"`);
  const filePath = reader.text("account", "accountFilePath");
  return {
    keyStoreDir: resolve(folder, reader.text("account", "keyStoreDir") ?? "account"),
    filePath: filePath === undefined ? undefined : resolve(folder, filePath),
    format,
    address: reader.text("account", "accountAddress"),
    password: reader.text("account", "password"),
  };
}

function chainIdOf(reader: Reader): bigint | undefined {
  const text = reader.text("network", "chainId");
  if (text === undefined) return undefined;
  if (/^\d{1,20}$/.test(text)) return BigInt(text);
  throw reader.fault("network.chainId", `decimal digits are expected, not "${text}"`);
}

/** What the text of a configuration says. @throws ConsoleFault that names file and key */
export function readConfig(text: string, folder: string, file: string): ConsoleConfig {
  const reader = new Reader(file, parsed(text, file));
  const certPath = resolve(folder, reader.text("cryptoMaterial", "certPath") ?? "conf");
  const at = (key: string, name: string): string => {
    const given = reader.text("cryptoMaterial", key);
    return given === undefined ? join(certPath, name) : resolve(folder, given);
  };
  return {
    folder,
    file,
    certificates: {
      ca: at("caCert", "ca.crt"),
      cert: at("sslCert", "sdk.crt"),
      key: at("sslKey", "sdk.key"),
    },
    peers: endpointsOf(reader),
    rpc: urlsOf(reader),
    chainId: chainIdOf(reader),
    account: accountOf(reader, folder),
  };
}

function parsed(text: string, file: string): Table {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [why = ""] = cause.message.split("\n");
    throw new ConsoleFault(`${file}:${cause.line}: ${why}.`, { cause });
  }
}

/** The console folder of a configuration file: above `conf`, else where the file is. */
function folderOf(file: string): string {
  const folder = dirname(file);
  return basename(folder) === "conf" ? dirname(folder) : folder;
}

/**
 * Reads the configuration of a console.
 * @param path of the file, absolute
 * @throws ConsoleFault that says how to come to one
 */
export async function loadConfig(path: string): Promise<ConsoleConfig> {
  const text = await readText(path);
  if (text !== undefined) return readConfig(text, folderOf(path), path);
  const example = join(dirname(path), "config-example.toml");
  const isThere = (await readText(example)) !== undefined;
  const begin = isThere ? `Copy ${example} to that name` : "Write it, with the line [network],";
  throw new ConsoleFault(
    `${path} is missing. ${begin} and set peers = ["<host>:<channel port>"] to the channel ` +
      "ports of your nodes, or connect without a file: --url http://<host>:<rpc port>.",
  );
}

/** What holds without a file: an account folder in the working folder. */
export function bareConfig(folder: string): ConsoleConfig {
  return { ...readConfig("", folder, CONFIG_FILE), rpc: [] };
}
