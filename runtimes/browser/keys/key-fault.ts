/** What can be wrong with keys and passphrases; pages have words for each kind. */

/**
 * `insecure`: the page is no secure context, so the browser has no cryptography for it; `locked`: a
 * passphrase is wanted; `wrongPassphrase`; `noPassphrase`: an empty one was chosen; `damaged`: what
 * is stored, or a file, cannot be read; `encrypted`: a PEM with a password of its own; `unusable`:
 * no key of a curve that chains use; `exists`, `missing`: by its address or name.
 */
export type KeyFaultKind =
  | "insecure"
  | "locked"
  | "wrongPassphrase"
  | "noPassphrase"
  | "damaged"
  | "encrypted"
  | "unusable"
  | "exists"
  | "missing";

const SENTENCES: Readonly<Record<KeyFaultKind, string>> = {
  insecure: "keys cannot be kept on this page: open it through localhost or https",
  locked: "the keys are locked: enter their passphrase",
  wrongPassphrase: "this is not the passphrase of these keys",
  noPassphrase: "an empty passphrase protects nothing: choose one",
  damaged: "the stored keys cannot be read",
  encrypted:
    "this key has a password of its own: decrypt it first: openssl pkey -in key.pem -out plain.pem",
  unusable: "there is no private key of secp256k1 or SM2 in it (PEM, or 64 hexadecimal digits)",
  exists: "this key is there already",
  missing: "there is no such key",
};

/** A fault of keys. */
export class KeyFault extends Error {
  override readonly name = "KeyFault";
  readonly kind: KeyFaultKind;

  constructor(kind: KeyFaultKind, options?: { readonly cause?: unknown }) {
    super(SENTENCES[kind], options);
    this.kind = kind;
  }
}
