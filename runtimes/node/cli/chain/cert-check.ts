/** `chain-node cert check`: dates of certificates, and who signed them. Source: generator 10.2 */
import { basename } from "node:path";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { readText } from "../../../folder/whole-files.ts";
import { parseCertificates } from "../../../folder/certificate.ts";
import {
  daysUntil,
  REASON_TEXT,
  verifyChain,
  WARN_BEFORE_DAYS,
} from "../../../formats/certificates/certificate-chain.ts";
import {
  type ParsedCertificate,
  parseCertificate,
} from "../../../formats/certificates/parsed-certificate.ts";
import { SUITE_NAMES, suiteFile } from "../../../formats/config/suite-files.ts";

interface CertFinding {
  readonly ok: boolean;
  /** A sentence without its full stop. */
  readonly says: string;
}

const CA_NAMES = SUITE_NAMES.map((suite) => suiteFile("ca.crt", suite));

function day(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

/** Whether a certificate is valid now. */
export function checkDates(
  file: string,
  { subjectName, notBefore, notAfter }: ParsedCertificate,
  now: number,
): CertFinding {
  const who = `${file}: ${subjectName}`;
  if (now < notBefore) {
    const clock = `it begins at ${day(notBefore)}, and this host's clock says ${day(now)}`;
    return { ok: false, says: `${who} is not yet valid: ${clock}` };
  }
  if (now > notAfter) {
    const next = "renew it with chain-node cert renew";
    return { ok: false, says: `${who} has expired at ${day(notAfter)}: ${next}` };
  }
  const days = daysUntil(notAfter, now);
  const soon = days < WARN_BEFORE_DAYS ? ": renew it soon" : "";
  return { ok: true, says: `${who} is valid until ${day(notAfter)}, ${days} days${soon}` };
}

/** All certificates of a file. @throws FolderFault missing or unusable */
async function read(path: string): Promise<readonly ParsedCertificate[]> {
  const text = await readText(path);
  if (text === undefined) throw new FolderFault("missing", `${path} is not there.`);
  const parsed = parseCertificates(text).map(parseCertificate);
  if (parsed.length === 0) throw new FolderFault("unusable", `${path} holds no certificate.`);
  return parsed.map((each) => {
    if (typeof each !== "string") return each;
    throw new FolderFault("unusable", `${path}: ${REASON_TEXT[each]}.`);
  });
}

/** Name of the root, the agency's certificate, dates and signatures. */
async function checkChain(path: string, ca: string, now: number): Promise<readonly CertFinding[]> {
  const name = basename(ca);
  if (!CA_NAMES.includes(name)) {
    const says = `${ca} is not named ${CA_NAMES.join(" or ")}: name the chain's certificate first`;
    return [{ ok: false, says }];
  }
  const [roots, own] = [await read(ca), await read(path)];
  const dates = [
    ...roots.map((each) => checkDates(ca, each, now)),
    ...own.map((each) => checkDates(path, each, now)),
  ];
  const [leaf, ...issuers] = own;
  const root = roots.some(({ subject }) => subject === leaf?.issuer);
  const found: CertFinding[] = [];
  if (issuers.length === 0 && !root) {
    const says = `${path} lacks the agency's certificate: append agency.crt to it`;
    found.push({ ok: false, says });
  }
  const verdict = verifyChain(
    own.map(({ der }) => der),
    { authorities: roots.map(({ der }) => der), now },
  );
  if (verdict.ok) {
    const says = `${path} is signed for ${ca}: node ${verdict.node}, agency ${verdict.agency}`;
    return [...dates, ...found, { ok: true, says }];
  }
  const isSaid =
    found.length > 0 || verdict.reason === "expired" || verdict.reason === "notYetValid";
  const place = `${verdict.place} certificate ${verdict.name}`;
  const says = `${path} is not of the chain of ${ca}: ${REASON_TEXT[verdict.reason]} (${place})`;
  return [...dates, ...found, ...(isSaid ? [] : [{ ok: false, says }])];
}

/**
 * Checks a certificate; the exit code is 1 when something is wrong with it.
 * @param path file with one certificate or several, the node's or SDK's own first
 * @throws FolderFault missing or unusable, when a file cannot be read
 */
export async function runCertCheck(
  path: string,
  { ca, json }: { readonly ca: string | undefined; readonly json: boolean },
): Promise<number> {
  const now = Date.now();
  const found =
    ca === undefined
      ? (await read(path)).map((each) => checkDates(path, each, now))
      : await checkChain(path, ca, now);
  const lines = found.map(({ ok, says }) => `[${ok ? "INFO" : "ERROR"}] ${says}\n`);
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : lines.join(""));
  return found.every(({ ok }) => ok) ? 0 : 1;
}
