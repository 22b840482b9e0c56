/**
 * The files of tpl/: plain files that their owner changes, and what is made of them.
 * Source: generator 1, 6
 */
import { join } from "node:path";
import type { NodeId } from "../../../core/bytes/ids.ts";
import {
  type NodeTemplateName,
  type NodeTemplates,
  usualTemplates,
} from "../../folder/node-package.ts";
import { readText } from "../../folder/whole-files.ts";
import { ENDPOINT, type Endpoint } from "../../formats/config/config-kinds.ts";
import { writeValues } from "../../formats/config/config-reader.ts";
import { GENESIS_SCHEMA } from "../../formats/config/config-schema-genesis.ts";
import { readGenesisFile } from "../../formats/config/genesis-file.ts";
import { replaceList, setValue } from "../../formats/config/ini-edit.ts";

/** Templates besides those of nodes. */
export type ToolTemplateName = "group.i.genesis" | "applicationContext.xml" | "config.toml";

/** All templates of a tool folder. */
export interface ToolTemplates {
  readonly node: NodeTemplates;
  readonly tool: Readonly<Record<ToolTemplateName, string>>;
}

const SAMPLE_ID = "0".repeat(128) as NodeId;
const SAMPLE_TIMESTAMP = 1_700_000_000_000n;

/** The genesis of a group, with a sealer that stands for all. Source: generator 6.3 */
function genesisTemplate(): string {
  return writeValues(GENESIS_SCHEMA, {
    consensus: {
      consensus_type: "pbft",
      max_trans_num: 1000,
      consensus_timeout: 3,
      epoch_sealer_num: 1,
      epoch_block_num: 1000,
      "node.<i>": [SAMPLE_ID],
    },
    state: { type: "storage" },
    tx: { gas_limit: 300_000_000n },
    group: { id: 1, timestamp: SAMPLE_TIMESTAMP },
    evm: { enable_free_storage: false },
  });
}

/** For Java SDK 1.x: the line with @NODE@ stands once for each node. Source: generator 6.4 */
const APPLICATION_CONTEXT = `<?xml version="1.0" encoding="UTF-8" ?>
<beans xmlns="http://www.springframework.org/schema/beans"
       xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
       xsi:schemaLocation="http://www.springframework.org/schema/beans
           http://www.springframework.org/schema/beans/spring-beans-2.5.xsd">

  <bean id="encryptType" class="org.fisco.bcos.web3j.crypto.EncryptType">
    <constructor-arg value="@ENCRYPT_TYPE@"/>
  </bean>

  <bean id="groupChannelConnectionsConfig"
        class="org.fisco.bcos.channel.handler.GroupChannelConnectionsConfig">
    <property name="caCert" value="ca.crt"/>
    <property name="sslCert" value="sdk.crt"/>
    <property name="sslKey" value="sdk.key"/>
    <property name="allChannelConnections">
      <list>
        <bean id="group@GROUP_ID@" class="org.fisco.bcos.channel.handler.ChannelConnections">
          <property name="groupId" value="@GROUP_ID@"/>
          <property name="connectionsStr">
            <list>
              <value>@NODE@</value>
            </list>
          </property>
        </bean>
      </list>
    </property>
  </bean>

  <bean id="channelService" class="org.fisco.bcos.channel.client.Service"
        depends-on="groupChannelConnectionsConfig">
    <property name="groupId" value="@GROUP_ID@"/>
    <property name="orgID" value="@AGENCY@"/>
    <property name="allChannelConnections" ref="groupChannelConnectionsConfig"/>
  </bean>
</beans>
`;

/** For SDKs and consoles of the 2.x line. Source: console 1 (config.toml) */
const CONFIG_TOML = `# What the console and SDKs of the 2.x line connect with.

[cryptoMaterial]
# Folder of ca.crt, sdk.crt and sdk.key; on a national chain those of gm/ in it.
certPath = "conf"

[network]
# Channel ports of nodes.
peers = [@PEERS@]
# JSON-RPC ports of nodes, for a console that has no certificates.
# rpc = [@RPC@]

[account]
keyStoreDir = "account"
# accountFilePath = ""
accountFileFormat = "pem"
# accountAddress = ""
# password = ""

[threadPool]
# channelProcessorThreadSize = "16"
# receiptProcessorThreadSize = "16"
maxBlockingQueueSize = "102400"
`;

function usualToolTemplates(): Readonly<Record<ToolTemplateName, string>> {
  return {
    "group.i.genesis": genesisTemplate(),
    "applicationContext.xml": APPLICATION_CONTEXT,
    "config.toml": CONFIG_TOML,
  };
}

/** All usual templates, by their names in tpl/. Source: generator 1 */
export function allUsualTemplates(): Readonly<Record<string, string>> {
  return { ...usualTemplates(), ...usualToolTemplates() };
}

/** The templates of a tool folder; the usual ones where it has none. @throws FolderFault */
export async function readTemplates(home: string): Promise<ToolTemplates> {
  const node: Partial<Record<NodeTemplateName, string>> = { ...usualTemplates() };
  const tool: Record<ToolTemplateName, string> = { ...usualToolTemplates() };
  const read = async (name: string, put: (text: string) => void): Promise<void> => {
    const text = await readText(join(home, "tpl", name));
    if (text !== undefined) put(text);
  };
  for (const name of Object.keys(node) as NodeTemplateName[]) {
    await read(name, (text) => {
      node[name] = text;
    });
  }
  for (const name of Object.keys(tool) as ToolTemplateName[]) {
    await read(name, (text) => {
      tool[name] = text;
    });
  }
  return { node, tool };
}

/** A group that begins. */
export interface NewGenesis {
  readonly id: number;
  /** In the order of the file. */
  readonly sealers: readonly NodeId[];
  /** Milliseconds since 1970, whole seconds. */
  readonly timestamp: number;
}

/**
 * The genesis file of a group, from the template.
 * @throws ConfigFault when the template gives none that a node takes
 * Source: generator 6.3, 7
 */
export function genesisFrom(template: string, { id, sealers, timestamp }: NewGenesis): string {
  const values = [
    ["consensus", "epoch_sealer_num", sealers.length],
    ["group", "id", id],
    ["group", "timestamp", timestamp],
  ] as const;
  let text = replaceList(template, { section: "consensus", stem: "node." }, sealers);
  for (const [section, key, value] of values)
    text = setValue(text, { section, key, value: `${value}` });
  readGenesisFile(text, "tpl/group.i.genesis");
  return text;
}

/** What an SDK connects to. */
export interface SdkTarget {
  readonly groupId: number;
  readonly agency: string;
  readonly isNational: boolean;
  /** Channel ports, as an SDK dials them. */
  readonly channels: readonly Endpoint[];
  /** JSON-RPC ports. */
  readonly rpcs: readonly Endpoint[];
}

/** A text with the marks of a template replaced; a line with @NODE@ stands once for each node. */
export function fillTemplate(template: string, target: SdkTarget): string {
  const channels = target.channels.map(ENDPOINT.write);
  const rpcs = target.rpcs.map((each) => `http://${ENDPOINT.write(each)}`);
  const listed = (texts: readonly string[]) => texts.map((text) => `"${text}"`).join(", ");
  const lines = template.split("\n").flatMap((line) => {
    if (!line.includes("@NODE@")) return [line];
    return channels.map((channel) => line.replaceAll("@NODE@", channel));
  });
  return lines
    .join("\n")
    .replaceAll("@GROUP_ID@", `${target.groupId}`)
    .replaceAll("@AGENCY@", target.agency)
    .replaceAll("@ENCRYPT_TYPE@", target.isNational ? "1" : "0")
    .replaceAll("@PEERS@", listed(channels))
    .replaceAll("@RPC@", listed(rpcs));
}
