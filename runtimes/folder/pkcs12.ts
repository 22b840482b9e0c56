/**
 * Keys of accounts in PKCS #12 files, under a password. Reads what openssl, Java and Bouncy Castle
 * write, and writes what they read. Source: console 4.1
 */
import { keyIdentifierOf } from "../../core/crypto/certificate-crypto.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import { decodePem, encodePem } from "../formats/keys/pem.ts";
import {
  type BerValue,
  derOf,
  identifier,
  identifierOf,
  integer,
  isSequence,
  member,
  membersOf,
  nothing,
  numberOf,
  octets,
  octetsOf,
  readBer,
  sequence,
  set,
  tagged,
  taggedOctets,
  wideText,
} from "./ber.ts";
import { issueCertificate } from "./certificate.ts";
import { FolderFault } from "./folder-fault.ts";
import {
  authenticationCode,
  CIPHERS,
  decrypted,
  DIGESTS,
  encrypted,
  HMAC_DIGESTS,
  type KeyedCipher,
  modernCipher,
  OLD_CIPHERS,
  oldCipher,
  sameCode,
} from "./password-encryption.ts";
import { curveName, type KeyPair, parsePrivateKey, privateKeyPem } from "./private-key.ts";

const OID = {
  data: "1.2.840.113549.1.7.1",
  encryptedData: "1.2.840.113549.1.7.6",
  keyBag: "1.2.840.113549.1.12.10.1.1",
  shroudedKeyBag: "1.2.840.113549.1.12.10.1.2",
  certificateBag: "1.2.840.113549.1.12.10.1.3",
  nestedBags: "1.2.840.113549.1.12.10.1.6",
  x509: "1.2.840.113549.1.9.22.1",
  friendlyName: "1.2.840.113549.1.9.20",
  localKeyId: "1.2.840.113549.1.9.21",
  pbes2: "1.2.840.113549.1.5.13",
  pbkdf2: "1.2.840.113549.1.5.12",
} as const;
const AES = "2.16.840.1.101.3.4.1.42";
const HMAC_SHA256 = "1.2.840.113549.2.9";
const SHA256 = "2.16.840.1.101.3.4.2.1";
/** Bags within bags at most. */
const MOST_NESTED = 8;

function wrongPassword(): FolderFault {
  return new FolderFault("mismatch", "wrong password: it does not open the PKCS #12 file");
}

function unknownForm(what: string): FolderFault {
  return new FolderFault(
    "unusable",
    `the PKCS #12 file uses ${what}, which is not read here; write it again with ` +
      "openssl pkcs12 -export -keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha256",
  );
}

/** The parameters of key derivation, with the digest they imply. */
function modern(parameters: BerValue, password: string): KeyedCipher {
  const [derivation, scheme] = [member(parameters, 0), member(parameters, 1)];
  const function_ = identifierOf(member(derivation, 0));
  if (function_ !== OID.pbkdf2) throw unknownForm(`the key derivation ${function_}`);
  const [salt, rounds, ...rest] = membersOf(member(derivation, 1));
  const last = rest.at(-1);
  // Key length and digest may both be absent; only the digest is a sequence.
  const prf = last !== undefined && isSequence(last) ? member(last, 0) : undefined;
  const digestId = prf === undefined ? "1.2.840.113549.2.7" : identifierOf(prf);
  const digest = HMAC_DIGESTS[digestId];
  if (digest === undefined) throw unknownForm(`the digest ${digestId}`);
  const cipherId = identifierOf(member(scheme, 0));
  const form = CIPHERS[cipherId];
  if (form === undefined) throw unknownForm(`the cipher ${cipherId}`);
  if (salt === undefined || rounds === undefined) throw unknownForm("an unknown key derivation");
  const iv = octetsOf(member(scheme, 1));
  return modernCipher(form, password, {
    salt: octetsOf(salt),
    rounds: numberOf(rounds),
    digest,
    iv,
  });
}

/** What opens the content that the algorithm protects. */
function cipherOf(algorithm: BerValue, password: string): KeyedCipher {
  const id = identifierOf(member(algorithm, 0));
  const parameters = member(algorithm, 1);
  if (id === OID.pbes2) return modern(parameters, password);
  const form = OLD_CIPHERS[id];
  if (form === undefined) throw unknownForm(`the encryption ${id}`);
  const salt = octetsOf(member(parameters, 0));
  return oldCipher(form, password, { salt, rounds: numberOf(member(parameters, 1)) });
}

function opened(algorithm: BerValue, content: BerValue, password: string): Uint8Array {
  const bytes = decrypted(cipherOf(algorithm, password), octetsOf(content));
  if (bytes === undefined) throw wrongPassword();
  return bytes;
}

/** The keys among bags, as PKCS #8. */
function keysIn(bags: BerValue, password: string, depth = 0): readonly Uint8Array[] {
  return membersOf(bags).flatMap((bag) => {
    const value = member(member(bag, 1), 0);
    switch (identifierOf(member(bag, 0))) {
      case OID.keyBag:
        return [derOf(value)];
      case OID.shroudedKeyBag:
        return [opened(member(value, 0), member(value, 1), password)];
      case OID.nestedBags:
        return depth < MOST_NESTED ? keysIn(value, password, depth + 1) : [];
      default:
        return [];
    }
  });
}

/** The octets within a part of kind `data`. */
function contentOf(part: BerValue): Uint8Array {
  return octetsOf(member(member(part, 1), 0));
}

/** The bags of a part that is under the password as a whole. */
function openedBags(part: BerValue, password: string): BerValue {
  const content = member(member(member(part, 1), 0), 1);
  return readBer(opened(member(content, 1), member(content, 2), password));
}

/** The keys of a file. Certificates are often under another cipher, and not examined for keys. */
function keysOf(parts: readonly BerValue[], password: string): readonly Uint8Array[] {
  const kindOf = (part: BerValue): string => identifierOf(member(part, 0));
  const plain = parts.filter((part) => kindOf(part) === OID.data);
  const found = plain.flatMap((part) => keysIn(readBer(contentOf(part)), password));
  if (found.length > 0) return found;
  const closed = parts.filter((part) => kindOf(part) === OID.encryptedData);
  return closed.flatMap((part) => keysIn(openedBags(part, password), password));
}

/** @throws FolderFault when the code says that the password is another, or the file was changed */
function requireCode(content: Uint8Array, code: BerValue, password: string): void {
  const digestId = identifierOf(member(member(member(code, 0), 0), 0));
  const digest = DIGESTS[digestId];
  if (digest === undefined) throw unknownForm(`the authentication ${digestId}`);
  const rounds = membersOf(code)[2];
  const made = authenticationCode(content, password, {
    digest,
    salt: octetsOf(member(code, 1)),
    rounds: rounds === undefined ? 1 : numberOf(rounds),
  });
  if (!sameCode(made, octetsOf(member(member(code, 0), 1)))) throw wrongPassword();
}

/**
 * The key of a PKCS #12 file.
 * @throws FolderFault `mismatch` for a wrong password, or a key of another curve than the
 *   suite's; `unusable` for what is no such file, has no key, or is under a cipher that is not read
 *   here
 */
export function readPkcs12(
  bytes: Uint8Array,
  password: string,
  suite: SuiteName = "standard",
): KeyPair {
  const file = readBer(bytes);
  const safe = member(file, 1);
  if (identifierOf(member(safe, 0)) !== OID.data) throw unknownForm("a signature in place of one");
  const content = contentOf(safe);
  const code = membersOf(file)[2];
  if (code !== undefined) requireCode(content, code, password);
  const keys = keysOf(membersOf(readBer(content)), password);
  if (keys.length === 0) throw new FolderFault("unusable", "the PKCS #12 file holds no key");
  const texts = keys.map((key) => encodePem("PRIVATE KEY", key));
  for (const text of texts) {
    const pair = parsePrivateKey(text, suite);
    if (pair) return pair;
  }
  throw new FolderFault("mismatch", `the key of the PKCS #12 file is not of ${curveName(suite)}`);
}

/** The alias that other consoles look for. Source: console 4.1 */
const ALIAS = "key";
const SALT_BYTES = 16;
const IV_BYTES = 16;
/** Rounds for a caller that guesses passwords; a third of a second for a caller that knows it. */
const ROUNDS = 100_000;
/** Nobody asks a certificate of an account how old it is; the years are those that all count. */
const CERTIFICATE_FROM = Date.UTC(2000, 0, 1);
const CERTIFICATE_UNTIL = Date.UTC(2100, 0, 1);

/** Something under the password: the algorithm, and the content. */
function shrouded(
  content: Uint8Array,
  password: string,
  entropy: Entropy,
): { readonly algorithm: BerValue; readonly bytes: Uint8Array } {
  const [salt, iv] = [entropy.bytes(SALT_BYTES), entropy.bytes(IV_BYTES)];
  const given = { salt, iv, rounds: ROUNDS, digest: "sha256" };
  const cipher = modernCipher({ name: "aes-256-cbc", keyBytes: 32 }, password, given);
  const derivation = sequence(
    identifier(OID.pbkdf2),
    sequence(octets(salt), integer(ROUNDS), sequence(identifier(HMAC_SHA256), nothing())),
  );
  const scheme = sequence(identifier(AES), octets(iv));
  const algorithm = sequence(identifier(OID.pbes2), sequence(derivation, scheme));
  return { algorithm, bytes: encrypted(cipher, content) };
}

function bag(kind: string, value: BerValue, keyId: Uint8Array): BerValue {
  const name = sequence(identifier(OID.friendlyName), set(wideText(ALIAS)));
  const id = sequence(identifier(OID.localKeyId), set(octets(keyId)));
  return sequence(identifier(kind), tagged(0, value), set(name, id));
}

/**
 * A PKCS #12 file with the key under the alias `key`, and a certificate of its own next to it,
 * without which Java does not show the key. Source: console 4.1
 */
export function writePkcs12(key: KeyPair, password: string, entropy: Entropy): Uint8Array {
  const request = { kind: "sdk", name: ALIAS, publicKey: key.publicKey } as const;
  const period = { validFrom: CERTIFICATE_FROM, validUntil: CERTIFICATE_UNTIL };
  const certificate = issueCertificate({ ...request, ...period }, { key }, entropy);
  const keyId = keyIdentifierOf(key.publicKey);
  const [pkcs8] = decodePem(privateKeyPem(key));
  const hidden = shrouded(pkcs8?.bytes ?? new Uint8Array(0), password, entropy);
  const keyValue = sequence(hidden.algorithm, octets(hidden.bytes));
  const keys = derOf(sequence(bag(OID.shroudedKeyBag, keyValue, keyId)));
  const x509 = sequence(identifier(OID.x509), tagged(0, octets(certificate)));
  const certificateBag = derOf(sequence(bag(OID.certificateBag, x509, keyId)));
  const closed = shrouded(certificateBag, password, entropy);
  const closedContent = sequence(
    identifier(OID.data),
    closed.algorithm,
    taggedOctets(0, closed.bytes),
  );
  const content = derOf(
    sequence(
      sequence(identifier(OID.encryptedData), tagged(0, sequence(integer(0), closedContent))),
      sequence(identifier(OID.data), tagged(0, octets(keys))),
    ),
  );
  const salt = entropy.bytes(SALT_BYTES);
  const code = authenticationCode(content, password, { digest: "sha256", salt, rounds: ROUNDS });
  const digest = sequence(sequence(identifier(SHA256), nothing()), octets(code));
  return derOf(
    sequence(
      integer(3),
      sequence(identifier(OID.data), tagged(0, octets(content))),
      sequence(digest, octets(salt), integer(ROUNDS)),
    ),
  );
}
