/** `get_account.sh` and `get_gm_account.sh`: key files without a chain. Source: console 4.1 */
import { resolve } from "node:path";
import type { SuiteName } from "../../../../core/crypto/suite.ts";
import { createNodeEntropy } from "../../../node/machine/entropy.ts";
import { createChainSuite } from "../../../node/machine/chain-suite.ts";
import { EXIT, type ExitCode, usageFault } from "../command.ts";
import type { Output } from "../output.ts";
import { jsonText } from "../print.ts";
import { createKeyFile, type KeyFormat, readKeyFile } from "./key-files.ts";

/** Words that stand for the two scripts. */
export const ACCOUNT_SCRIPTS: Readonly<Record<string, SuiteName>> = {
  get_account: "standard",
  get_gm_account: "national",
};

const FOLDER = "accounts";
const USAGE = `Makes a key file in ${FOLDER}/, or tells the address of one.

  get_account.sh          a new PEM file
  get_account.sh -p       a new PKCS #12 file; asks for its password
  get_account.sh -k file  the address of a PEM file
  get_account.sh -P file  the address of a PKCS #12 file; asks for its password
`;

interface NewKey {
  readonly format: KeyFormat;
  /** A file that is there; a new one when absent. */
  readonly path?: string;
}

/** @throws ConsoleFault with exit code 2 */
function requestOf(args: readonly string[]): NewKey | undefined {
  const [flag, path, ...rest] = args;
  if (flag === undefined) return { format: "pem" };
  if (flag === "-h" || flag === "--help") return undefined;
  if (flag === "-p" && path === undefined) return { format: "p12" };
  const isKnown = flag === "-k" || flag === "-P";
  if (isKnown && path !== undefined && rest.length === 0)
    return { format: flag === "-k" ? "pem" : "p12", path };
  throw usageFault(`${args.join(" ")} is not understood.\n${USAGE}`);
}

/** Does what one of the scripts is for. @throws ConsoleFault */
export async function runAccountScript(
  suiteName: SuiteName,
  args: readonly string[],
  output: Output,
): Promise<ExitCode> {
  const request = requestOf(args);
  if (request === undefined) {
    output.out(USAGE);
    return EXIT.done;
  }
  const suite = await createChainSuite(suiteName);
  const { format, path } = request;
  const print = (address: string, file: string): void => {
    const lines = [`Account Address: ${address}`, `File: ${file}`];
    output.out(output.json ? `${jsonText({ address, file })}\n` : `${lines.join("\n")}\n`);
  };
  if (path !== undefined) {
    const file = resolve(path);
    const password = (): Promise<string> => output.askSecret(`Password of ${path}: `);
    const { address } = await readKeyFile(file, { suite, format, password });
    print(address, file);
    return EXIT.done;
  }
  const password = format === "pem" ? "" : await output.askSecret("New password: ");
  const entropy = createNodeEntropy();
  const made = await createKeyFile(resolve(FOLDER), { suite, format, password, entropy });
  print(made.address, made.path);
  return EXIT.done;
}
