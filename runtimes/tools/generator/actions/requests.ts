/** An agency's key that never leaves it: the request, and its signature. Source: generator 5.2 */
import { dirname, join } from "node:path";
import { certifyAgency, readSigner } from "../../../folder/authority.ts";
import { certificatesPem, ORGANISATION } from "../../../folder/certificate.ts";
import {
  certificateRequestPem,
  readCertificateRequest,
} from "../../../folder/certificate-request.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { createKeyPair, privateKeyPem } from "../../../folder/private-key.ts";
import type { FileToWrite } from "../../../folder/whole-files.ts";
import { isCertificateName } from "../../../formats/certificates/certificate-terms.ts";
import { SUITE_NAMES, suiteFile } from "../../../formats/config/suite-files.ts";
import { type Action, pathOf, placed } from "../context.ts";
import { inputText } from "../input/deployment-ini.ts";
import { refusePresent, requireName } from "./certificates.ts";

/** --generate_agency_request DIR NAME */
export const generateRequest: Action = async (context, [dir, given]) => {
  const name = requireName(given, "an agency");
  const folder = join(pathOf(context, dir), name);
  await refusePresent(folder, "choose another folder or name");
  const { suite } = context.options;
  // On a national chain the SDK port has a chain of its own.
  const suites = suite === "national" ? SUITE_NAMES : [suite];
  const files = suites.flatMap((each): FileToWrite[] => {
    const key = createKeyPair(context.entropy, each);
    const { organisation = ORGANISATION } = context;
    const holder = { name, organisation, unit: "agency" };
    const text = certificateRequestPem(holder, key);
    return [
      { path: suiteFile("agency.key", each), text: privateKeyPem(key), use: "key" },
      { path: suiteFile("agency.csr", each), text, use: "text" },
    ];
  });
  const requests = suites.map((each) => suiteFile("agency.csr", each)).join(" and ");
  const says = [
    `send ${requests} to the owner of the chain, who signs with --sign_agency_request;`,
    "put what comes back into meta, next to the key that stayed here",
  ];
  return { home: dirname(folder), files: placed(folder, files), says };
};

/** --sign_agency_request CHAIN_DIR REQUEST_FILE OUT_DIR */
export const signRequest: Action = async (context, [chain, file, outDir]) => {
  const path = pathOf(context, file);
  const request = readCertificateRequest(await inputText(path));
  if (!request || !isCertificateName(request.name)) {
    const wanted = "a request of a secp256k1 or SM2 key, signed by it, with a name in its CN";
    throw new FolderFault("unusable", `${path} is no certificate request: ${wanted} is wanted.`);
  }
  const { suite, name, publicKey } = request;
  const ca = await readSigner(pathOf(context, chain), "ca", suite);
  const out = pathOf(context, outDir);
  const certificate = certifyAgency(name, publicKey, ca, context);
  const own = suiteFile("agency.crt", suite);
  await refusePresent(join(out, own), "choose another folder");
  const text = (path: string, der: Uint8Array): FileToWrite => ({
    path: suiteFile(path, suite),
    text: certificatesPem(der),
    use: "text",
  });
  const files = [text("agency.crt", certificate), text("ca.crt", ca.certificate)];
  return {
    home: out,
    files: placed(out, files),
    result: { agency: name },
    says: [`agency ${name}: send the files of ${out} to it`],
  };
};
