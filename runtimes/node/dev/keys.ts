/**
 * Private keys of nodes in files: PEM as the deployment tools write it, or 64 hexadecimal digits.
 */
import { mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import { codeOf } from "../../folder/durable-folder.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import {
  createKeyPair,
  curveName,
  type KeyPair,
  keyPairOf,
  privateKeyPem,
} from "../../folder/private-key.ts";
import { writeWhole } from "../../folder/whole-files.ts";
import { readKeyText } from "../../formats/keys/key-pem.ts";
import { storeFault } from "../store/store.ts";

/**
 * The key of a file.
 * @throws StoreFault corrupt when the file holds no private key of the suite's curve; io when it is
 *   unreadable
 */
export async function readNodeKey(file: string, suite: SuiteName): Promise<KeyPair> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw storeFault(file, error);
  });
  const found = readKeyText(text, suite);
  if (typeof found === "string" || found.suite !== suite) {
    const said = `${file} holds no ${curveName(suite)} private key (PEM or 64 hex digits)`;
    throw new StoreFault("corrupt", said);
  }
  const pair = keyPairOf(found.privateKey, suite);
  if (pair) return pair;
  throw new StoreFault("corrupt", `${file} holds a key outside the curve's range`);
}

/**
 * Writes a key as PEM, readable by its owner only; complete or not at all.
 * @throws StoreFault when the file cannot be written
 */
export async function writeNodeKey(file: string, key: KeyPair): Promise<void> {
  const folder = dirname(file);
  try {
    // Others may look into the folder, but for the key.
    await mkdir(folder, { recursive: true });
    await writeWhole(folder, { path: basename(file), text: privateKeyPem(key), use: "key" });
  } catch (error) {
    throw storeFault(file, error instanceof FolderFault ? error.cause : error);
  }
}

/** The key of a file, made and written first when there is no such file. */
export async function ensureNodeKey(
  file: string,
  suite: SuiteName,
  entropy: Entropy,
): Promise<KeyPair> {
  try {
    return await readNodeKey(file, suite);
  } catch (error) {
    if (!(error instanceof StoreFault) || codeOf(error.cause) !== "ENOENT") throw error;
  }
  const key = createKeyPair(entropy, suite);
  await writeNodeKey(file, key);
  return key;
}

/** The keys of the nodes below a folder, in their order. @throws StoreFault */
export async function ensureNodeKeys(
  folder: string,
  count: number,
  suite: SuiteName,
  entropy: Entropy,
): Promise<readonly KeyPair[]> {
  const keys: KeyPair[] = [];
  for (let i = 0; i < count; i++)
    keys.push(await ensureNodeKey(join(folder, `node${i}`, "node.key"), suite, entropy));
  return keys;
}
