/**
 * Private keys of nodes in files: PEM as the deployment tools write it, or 64 hexadecimal digits.
 */
import { createPrivateKey } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { InvariantFault } from "../../../core/fault/invariant.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import { parseSm2Key, sm2KeyPem } from "../../formats/keys/sm2-key.ts";
import { storeFault } from "../store/store.ts";

/** Owner only: a key file is never readable by others. */
const KEY_MODE = 0o600;
const KEY_BYTES = 32;
/** Tries before the generator itself is held to be broken. */
const MAX_DRAWS = 8;
const HEX_KEY = /^(?:0x)?([0-9a-fA-F]{64})$/;
/** Name of the standard curve in a JSON web key. */
const CURVE = "secp256k1";

/** A node's private key and the node ID that follows from it. */
export interface NodeKey {
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
  readonly nodeId: NodeId;
}

/** The 32 bytes of a key file's text; undefined when it holds none for the suite's curve. */
function parseKey(text: string, suite: CryptoSuite): Uint8Array | undefined {
  const hex = HEX_KEY.exec(text.trim())?.[1];
  if (hex !== undefined) return new Uint8Array(Buffer.from(hex, "hex"));
  if (suite.name === "national") return parseSm2Key(text);
  try {
    const { crv, d } = createPrivateKey(text).export({ format: "jwk" });
    if (crv !== CURVE || d === undefined) return undefined;
    const bytes = Buffer.from(d, "base64url");
    const key = new Uint8Array(KEY_BYTES);
    key.set(bytes, KEY_BYTES - bytes.length);
    return key;
  } catch {
    return undefined;
  }
}

function nodeKey(privateKey: Uint8Array, suite: CryptoSuite): NodeKey {
  return { privateKey, nodeId: nodeIdOf(suite.publicKey(privateKey)) };
}

/** PKCS #8 PEM of a private key. */
function pemOf(key: NodeKey, suite: CryptoSuite): string {
  const publicKey = Buffer.from(key.nodeId, "hex");
  if (suite.name === "national") return sm2KeyPem(key.privateKey, publicKey);
  const jwk = {
    kty: "EC",
    crv: CURVE,
    d: Buffer.from(key.privateKey).toString("base64url"),
    x: publicKey.subarray(0, KEY_BYTES).toString("base64url"),
    y: publicKey.subarray(KEY_BYTES).toString("base64url"),
  };
  const pem = createPrivateKey({ key: jwk, format: "jwk" }).export({
    format: "pem",
    type: "pkcs8",
  });
  return pem.toString();
}

/**
 * The key of a file.
 *
 * @throws StoreFault corrupt when the file holds no private key of the suite's curve; io when it is
 * unreadable
 */
export async function readNodeKey(file: string, suite: CryptoSuite): Promise<NodeKey> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw storeFault(file, error);
  });
  const privateKey = parseKey(text, suite);
  if (!privateKey) {
    const curve = suite.name === "national" ? "SM2" : CURVE;
    const said = `${file} holds no ${curve} private key (PEM or 64 hex digits)`;
    throw new StoreFault("corrupt", said);
  }
  try {
    return nodeKey(privateKey, suite);
  } catch (error) {
    throw new StoreFault("corrupt", `${file} holds a key outside the curve's range`, {
      cause: error,
    });
  }
}

/** A new random key. */
export function createNodeKey(suite: CryptoSuite, entropy: Entropy): NodeKey {
  for (let draws = 0; draws < MAX_DRAWS; draws++) {
    try {
      return nodeKey(entropy.bytes(KEY_BYTES), suite);
    } catch {
      // Zero, or not below the curve's order: one draw in 2^127.
    }
  }
  throw new InvariantFault("the source of randomness gives no usable key");
}

/**
 * Writes a key as PEM, readable by its owner only; complete or not at all.
 *
 * @throws StoreFault when the file cannot be written
 */
export async function writeNodeKey(file: string, key: NodeKey, suite: CryptoSuite): Promise<void> {
  const draft = `${file}.new`;
  try {
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(draft, "w", KEY_MODE);
    try {
      await handle.chmod(KEY_MODE);
      await handle.writeFile(pemOf(key, suite));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    throw storeFault(file, error);
  }
}

/** The key of a file, made and written first when there is no such file. */
export async function ensureNodeKey(
  file: string,
  suite: CryptoSuite,
  entropy: Entropy,
): Promise<NodeKey> {
  try {
    return await readNodeKey(file, suite);
  } catch (error) {
    const cause = error instanceof StoreFault ? error.cause : undefined;
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw error;
  }
  const key = createNodeKey(suite, entropy);
  await writeNodeKey(file, key, suite);
  return key;
}
