/** What the doctor can see in a node's folder. Source: issue 3 (doctor) */
import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { WARN_BEFORE_DAYS } from "../../folder/certificate-chain.ts";
import { readGenesisFile } from "../../folder/genesis-file.ts";
import { readGroupFile } from "../../folder/group-file.ts";
import type { NodeConfig } from "../../folder/node-config.ts";
import type { NodeIdentity } from "../../folder/node-identity.ts";
import { certificateDaysLeft, identityPaths, readOwnIdentity } from "../own-certificates.ts";
import type { NodeProbe } from "./node-probe.ts";
import { failure, messageOf, note, ok, type Verdict, warning } from "./verdict.ts";

const MEBIBYTE = 1024 * 1024;
/** Less free space stops the group soon. */
const LEAST_FREE_MIB = 512;
const LOW_FREE_MIB = 5 * 1024;
const LEAST_INODES = 1_000;
const LOW_INODES = 20_000;
/** Bits of a mode that let others than the owner read or write. */
const OTHERS_MODE = 0o077;
const STATUS_WORDS = ["RUNNING", "STOPPING", "STOPPED", "DELETED"];

/** config.ini. */
export function checkConfig({ config, problems, folder }: NodeProbe): readonly Verdict[] {
  const check = "config";
  if (!config) {
    const next = "Correct it; docs/reference/config.md lists every key.";
    return problems.map((problem) => failure(check, problem, next));
  }
  if (problems.length === 0) return [ok(check, `${basename(folder.config)} is read`)];
  const next = "Remove or correct the key; the node runs without it.";
  return problems.map((problem) => warning(check, problem, next));
}

/** Key, certificate and how long it lasts. */
export async function checkIdentity(
  home: string,
  config: NodeConfig,
  now: number,
): Promise<{ readonly verdicts: readonly Verdict[]; readonly identity?: NodeIdentity }> {
  const paths = identityPaths(home, config.identity);
  let identity: NodeIdentity;
  try {
    identity = await readOwnIdentity(home, config.identity, now);
  } catch (cause) {
    const next = `Restore the files from a copy, or issue a certificate for ${paths.key}.`;
    return { verdicts: [failure("keys", messageOf(cause), next)] };
  }
  const { node, agency } = identity.membership;
  const verdicts = [ok("keys", `key and certificate of ${node} of ${agency} belong together`)];
  const days = certificateDaysLeft(identity, now);
  const renew = "Renew it with chain-node cert renew, then restart the node.";
  if (days > WARN_BEFORE_DAYS) verdicts.push(ok("certificate", `valid for ${days} days`));
  else verdicts.push(warning("certificate", `ends in ${days} days`, renew));
  const mode = await stat(paths.key).then((found) => found.mode & OTHERS_MODE);
  if (mode !== 0 && process.platform !== "win32") {
    verdicts.push(warning("key file", "others may read it", `chmod 600 ${paths.key}`));
  }
  return { verdicts, identity };
}

async function groupIds(home: string, config: NodeConfig) {
  const folder = resolve(home, config.groups.configPath);
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /^group\.[^.]+\.genesis$/.test(name)).sort();
  return { folder, files };
}

/** Each group's files, and the marks that its ledger leaves. */
export async function checkGroups(home: string, config: NodeConfig): Promise<readonly Verdict[]> {
  const { folder, files } = await groupIds(home, config);
  if (files.length === 0) {
    const next = "generateGroup makes one; or copy group.N.genesis from another node.";
    return [warning("groups", `there is no group in ${folder}`, next)];
  }
  const each = files.map((file) => checkGroup(home, config, join(folder, file)));
  return (await Promise.all(each)).flat();
}

async function checkGroup(home: string, config: NodeConfig, path: string): Promise<Verdict[]> {
  let groupId: number;
  try {
    const { genesis } = readGenesisFile(await readFile(path, "utf8"), path).value;
    groupId = genesis.groupId;
    const ini = path.replace(/genesis$/, "ini");
    const text = await readFile(ini, "utf8").catch(() => "");
    readGroupFile(text, ini, { version: config.chain.supportedVersion, genesis });
  } catch (cause) {
    const next = "Correct the file; a genesis file must equal that of the other nodes.";
    return [failure("groups", messageOf(cause), next)];
  }
  const data = join(resolve(home, config.groups.dataPath), `group${groupId}`);
  return [await checkWord(groupId, data), ...(await checkLedger(groupId, data))];
}

async function checkWord(groupId: number, data: string): Promise<Verdict> {
  const check = `group ${groupId}`;
  const path = join(data, ".group_status");
  const word = (await readFile(path, "utf8").catch(() => undefined))?.trim();
  if (word === undefined) return note(check, "was never started here");
  if (STATUS_WORDS.includes(word)) return ok(check, `its status is ${word}`);
  const next = `Write RUNNING or STOPPED into ${path}, then restart the node.`;
  return failure(check, `${path} holds no status word`, next);
}

/** A ledger is whole as far as its marks say; reading it all is what a start does. */
async function checkLedger(groupId: number, data: string): Promise<readonly Verdict[]> {
  const check = `ledger ${groupId}`;
  const ledger = join(data, "block");
  const isMade = await exists(`${ledger}.made`);
  const current = (await readFile(join(ledger, "CURRENT"), "utf8").catch(() => undefined))?.trim();
  const restore = `Restore ${ledger} from a copy; until then this node must not vote.`;
  if (current === undefined) {
    return isMade ? [failure(check, `${ledger} is gone, and it was there before`, restore)] : [];
  }
  if (!(await exists(join(ledger, current)))) {
    return [failure(check, `${ledger} is damaged: ${current} is missing`, restore)];
  }
  return [ok(check, "its marks are in place")];
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Space and inodes where the ledgers are. */
export async function checkDisk(home: string, config: NodeConfig): Promise<readonly Verdict[]> {
  const path = resolve(home, config.groups.dataPath);
  const disk = await statfs(path).catch(() => statfs(home));
  const free = Math.floor((disk.bavail * disk.bsize) / MEBIBYTE);
  const next = `Free space on the disk of ${path}, or move the node to a larger one.`;
  const shown = `${free} MiB are free`;
  const space =
    free < LEAST_FREE_MIB
      ? failure("disk", shown, next)
      : free < LOW_FREE_MIB
        ? warning("disk", shown, next)
        : ok("disk", shown);
  // Some file systems have no fixed number of inodes and report none.
  if (disk.files === 0) return [space];
  const files = `${disk.ffree} inodes are free`;
  const remove = `Remove files on the disk of ${path}.`;
  if (disk.ffree < LEAST_INODES) return [space, failure("inodes", files, remove)];
  if (disk.ffree < LOW_INODES) return [space, warning("inodes", files, remove)];
  return [space, ok("inodes", files)];
}
