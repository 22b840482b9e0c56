/**
 * Encryption of keys: AES-GCM with 256 bits, under a key that follows from a passphrase by PBKDF2,
 * or one that the browser made and does not hand out.
 */
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { KeyFault } from "./key-fault.ts";

/** Iterations of PBKDF2 with HMAC-SHA-256: what OWASP's Password Storage Cheat Sheet asks for. */
export const PBKDF2_ITERATIONS = 600_000;
/** A file that asks for more would keep the browser busy for minutes. */
const MOST_ITERATIONS = 20_000_000;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const AES = { name: "AES-GCM", length: 256 } as const;

/** How a key follows from a passphrase. */
export interface PassphraseLock {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
}

/** Encrypted bytes. */
export interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Whether the browser gives this page cryptography. */
export function isSecurePage(): boolean {
  return globalThis.isSecureContext && globalThis.crypto.subtle !== undefined;
}

/** @throws KeyFault insecure */
export function requireSecurePage(): void {
  if (!isSecurePage()) throw new KeyFault("insecure");
}

function random(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count));
}

function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

/** A lock for a new passphrase. @throws KeyFault noPassphrase when it is empty */
export function newLock(passphrase: string): PassphraseLock {
  if (passphrase === "") throw new KeyFault("noPassphrase");
  return { salt: random(SALT_BYTES), iterations: PBKDF2_ITERATIONS };
}

/** The same passphrase, however its accents were typed. */
function passphraseBytes(passphrase: string): Uint8Array<ArrayBuffer> {
  return owned(utf8Bytes(passphrase.normalize("NFKC")));
}

/** The key of a passphrase. @throws KeyFault insecure, damaged */
export async function keyOfPassphrase(
  passphrase: string,
  { salt, iterations }: PassphraseLock,
): Promise<CryptoKey> {
  requireSecurePage();
  if (!Number.isSafeInteger(iterations) || iterations < 1 || iterations > MOST_ITERATIONS)
    throw new KeyFault("damaged");
  const base = await crypto.subtle.importKey("raw", passphraseBytes(passphrase), "PBKDF2", false, [
    "deriveKey",
  ]);
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return crypto.subtle.deriveKey(derivation, base, AES, false, ["encrypt", "decrypt"]);
}

/** A key that lies in this browser only, and that no script can read. */
export function newBrowserKey(): Promise<CryptoKey> {
  requireSecurePage();
  return crypto.subtle.generateKey(AES, false, ["encrypt", "decrypt"]);
}

function parameters(iv: Uint8Array<ArrayBuffer>, purpose: string): AesGcmParams {
  return { name: AES.name, iv, additionalData: owned(utf8Bytes(purpose)) };
}

/** @param purpose what the bytes are; they are accepted for no other purpose */
export async function seal(key: CryptoKey, bytes: Uint8Array, purpose: string): Promise<Sealed> {
  const iv = random(IV_BYTES);
  const data = await crypto.subtle.encrypt(parameters(iv, purpose), key, owned(bytes));
  return { iv, data: new Uint8Array(data) };
}

/** The bytes; undefined when the key is another one, or they were changed. */
export async function unseal(
  key: CryptoKey,
  { iv, data }: Sealed,
  purpose: string,
): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(iv, purpose), key, data));
  } catch {
    return undefined;
  }
}
