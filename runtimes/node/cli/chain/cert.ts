/** `chain-node cert issue` and `chain-node cert renew`. */
import { resolve } from "node:path";
import { issueInto, renewIn, type WrittenCertificate } from "../../../folder/certificate-work.ts";
import { createNodeEntropy } from "../../machine/entropy.ts";

interface CertIssueOptions {
  readonly ca: string;
  readonly agency: string;
  readonly out: string;
  readonly name: string | undefined;
  readonly kind: "node" | "sdk";
  readonly newAgency: boolean;
  readonly key: string | undefined;
  readonly publicKey: string | undefined;
  readonly request: string | undefined;
  readonly days: number;
  readonly json: boolean;
}

/** What has to be done for a certificate to take effect. */
function nextStep({ kind, folder, files }: WrittenCertificate): string {
  if (kind === "node") return "restart the node for it to take effect";
  const list = files.join(" and ");
  return `copy ${list} from ${folder} to every application that uses this SDK, and restart those`;
}

function print(written: WrittenCertificate, isJson: boolean, sentence: string): void {
  const { name, agency, folder, nodeId, daysLeft } = written;
  const text = [
    `${sentence} of ${name} by agency ${agency} in ${folder}, valid for ${daysLeft} days`,
    `id ${nodeId}`,
  ];
  process.stdout.write(isJson ? `${JSON.stringify(written)}\n` : `${text.join("\n")}\n`);
}

/** Makes a key and a certificate. */
export async function runCertIssue(options: CertIssueOptions): Promise<void> {
  const { ca, agency, newAgency, out, kind, days, json } = options;
  const { key, publicKey, request } = options;
  const name = options.name ?? kind;
  const keys = { key, publicKey, request };
  const order = { ca, agency, newAgency, out: resolve(out), kind, name, ...keys };
  const context = { entropy: createNodeEntropy(), now: Date.now(), days };
  print(await issueInto(order, context), json, "certificate");
}

/** Makes a new certificate for a key that stays. */
export async function runCertRenew(
  folder: string,
  { ca, days, json }: Pick<CertIssueOptions, "ca" | "days" | "json">,
): Promise<void> {
  const context = { entropy: createNodeEntropy(), now: Date.now(), days };
  const written = await renewIn(resolve(folder), ca, context);
  print(written, json, "new certificate");
  if (!json) process.stdout.write(`${nextStep(written)}\n`);
}
