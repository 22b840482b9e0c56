/**
 * Key and certificates of the SDK port, which need not be those of the node.
 * Source: channel-protocol 2.2, 2.2.1; sm-suite 7
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { join, resolve } from "node:path";
import { version } from "../../core/model/version.ts";
import { FolderFault } from "./folder-fault.ts";
import type { NodeConfig } from "../formats/config/node-config.ts";
import { readText } from "./whole-files.ts";

/** PEM texts, and what kind of keys the port speaks with. */
export interface ChannelFiles {
  readonly kind: "secp256k1" | "rsa";
  readonly ca: string;
  /** The node's certificate and those up to the chain's. */
  readonly cert: string;
  readonly key: string;
}

/** Where they are; absolute paths. */
export interface ChannelPaths {
  readonly kind: ChannelFiles["kind"];
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Folder of RSA files below that of the node's. Source: channel-protocol 2.2 */
export const RSA_FOLDER = "channel_cert";
/** Folder of secp256k1 files on a national chain. Source: channel-protocol 2.2 */
export const ORIGIN_FOLDER = "origin_cert";

/** From this version on RSA can be asked for. Source: channel-protocol 2.2 */
const RSA_FROM = version(2, 9, 0);

/** The three files of a folder. */
export function channelPathsIn(folder: string, kind: ChannelFiles["kind"]): ChannelPaths {
  const at = (name: string) => join(folder, name);
  return { kind, ca: at("ca.crt"), cert: at("node.crt"), key: at("node.key") };
}

/** Where the files of a node's SDK port are. Source: channel-protocol 2.2 */
export function channelPaths(home: string, config: NodeConfig): ChannelPaths {
  const { identity, chain, rsaChannel } = config;
  const folder = resolve(home, identity.dataPath);
  if (rsaChannel && chain.supportedVersion >= RSA_FROM)
    return channelPathsIn(join(folder, RSA_FOLDER), "rsa");
  if (chain.nationalCrypto) return channelPathsIn(join(folder, ORIGIN_FOLDER), "secp256k1");
  const at = (path: string) => resolve(home, path);
  const { caCert, cert, key } = identity;
  return { kind: "secp256k1", ca: at(caCert), cert: at(cert), key: at(key) };
}

/** What a text is read as, or a fault that names its file. */
function readAs<T>(path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FolderFault("unusable", `${path} holds no ${what} that can be used.`, { cause });
  }
}

/** The TLS library would name neither file nor key. @throws FolderFault unusable, mismatch */
function requirePair(paths: ChannelPaths, { ca, cert, key }: ChannelFiles): void {
  readAs(paths.ca, "certificate", () => new X509Certificate(ca));
  const own = readAs(paths.cert, "certificate", () => new X509Certificate(cert));
  const privateKey = readAs(paths.key, "private key", () => createPrivateKey(key));
  if (own.checkPrivateKey(privateKey)) return;
  throw new FolderFault("mismatch", `${paths.key} is not the key of ${paths.cert}.`);
}

/**
 * The texts.
 * @throws FolderFault missing, that names the file; unusable when it cannot be read; mismatch
 */
export async function readChannelFiles(paths: ChannelPaths): Promise<ChannelFiles> {
  const textOf = async (path: string): Promise<string> => {
    const text = await readText(path);
    if (text === undefined) throw new FolderFault("missing", `${path} is missing.`);
    return text;
  };
  const [ca, cert, key] = await Promise.all([
    textOf(paths.ca),
    textOf(paths.cert),
    textOf(paths.key),
  ]);
  const files: ChannelFiles = { kind: paths.kind, ca, cert, key };
  requirePair(paths, files);
  return files;
}
