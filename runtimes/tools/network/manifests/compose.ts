/** A Compose file: one service per node, each with a folder of its own. */
import { stringify } from "yaml";
import { below } from "../../../folder/authority.ts";
import type { FileToWrite } from "../../../folder/whole-files.ts";
import type { LiveNetwork } from "../live-network.ts";
import {
  confFiles,
  CONTAINER_HOME,
  CONTAINER_PORTS,
  CONTAINER_UID,
  containerConfig,
  type ContainerNode,
  GRACE_SECONDS,
} from "./container.ts";
import { dockerfileText } from "./dockerfile.ts";

const HEAD = `# Written by chain-node network manifests.
# The folders in nodes/ belong to the user of the containers: set their owner by
# sudo chown -R ${CONTAINER_UID}:${CONTAINER_UID} nodes, or name it in CHAIN_USER as 1001:1001.
# JSON-RPC and the port for SDKs are published on this host's loopback address only.
# Groups and peers are changed from inside a container, or with the token where there is one.
`;

/** Containers call themselves what Compose takes for a name. */
function serviceName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "-");
}

function serviceOf({ node, host }: ContainerNode, image: string) {
  const { rpc, channel, p2p, ws } = CONTAINER_PORTS;
  const own = node.found.ports;
  const open = (outside: number, inside: number) => `127.0.0.1:${outside}:${inside}`;
  return {
    image,
    hostname: host,
    user: `\${CHAIN_USER:-${CONTAINER_UID}:${CONTAINER_UID}}`,
    read_only: true,
    tmpfs: ["/tmp"],
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    volumes: [`./nodes/${node.spec.name}:${CONTAINER_HOME}`],
    ports: [
      open(own.rpc, rpc),
      open(own.channel, channel),
      ...(own.ws === undefined ? [] : [open(own.ws, ws)]),
    ],
    expose: [`${p2p}`],
    restart: "unless-stopped",
    stop_grace_period: `${GRACE_SECONDS}s`,
  };
}

/** The Compose file, the Dockerfile, and the folders of the nodes. @throws FolderFault */
export async function composeFiles(network: LiveNetwork): Promise<FileToWrite[]> {
  const { spec, nodes } = network;
  const all = nodes.map((node): ContainerNode => ({ node, host: serviceName(node.spec.name) }));
  const services = Object.fromEntries(
    all.map((each) => [each.host, serviceOf(each, spec.image)] as const),
  );
  const folders = await Promise.all(
    all.map(async (each) => {
      const files = await confFiles(each.node);
      return below(`nodes/${each.node.spec.name}`, [
        ...files.map(
          ({ path, text, isSecret }): FileToWrite => ({
            path: `conf/${path}`,
            text,
            use: isSecret ? "key" : "text",
          }),
        ),
        { path: "config.ini", text: containerConfig(each, all), use: "text" },
      ]);
    }),
  );
  const compose = stringify({ services }, { lineWidth: 0 });
  return [
    ...folders.flat(),
    // In the file itself older releases do not know the name.
    { path: ".env", text: `COMPOSE_PROJECT_NAME=${spec.name}\n`, use: "text" },
    { path: "Dockerfile", text: dockerfileText(), use: "text" },
    { path: "compose.yaml", text: `${HEAD}${compose}`, use: "text" },
  ];
}

/** What to do with them. */
export function composeSteps({ spec }: LiveNetwork, out: string): readonly string[] {
  return [
    `docker build -t ${spec.image} ${out}    (with the package next to the Dockerfile)`,
    `sudo chown -R ${CONTAINER_UID}:${CONTAINER_UID} ${out}/nodes`,
    `docker compose -f ${out}/compose.yaml up -d`,
  ];
}
