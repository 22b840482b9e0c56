/**
 * Caliper with its connector for this chain, in a cache folder: a peer to compare with, never a
 * dependency.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../support/runner/root.ts";

const run = promisify(execFile);
const VERSION = "0.5.0";
/** The connector loads it without naming it. */
const WEB3_VERSION = "0.20.7";
/** From the registry, in place of the repository that web3 names. */
const BIGNUMBER_VERSION = "2.0.8";
const FOLDER = join(ROOT, "node_modules/.cache", `caliper-${VERSION}`);

/** Where its modules are. */
export const CALIPER_MODULES = join(FOLDER, "node_modules");

/** What Caliper needs of Node 20: its TLS client names a curve that TLS 1.3 does not have. */
export const CALIPER_FLAGS = "--tls-max-v1.2";

/** The path of its program; installs it the first time, from the registry. */
export async function installedCaliper(say: (line: string) => void): Promise<string> {
  const program = join("node_modules/@hyperledger/caliper-cli/caliper.js");
  if (existsSync(join(FOLDER, program))) return join(FOLDER, program);
  say(`installing Caliper ${VERSION} into ${FOLDER}, once`);
  const making = `${FOLDER}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true });
  const manifest = {
    private: true,
    dependencies: {
      "@hyperledger/caliper-cli": VERSION,
      "@hyperledger/caliper-fisco-bcos": VERSION,
      web3: WEB3_VERSION,
    },
    overrides: { web3: { "bignumber.js": BIGNUMBER_VERSION } },
  };
  await writeFile(join(making, "package.json"), JSON.stringify(manifest));
  // Its scripts build native parts that nobody uses here.
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", words, { cwd: making });
  await rename(making, FOLDER);
  return join(FOLDER, program);
}
