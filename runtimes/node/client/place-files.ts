/**
 * The three files of a client, looked at before a connection is tried: TLS would say in its own
 * words, and too late, what the program has to correct.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { UsageFault } from "../../../core/client/client-fault.ts";

/** Texts in PEM. */
export interface PlaceFiles {
  readonly ca: string | Uint8Array;
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
}

const FILES = { ca: "ca.crt", cert: "sdk.crt", key: "sdk.key" } as const;
type Member = keyof typeof FILES;

/** The beginning of every PEM text. */
const PEM = "-----BEGIN ";

function textOf(files: PlaceFiles, member: Member): string {
  const value: unknown = files[member];
  const wanted = `${member}: the text of ${FILES[member]} is expected`;
  if (typeof value !== "string" && !(value instanceof Uint8Array))
    throw new UsageFault(`${wanted}, but it is ${value === null ? "null" : typeof value}`);
  const text = typeof value === "string" ? value : Buffer.from(value).toString("latin1");
  if (text.includes(PEM)) return text;
  const isPath = text.length > 0 && text.length < 1_024 && !text.trim().includes("\n");
  const hint = isPath ? "; this looks like a path: give what readFile gives of it" : "";
  throw new UsageFault(`${wanted}, which begins with ${PEM.trim()}${hint}`);
}

function readAs<T>(member: Member, kind: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = `the text of ${FILES[member]} holds no ${kind} that can be read`;
    const text = `${member}: ${what} (${why})`;
    throw new UsageFault(text, { cause });
  }
}

/** @throws UsageFault that names the member and what is wrong with it */
export function requireFiles(files: PlaceFiles): void {
  const ca = textOf(files, "ca");
  const cert = textOf(files, "cert");
  const key = textOf(files, "key");
  readAs("ca", "certificate", () => new X509Certificate(ca));
  const own = readAs("cert", "certificate", () => new X509Certificate(cert));
  const privateKey = readAs("key", "private key", () => createPrivateKey(key));
  if (!own.checkPrivateKey(privateKey))
    throw new UsageFault("key: sdk.key does not belong to sdk.crt: take both from one folder");
}
