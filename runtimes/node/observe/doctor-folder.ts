/** What the doctor can see in a node's folder. */
import { reasonOf } from "../../folder/folder-fault.ts";
import { readdir, readFile, statfs } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CLOCK_WARN_MS } from "../../../core/network/clock-skew.ts";
import { WARN_BEFORE_DAYS } from "../../formats/certificates/certificate-chain.ts";
import { channelPaths } from "../../folder/channel-files.ts";
import { readGenesisFile } from "../../formats/config/genesis-file.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import type { NodeIdentity } from "../../folder/node-identity.ts";
import type { KeyPair } from "../../folder/private-key.ts";
import { suiteFile } from "../../formats/config/suite-files.ts";
import { certificateDaysLeft, identityPaths, readOwnIdentity } from "./own-certificates.ts";
import type { NodeProbe } from "./node-probe.ts";
import { readManagement } from "../machine/node-management.ts";
import { statOf } from "../store/folder-presence.ts";
import { checkOpening, LOOPBACK } from "./opening.ts";
import { failure, ok, type Verdict, warning } from "./verdict.ts";

const MEBIBYTE = 1024 * 1024;
/** Less free space stops the group soon. */
const LEAST_FREE_MIB = 512;
const LOW_FREE_MIB = 5 * 1024;
const LEAST_INODES = 1_000;
const LOW_INODES = 20_000;
/** Bits of a mode that let others than the owner read or write. */
const OTHERS_MODE = 0o077;

/** What to do about a warning of a reader of ini files. */
export function configStep(problem: string): string {
  if (/is not set: listening on/.test(problem))
    return "Set it: 127.0.0.1 for this host only, an address of this host, or 0.0.0.0 for all.";
  if (/supported_version.*is missing/.test(problem))
    return "Write the version that the chain was made with; it is the same on all nodes.";
  if (/unknown|ignored/.test(problem)) return "Remove or correct it; the node runs without it.";
  if (/an older name/.test(problem)) return "Rename it; the node understands both.";
  return "Correct the value; until then the node runs with what is reported here.";
}

/** config.ini. */
export function checkConfig({ config, problems, folder }: NodeProbe): readonly Verdict[] {
  const check = "config";
  if (!config) {
    const next = "Correct it; docs/reference/config.md lists every key.";
    return problems.map((problem) => failure(check, problem, next));
  }
  const verdicts = problems.map((problem) => warning(check, problem, configStep(problem)));
  const all = [...verdicts, ...checkListenAddress(config)];
  const found = all.length > 0 ? all : [ok(check, `${basename(folder.config)} is read`)];
  return [...found, ...checkOpening(config)];
}

/** Peers elsewhere cannot connect to a node that listens on this host only. */
function checkListenAddress({ p2p }: NodeConfig): Verdict[] {
  const far = p2p.peers.find(({ host }) => !LOOPBACK.test(host));
  if (!far || !LOOPBACK.test(p2p.listen.ip)) return [];
  const says = `[p2p] listen_ip is ${p2p.listen.ip}: peers such as ${far.host} cannot connect here`;
  const next = "Set an address of this host, or 0.0.0.0, as [p2p] listen_ip.";
  return [warning("config", says, next)];
}

/** The sealers that the genesis files of a node name. */
async function sealersOf(folder: string): Promise<ReadonlySet<string>> {
  const sealers = new Set<string>();
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith(".genesis")) continue;
    const path = join(folder, name);
    try {
      const { genesis } = readGenesisFile(await readFile(path, "utf8"), path).value;
      for (const sealer of genesis.sealers) sealers.add(sealer);
    } catch {
      // The checks of groups say so.
    }
  }
  return sealers;
}

/** Own black- and whitelist against the node itself and the sealers of its groups. */
export async function checkLists(
  { nodeId, folder }: NodeProbe,
  { blacklist, whitelist, groups }: NodeConfig,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const isOwn = (id: string) => id === nodeId;
  const short = (id: string) => id.slice(0, 8);
  if (blacklist.some(isOwn)) {
    const says = "this node's own ID is in [certificate_blacklist]";
    const next = "Remove it here and on the other nodes: those with the same list refuse this one.";
    verdicts.push(warning("lists", says, next));
  }
  const sealers = await sealersOf(resolve(folder.path, groups.configPath));
  const black = new Set<string>(blacklist);
  const white = new Set<string>(whitelist);
  for (const sealer of sealers) {
    if (isOwn(sealer)) continue;
    const refuses = `refuses sealer ${short(sealer)}`;
    if (black.has(sealer)) {
      const next = "Remove it from [certificate_blacklist], or remove the node from the group.";
      verdicts.push(warning("lists", `[certificate_blacklist] ${refuses} of the genesis`, next));
    } else if (white.size > 0 && !white.has(sealer)) {
      const next = "Add it to [certificate_whitelist], or remove the node from the group.";
      verdicts.push(warning("lists", `[certificate_whitelist] ${refuses} of the genesis`, next));
    }
  }
  return verdicts;
}

/** A fault of keys: what is wrong, and what to do where the message says it. */
function keyFault(cause: unknown, key: string): Verdict {
  const text = reasonOf(cause);
  const end = /\. (?=[A-Z])/.exec(text)?.index;
  if (end !== undefined) return failure("keys", text.slice(0, end), text.slice(end + 2));
  const next = text.startsWith(key)
    ? "Restore it from a copy; without it the node needs a new key, and a new role for that."
    : "Restore it from a copy, or from another node of the chain.";
  return failure("keys", text, next);
}

/** The ID that scripts and operators read is that of the key. */
async function checkNodeId(folder: string, { suite, nodeId }: KeyPair): Promise<Verdict[]> {
  const path = join(folder, suiteFile("node.nodeid", suite));
  const noted = await readFile(path, "utf8").catch(() => undefined);
  if (noted === undefined || noted.trim().toLowerCase() === nodeId) return [];
  const says = `${path} holds another ID than the key`;
  return [warning("node ID", says, `Write this into it: ${nodeId}`)];
}

/** Keys that others of this host may read: the node's own and that of its port for SDKs. */
async function checkKeyFiles(keys: readonly string[]): Promise<readonly Verdict[]> {
  if (process.platform === "win32") return [];
  const verdicts: Verdict[] = [];
  for (const path of new Set(keys)) {
    // A port without its files is reported elsewhere.
    const { mode = 0 } = (await statOf(path)) ?? {};
    if ((mode & OTHERS_MODE) !== 0)
      verdicts.push(warning("key file", `others may read ${path}`, `chmod 600 ${path}`));
  }
  return verdicts;
}

/** Whether the file with the token of management holds one. Source: decision 31 */
export async function checkToken(home: string, { rpc }: NodeConfig): Promise<readonly Verdict[]> {
  const { management } = rpc;
  if (management.mode !== "token") return [];
  const path = resolve(home, management.tokenFile);
  try {
    await readManagement(home, management);
    return await checkKeyFiles([path]);
  } catch (cause) {
    const next = `Write one: (umask 077; openssl rand -hex 32 > ${path}), and start the node anew.`;
    return [failure("token", reasonOf(cause).replace(/\.$/, ""), next)];
  }
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
    return { verdicts: [keyFault(cause, paths.key)] };
  }
  const { node, agency } = identity.membership;
  const verdicts = [ok("keys", `key and certificate of ${node} of ${agency} belong together`)];
  const days = certificateDaysLeft(identity, now);
  const renew = "Renew it with chain-node cert renew, then restart the node.";
  if (days > WARN_BEFORE_DAYS) verdicts.push(ok("certificate", `valid for ${days} days`));
  else verdicts.push(warning("certificate", `ends in ${days} days`, renew));
  verdicts.push(...(await checkKeyFiles([paths.key, channelPaths(home, config).key])));
  verdicts.push(...(await checkNodeId(dirname(paths.key), identity.key)));
  return { verdicts, identity };
}

/** A node goes on with the certificate that it was started with. */
export function checkUsedCertificate(
  { health, folder }: NodeProbe,
  identity: NodeIdentity | undefined,
  now: number,
): readonly Verdict[] {
  if (!health || !identity) return [];
  const days = health.certificateDaysLeft;
  if (Math.abs(days - certificateDaysLeft(identity, now)) <= 1) return [];
  const says = `the node still uses another one, which ends in ${days} days`;
  const next = `Restart ${folder.name}: it reads the file when it starts.`;
  return [warning("certificate", says, next)];
}

/** Files that were written later than now: the clock of this host was set back, or is behind. */
export async function checkFileTimes(
  home: string,
  config: NodeConfig,
  now: number,
): Promise<readonly Verdict[]> {
  const data = resolve(home, config.groups.dataPath);
  const folders = (await readdir(data).catch(() => [])).map((name) => join(data, name, "block"));
  folders.push(resolve(home, config.log.log_path));
  let newest = { path: "", at: 0 };
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const { mtimeMs: at = 0 } = (await statOf(path)) ?? {};
      if (at > newest.at) newest = { path, at };
    }
  }
  const ahead = newest.at - now;
  if (ahead <= CLOCK_WARN_MS) return [];
  const says = `${newest.path} was written ${Math.round(ahead / 1_000)} s in the future`;
  return [warning("clock", says, "Set the clock of this host by NTP: it was set back.")];
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
