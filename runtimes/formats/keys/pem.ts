/** PEM text: labelled base64 blocks in a file. Nothing of a platform but `atob` and `btoa`. */

/** One block. */
export interface PemBlock {
  /** What stands after BEGIN, such as CERTIFICATE. */
  readonly label: string;
  readonly bytes: Uint8Array;
}

const LINE_LENGTH = 64;
/** More text than any file of keys or certificates has. */
const MAX_PEM_LENGTH = 1024 * 1024;
const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*?)-----END \1-----/g;

/** The block as text, in lines of 64 characters as openssl writes it. */
export function encodePem(label: string, bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const base64 = btoa(binary);
  const lines = [`-----BEGIN ${label}-----`];
  for (let i = 0; i < base64.length; i += LINE_LENGTH) lines.push(base64.slice(i, i + LINE_LENGTH));
  return [...lines, `-----END ${label}-----`, ""].join("\n");
}

/** The blocks of a text in order; text around them, and blocks that are not base64, are skipped. */
export function decodePem(text: string): PemBlock[] {
  if (text.length > MAX_PEM_LENGTH) return [];
  const blocks: PemBlock[] = [];
  for (const [, label = "", body = ""] of text.matchAll(BLOCK)) {
    const bytes = decodeBase64(body.replace(/\s+/g, ""));
    if (bytes) blocks.push({ label, bytes });
  }
  return blocks;
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
