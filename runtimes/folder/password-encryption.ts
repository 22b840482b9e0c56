/**
 * What passwords protect in PKCS #12 files: keys of passwords, ciphers and authentication codes.
 * RFC 7292, appendix B, and RFC 8018, 6.2, say how.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  pbkdf2Sync,
  timingSafeEqual,
} from "node:crypto";
import { concatBytes } from "../../core/bytes/bytes.ts";
import { FolderFault } from "./folder-fault.ts";

/** Digests of authentication codes, by object identifier. */
export const DIGESTS: Readonly<Record<string, string>> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.4": "sha224",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
/** Digests under HMAC, by object identifier. */
export const HMAC_DIGESTS: Readonly<Record<string, string>> = {
  "1.2.840.113549.2.7": "sha1",
  "1.2.840.113549.2.8": "sha224",
  "1.2.840.113549.2.9": "sha256",
  "1.2.840.113549.2.10": "sha384",
  "1.2.840.113549.2.11": "sha512",
};

/** A cipher of node:crypto and the bytes of its key. */
export interface CipherForm {
  readonly name: string;
  readonly keyBytes: number;
}

/** Ciphers of PBES2, by object identifier. */
export const CIPHERS: Readonly<Record<string, CipherForm>> = {
  "2.16.840.1.101.3.4.1.2": { name: "aes-128-cbc", keyBytes: 16 },
  "2.16.840.1.101.3.4.1.22": { name: "aes-192-cbc", keyBytes: 24 },
  "2.16.840.1.101.3.4.1.42": { name: "aes-256-cbc", keyBytes: 32 },
  "1.2.840.113549.3.7": { name: "des-ede3-cbc", keyBytes: 24 },
};
/** Ciphers with the key derivation of PKCS #12 and SHA-1, by object identifier. */
export const OLD_CIPHERS: Readonly<Record<string, CipherForm>> = {
  "1.2.840.113549.1.12.1.3": { name: "des-ede3-cbc", keyBytes: 24 },
  "1.2.840.113549.1.12.1.4": { name: "des-ede-cbc", keyBytes: 16 },
};

/** More rounds than any program writes: a file must not keep the reader busy for hours. */
const MOST_ROUNDS = 5_000_000;

/** What a key is derived of, next to the password. */
export interface Salted {
  readonly digest: string;
  readonly salt: Uint8Array;
  readonly rounds: number;
}

function requireRounds(rounds: number): void {
  if (rounds >= 1 && rounds <= MOST_ROUNDS) return;
  throw new FolderFault("unusable", `the file asks for ${rounds} rounds of key derivation`);
}

/** What the derivation of PKCS #12 is for. */
const PURPOSE = { key: 1, iv: 2, mac: 3 } as const;
/** Block of a digest in bytes; 128 of the two long ones. */
function blockBytes(digest: string): number {
  return digest === "sha384" || digest === "sha512" ? 128 : 64;
}

/** The text, and a zero, in two bytes for each sign. */
function wideBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length + 2);
  for (let i = 0; i < text.length; i++) {
    bytes[2 * i] = text.charCodeAt(i) >> 8;
    bytes[2 * i + 1] = text.charCodeAt(i) & 0xff;
  }
  return bytes;
}

/** The bytes over and over, up to a whole number of blocks. */
function repeated(bytes: Uint8Array, block: number): Uint8Array {
  const length = block * Math.ceil(bytes.length / block);
  return Uint8Array.from({ length }, (_, i) => bytes[i % bytes.length] ?? 0);
}

/** Adds `block + 1` to the number in `target`, modulo its size. */
function addOnto(target: Uint8Array, block: Uint8Array): void {
  let carry = 1;
  for (let i = target.length - 1; i >= 0; i--) {
    carry += (target[i] ?? 0) + (block[i] ?? 0);
    target[i] = carry & 0xff;
    carry >>= 8;
  }
}

/** Bytes of a password. */
function deriveOld(
  { digest, salt, rounds }: Salted,
  password: string,
  { purpose, count }: { readonly purpose: number; readonly count: number },
): Uint8Array {
  requireRounds(rounds);
  const block = blockBytes(digest);
  const inner = concatBytes(repeated(salt, block), repeated(wideBytes(password), block));
  const derived: Uint8Array[] = [];
  for (let length = 0; length < count; ) {
    const begin = concatBytes(new Uint8Array(block).fill(purpose), inner);
    let round: Uint8Array = hash(digest, begin, "buffer");
    for (let i = 1; i < rounds; i++) round = hash(digest, round, "buffer");
    derived.push(round);
    length += round.length;
    const addend = repeated(round, block).subarray(0, block);
    for (let at = 0; at < inner.length; at += block)
      addOnto(inner.subarray(at, at + block), addend);
  }
  return concatBytes(...derived).subarray(0, count);
}

/** The authentication code of a PKCS #12 file's content. */
export function authenticationCode(
  content: Uint8Array,
  password: string,
  salted: Salted,
): Uint8Array {
  const count = hash(salted.digest, "", "buffer").length;
  const key = deriveOld(salted, password, { purpose: PURPOSE.mac, count });
  return createHmac(salted.digest, key).update(content).digest();
}

/** Whether two codes are the same, in time that does not tell where they differ. */
export function sameCode(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A cipher with its key. */
export interface KeyedCipher {
  readonly name: string;
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
}

/** The cipher of PBES2. @param iv as the file has it */
export function modernCipher(
  { name, keyBytes }: CipherForm,
  password: string,
  { iv, ...salted }: Salted & { readonly iv: Uint8Array },
): KeyedCipher {
  requireRounds(salted.rounds);
  const { salt, rounds, digest } = salted;
  return { name, key: pbkdf2Sync(password, salt, rounds, keyBytes, digest), iv };
}

/** The cipher of older files, whose initial vector comes of the password too. */
export function oldCipher(
  { name, keyBytes }: CipherForm,
  password: string,
  salted: Omit<Salted, "digest">,
): KeyedCipher {
  const given = { ...salted, digest: "sha1" };
  return {
    name,
    key: deriveOld(given, password, { purpose: PURPOSE.key, count: keyBytes }),
    iv: deriveOld(given, password, { purpose: PURPOSE.iv, count: 8 }),
  };
}

/** The content; undefined when the padding says that the key is another. */
export function decrypted(
  { name, key, iv }: KeyedCipher,
  content: Uint8Array,
): Uint8Array | undefined {
  try {
    const cipher = createDecipheriv(name, key, iv);
    return concatBytes(cipher.update(content), cipher.final());
  } catch {
    // A wrong key shows in the padding.
    return undefined;
  }
}

/** The content under a cipher. */
export function encrypted({ name, key, iv }: KeyedCipher, content: Uint8Array): Uint8Array {
  const cipher = createCipheriv(name, key, iv);
  return concatBytes(cipher.update(content), cipher.final());
}
