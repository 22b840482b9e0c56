/**
 * The SDK ports of a dev chain: certificates made at its first start, the `sdk/` folder for clients
 * to copy, one port for each node. Source: channel-protocol 2.2; generator 5
 */
import { join } from "node:path";
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import type { Log } from "../../../core/ports/log.ts";
import { OPEN_ACCESS } from "../../../core/channel/access.ts";
import {
  type Agency,
  agencyFiles,
  authorityFiles,
  below,
  createAgency,
  createAuthority,
  type IssueContext,
  issue,
  nodeFiles,
  readAgency,
  sdkFiles,
} from "../../folder/authority.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { LEAF_DAYS } from "../../formats/certificates/certificate-terms.ts";
import { suiteFile } from "../../formats/config/suite-files.ts";
import {
  type ChannelPaths,
  channelPathsIn,
  ORIGIN_FOLDER,
  readChannelFiles,
  RSA_FOLDER,
} from "../../folder/channel-files.ts";
import type { KeyPair } from "../../folder/private-key.ts";
import { createRsaSet, rsaNodeFiles, rsaSdkFiles } from "../../folder/rsa-certificate.ts";
import { type FileToWrite, readText, writeAll, writeWhole } from "../../folder/whole-files.ts";
import { type ChannelPort, openChannelPort } from "../server/channel-port.ts";
import type { Undo } from "../machine/undo.ts";

/** The agency of every dev chain. */
const AGENCY = "dev";
/** The CA of the SDK ports, below the data folder. */
const AUTHORITY_FOLDER = "cert";
/** What clients copy, below the data folder. */
const SDK_FOLDER = "sdk";

interface DevFolder {
  /** The data folder, absolute. */
  readonly path: string;
  readonly keys: readonly KeyPair[];
  /** Whether node keys are SM2, which TLS cannot use. */
  readonly sm: boolean;
  /** RSA certificates in place of secp256k1 ones. */
  readonly rsa: boolean;
  readonly entropy: Entropy;
  readonly now: number;
}

/**
 * Makes what is missing; what an earlier start made stays.
 * @returns the folder for clients, and the files of each node's port
 */
export async function ensureDevCertificates(folder: DevFolder) {
  const nodes = folder.keys.map((_, i) => pathsOf(folder, i));
  const source = join(folder.path, AUTHORITY_FOLDER, folder.rsa ? "rsa-sdk" : "sdk");
  if ((await readText(join(source, "ca.crt"))) === undefined) {
    if (folder.rsa) await makeRsa(folder, source, nodes);
    else await makeStandard(folder, source);
  }
  const sdk = join(folder.path, SDK_FOLDER);
  await copySdk(source, sdk);
  return { sdk, nodes };
}

function pathsOf({ path, sm, rsa }: DevFolder, index: number): ChannelPaths {
  const conf = join(path, `node${index}`, "conf");
  if (rsa) return channelPathsIn(join(conf, RSA_FOLDER), "rsa");
  return channelPathsIn(sm ? join(conf, ORIGIN_FOLDER) : conf, "secp256k1");
}

async function makeStandard(folder: DevFolder, source: string): Promise<void> {
  const { path, keys, sm, entropy, now } = folder;
  const context: IssueContext = { entropy, now, days: LEAF_DAYS };
  const agency = await ensureAgency(join(path, AUTHORITY_FOLDER), context);
  for (const [i, key] of keys.entries()) {
    // On a standard chain the port has the node's own key, as nodes with files of their own do.
    const issued = issue(
      { kind: "node", name: `node${i}`, ...(sm ? {} : { key }) },
      agency,
      context,
    );
    const files = nodeFiles(issued, agency.ca).filter(({ path: name }) => name !== "node.nodeid");
    await writeAll(join(pathsOf(folder, i).ca, ".."), files);
  }
  // The last to be written: with it the set is whole.
  await writeAll(source, sdkFiles(issue({ kind: "sdk", name: "sdk" }, agency, context), agency.ca));
}

/** The agency whose files are below a folder; made there when there are none. */
export async function ensureAgency(
  home: string,
  context: IssueContext,
  suite: SuiteName = "standard",
): Promise<Agency> {
  if ((await readText(join(home, AGENCY, suiteFile("agency.crt", suite)))) !== undefined)
    return readAgency(home, AGENCY);
  const ca = createAuthority(context, suite);
  const agency = createAgency(AGENCY, ca, context);
  await writeAll(home, [...authorityFiles(ca), ...below(AGENCY, agencyFiles(agency))]);
  return agency;
}

/** One pair for all nodes: making RSA keys takes long. */
async function makeRsa(
  { entropy, now }: DevFolder,
  source: string,
  nodes: readonly ChannelPaths[],
): Promise<void> {
  const set = await createRsaSet(AGENCY, { entropy, now });
  for (const { ca } of nodes) await writeAll(join(ca, ".."), rsaNodeFiles(set));
  await writeAll(source, rsaSdkFiles(set));
}

const SDK_FILES: readonly Pick<FileToWrite, "path" | "use">[] = [
  { path: "sdk.key", use: "key" },
  { path: "node.key", use: "key" },
  { path: "sdk.crt", use: "text" },
  { path: "node.crt", use: "text" },
  { path: "ca.crt", use: "text" },
];

/** `sdk/` holds the set that is served. */
async function copySdk(source: string, target: string): Promise<void> {
  for (const { path, use } of SDK_FILES) {
    const text = await readText(join(source, path));
    if (text === undefined || text === (await readText(join(target, path)))) continue;
    await writeWhole(target, { path, text, use });
  }
}

/**
 * Opens the port of every node, in their order; `undo` closes them.
 * @param options node i listens on port + i; 0 for free ports
 * @throws ListenFault, FolderFault
 */
export async function openDevChannels(
  nodes: readonly RunningNode[],
  options: DevFolder & { readonly host: string; readonly port: number; readonly log: Log },
  undo: Undo,
) {
  const { host, port, log } = options;
  const certificates = await ensureDevCertificates(options);
  const channels: ChannelPort[] = [];
  for (const [i, node] of nodes.entries()) {
    const paths = certificates.nodes[i];
    if (!paths) continue;
    const opened = await openChannelPort({
      node,
      address: { host, port: port === 0 ? 0 : port + i },
      files: await readChannelFiles(paths),
      rules: OPEN_ACCESS,
      checkIssuer: true,
      log,
    });
    undo.add(() => opened.server.close());
    channels.push(opened);
  }
  return { channels, sdk: certificates.sdk };
}
