/** `chain-node cert issue` and `chain-node cert renew`. */
import { resolve } from "node:path";
import { issueInto, renewIn, type WrittenCertificate } from "../folder/certificate-work.ts";
import type { CertIssueOptions, CertRenewOptions } from "./args.ts";
import { createNodeEntropy } from "./entropy.ts";

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
  const order = { ca, agency, newAgency, out: resolve(out), kind, name: options.name ?? kind };
  const context = { entropy: createNodeEntropy(), now: Date.now(), days };
  print(await issueInto(order, context), json, "certificate");
}

/** Makes a new certificate for a key that stays. */
export async function runCertRenew(folder: string, options: CertRenewOptions): Promise<void> {
  const context = { entropy: createNodeEntropy(), now: Date.now(), days: options.days };
  const written = await renewIn(resolve(folder), options.ca, context);
  print(written, options.json, "new certificate");
  if (!options.json) process.stdout.write("restart the node for it to take effect\n");
}
