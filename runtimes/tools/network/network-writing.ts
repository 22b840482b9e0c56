/**
 * Writes what a network lacks: all of it or nothing. The folder is the one that `chain-node init`
 * writes. Source: generator 5, 6; groups 6
 */
import { join } from "node:path";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { ENDPOINT, type Endpoint } from "../../formats/config/config-kinds.ts";
import { below } from "../../folder/authority.ts";
import { type ChainContext, createChainFolder } from "../../folder/chain-folder.ts";
import { type ChainPlan, listenIpOf, type PlannedGroup } from "../../folder/chain-layout.ts";
import { type FoundChain, type FoundNode, readChainFolder } from "../../folder/chain-reader.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import {
  mergedPeers,
  newIdentity,
  newSigners,
  orderAfter,
  readSigners,
} from "../../folder/further-node.ts";
import type { ForBothPorts, Identity } from "../../folder/holder-files.ts";
import { groupFiles, nodeFolderFiles, type PackedGroup } from "../../folder/node-package.ts";
import { genesisText, genesisTimestamp, withPeers } from "../../folder/node-texts.ts";
import type { Agency } from "../../folder/authority.ts";
import { finishCutRun, type PlacedFile, writeTree } from "../../folder/whole-tree.ts";
import type { NetworkPlan } from "./network-plan.ts";
import { givePorts, type PortedNode } from "./network-ports.ts";
import { membersOf, type NetworkGroup, type NetworkSpec, servers } from "./network-spec.ts";

function plannedGroup({ id, consensus, sealers, observers }: NetworkGroup): PlannedGroup {
  return { id, consensus, members: { sealers, observers } };
}

/** A whole network as the plan of a chain. */
async function chainPlan(spec: NetworkSpec): Promise<ChainPlan> {
  const nodes = await givePorts(servers(spec), { base: spec.basePorts, taken: new Map() });
  return {
    suite: spec.suite,
    agencies: spec.agencies,
    nodes: nodes.map(({ name, agency, host, ports, rpcIp, channelIp }) => ({
      name,
      agency,
      ports,
      endpoint: ENDPOINT.write({ host, port: ports.p2p }),
      listenIp: listenIpOf(host),
      ...(rpcIp === undefined ? {} : { rpcIp }),
      ...(channelIp === undefined ? {} : { channelIp }),
    })),
    groups: spec.groups.map(plannedGroup),
    hasToken: spec.management === "token",
    listenIp: "127.0.0.1",
    peers: nodes.map(endpointOfNode),
  };
}

function endpointOfNode({ host, ports }: PortedNode): Endpoint {
  return { host, port: ports.p2p };
}

/** Ports that nodes of a chain have, by the host where they are. */
function takenPorts(spec: NetworkSpec, nodes: readonly FoundNode[]) {
  const taken = new Map<string, Set<number>>();
  for (const { name, ports } of nodes) {
    const host = spec.nodes.find((node) => node.name === name)?.host ?? "";
    const used = taken.get(host) ?? new Set<number>();
    for (const port of Object.values(ports)) used.add(port);
    taken.set(host, used);
  }
  return taken;
}

interface AddedNode {
  readonly node: PortedNode;
  readonly identity: Identity;
}

class Addition {
  readonly files: PlacedFile[] = [];
  readonly #spec: NetworkSpec;
  readonly #chain: FoundChain;
  readonly #context: ChainContext;

  constructor(spec: NetworkSpec, chain: FoundChain, context: ChainContext) {
    this.#spec = spec;
    this.#chain = chain;
    this.#context = context;
  }

  async #signers(plan: NetworkPlan): Promise<Map<string, ForBothPorts<Agency>>> {
    const signers = new Map<string, ForBothPorts<Agency>>();
    const { folder } = this.#chain;
    for (const name of plan.agencies) {
      const { agencies, files } = await newSigners(folder, name, this.#context);
      signers.set(name, agencies);
      this.files.push(...files);
    }
    for (const { agency } of plan.nodes)
      if (!signers.has(agency)) signers.set(agency, await readSigners(folder, agency));
    return signers;
  }

  async identify(plan: NetworkPlan): Promise<readonly AddedNode[]> {
    const signers = await this.#signers(plan);
    const taken = takenPorts(this.#spec, this.#chain.nodes);
    const nodes = await givePorts(plan.nodes, { base: this.#spec.basePorts, taken });
    return nodes.map((node) => {
      const agencies = signers.get(node.agency);
      if (!agencies) throw new FolderFault("argument", `${node.name} has no agency.`);
      const certificates = { kind: "certified", agencies } as const;
      const applicant = { name: node.name, suite: this.#spec.suite };
      return { node, identity: newIdentity(applicant, certificates, this.#context) };
    });
  }

  /** Each group's genesis text: as a member has it, or a new one. */
  packGroups(added: readonly AddedNode[]): ReadonlyMap<number, PackedGroup> {
    const ids = new Map<string, NodeId>();
    for (const { name, nodeId } of this.#chain.nodes) ids.set(name, nodeId);
    for (const { node, identity } of added) ids.set(node.name, identity.nodeId);
    const timestamp = genesisTimestamp(this.#context.now);
    const known = this.#chain.nodes.flatMap(({ groups }) => groups);
    return new Map(
      this.#spec.groups.map((group) => {
        const sealers = group.sealers.flatMap((name) => ids.get(name) ?? []);
        const present = known.find(({ id }) => id === group.id)?.text;
        const genesis = present ?? genesisText(plannedGroup(group), sealers, timestamp);
        return [group.id, { id: group.id, genesis }];
      }),
    );
  }

  async addNodes(added: readonly AddedNode[], packed: ReadonlyMap<number, PackedGroup>) {
    const [from] = this.#chain.nodes;
    if (!from && added.length > 0) {
      const said = `${this.#chain.folder} holds a CA and no node`;
      throw new FolderFault("unusable", `${said}: name another folder for the chain.`);
    }
    const peers = added.map(({ node }) => endpointOfNode(node));
    for (const { node, identity } of added) {
      if (!from) return;
      const { name, host, ports, rpcIp, channelIp } = node;
      const groups = this.#spec.groups
        .filter((group) => membersOf(group).includes(name))
        .flatMap(({ id }) => packed.get(id) ?? []);
      const { program } = this.#context;
      const options = { name, host, ports, rpcIp, channelIp, program, groups, peers };
      const files = nodeFolderFiles(await orderAfter(from, options), identity);
      this.files.push(...below(join(this.#chain.folder, name), files));
    }
  }

  addGroups(plan: NetworkPlan, packed: ReadonlyMap<number, PackedGroup>): void {
    for (const { node, group } of plan.files) {
      const pack = packed.get(group.id);
      const folder = join(node.folder, node.config.groups.configPath);
      if (pack) this.files.push(...below(folder, groupFiles(pack)));
    }
  }

  /** Nodes that run are told over RPC, and write their lists themselves. */
  addPeers(added: readonly AddedNode[], stopped: ReadonlySet<string>): void {
    if (added.length === 0) return;
    const peers = added.map(({ node }) => endpointOfNode(node));
    for (const { name, path, text, config } of this.#chain.nodes) {
      if (!stopped.has(name)) continue;
      const all = mergedPeers(config.p2p.peers, peers);
      this.files.push({ path, text: withPeers(text, all), use: "text", replaces: true });
    }
  }
}

/** What writing needs to know. */
export interface NetworkWriting {
  readonly spec: NetworkSpec;
  readonly plan: NetworkPlan;
  readonly chain: FoundChain | undefined;
  /** Nodes that do not run now. */
  readonly stopped: ReadonlySet<string>;
  readonly context: ChainContext;
}

/** Brings to its end what an earlier run began; gives what it was for. @throws FolderFault */
export async function finishEarlier({ folder }: NetworkSpec): Promise<string | undefined> {
  return await finishCutRun(folder);
}

/**
 * Writes what is missing, all or nothing.
 * @returns the chain as it is now
 * @throws FolderFault when something cannot be made or written; nothing is changed then
 */
export async function writeNetwork(writing: NetworkWriting): Promise<FoundChain> {
  const { spec, plan, chain, stopped, context } = writing;
  if (!chain) await createChainFolder(spec.folder, await chainPlan(spec), context);
  else {
    const addition = new Addition(spec, chain, context);
    const added = await addition.identify(plan);
    const packed = addition.packGroups(added);
    await addition.addNodes(added, packed);
    addition.addGroups(plan, packed);
    addition.addPeers(added, stopped);
    const { files } = addition;
    const purpose = "chain-node network";
    if (files.length > 0) await writeTree({ home: spec.folder, files, purpose });
  }
  const written = await readChainFolder(spec.folder);
  if (written) return written;
  throw new FolderFault("unusable", `${spec.folder} holds no chain.`);
}
