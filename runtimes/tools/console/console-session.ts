/** The session of a console that runs: connections, account, group. */
import type { Account } from "../../../core/client/account.ts";
import type { Client } from "../../../core/client/create-client.ts";
import { type RpcMethod, typedRequest } from "../../../core/client/rpc-methods.ts";
import type { Hex, Receipt } from "../../../core/client/rpc-objects.ts";
import type { RpcSchema } from "../../../core/client/rpc-schema.ts";
import type { ChannelTransport } from "../../node/client/channel-transport.ts";
import type { NamedKey } from "./account/chosen-account.ts";
import { ConsoleFault } from "./command.ts";
import type { ConsoleConfig } from "./config.ts";
import { NodePool, type VersionAnswer } from "./connect/node-pool.ts";
import { patientClient } from "./connect/patient-client.ts";
import { asConsoleFault } from "./faults.ts";
import type { ChainInfo, ConsoleOptions, NodeAccess, Session } from "./session.ts";
import { encodedCall, resultsOf } from "./signature.ts";

/** Who sits in front of the console. */
export interface Person {
  progress(line: string): void;
  tell(text: string, data: unknown): void;
  askSecret(prompt: string): Promise<string>;
}

/** What a session begins with. */
export interface SessionTerms {
  readonly options: ConsoleOptions;
  readonly config: ConsoleConfig;
  readonly groupId: number;
  readonly named: NamedKey | undefined;
  /** Content of the file of `--token-file`. */
  readonly token: string | undefined;
  readonly person: Person;
}

/** The session; made once per run. */
export class ConsoleSession implements Session {
  readonly options: ConsoleOptions;
  readonly folder: string;
  readonly #terms: SessionTerms;
  #groupId: number;
  #pool: Promise<NodePool> | undefined;
  #chain: Promise<ChainInfo> | undefined;
  #account: Promise<Account> | undefined;
  #client: Promise<Client> | undefined;
  #interruption = new AbortController();

  constructor(terms: SessionTerms) {
    this.#terms = terms;
    this.options = terms.options;
    this.folder = terms.config.folder;
    this.#groupId = terms.groupId;
  }

  get groupId(): number {
    return this.#groupId;
  }

  get configured(): readonly string[] {
    const { rpc, peers } = this.#terms.config;
    return rpc.length > 0 ? rpc.map((url) => new URL(url).host) : peers.map(({ text }) => text);
  }

  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  begin(): void {
    if (this.signal.aborted) this.#interruption = new AbortController();
  }

  interrupt(): void {
    this.#interruption.abort();
  }

  async switchGroup(groupId: number): Promise<void> {
    const groups = await this.#groupsOfNodes();
    if (!groups.includes(groupId)) throw missingGroup(groupId, groups);
    this.#groupId = groupId;
    this.#client = undefined;
  }

  /** @throws ConsoleFault when no node is a member of the current group */
  async requireGroup(): Promise<void> {
    const groups = await this.#groupsOfNodes();
    if (!groups.includes(this.#groupId)) throw missingGroup(this.#groupId, groups);
  }

  async #groupsOfNodes(): Promise<readonly number[]> {
    const pool = await this.#open();
    const lists = await Promise.all(
      (await pool.endpoints()).map(async (endpoint) => {
        const { transport } = await pool.at(endpoint);
        return await typedRequest(transport)("getGroupList", []);
      }),
    );
    return [...new Set(lists.flat())].sort((a, b) => a - b);
  }

  async #open(): Promise<NodePool> {
    const pool = await this.#nodes();
    await pool.open();
    return pool;
  }

  /** The configured nodes, connected or not. */
  #nodes(): Promise<NodePool> {
    this.#pool ??= this.#readKeys().catch((cause: unknown) => {
      this.#pool = undefined;
      throw cause;
    });
    return this.#pool;
  }

  async #readKeys(): Promise<NodePool> {
    const { config, token, person } = this.#terms;
    const { channelConnector, httpConnector } = await import("./connect/connectors.ts");
    const connector =
      config.rpc.length > 0 ? httpConnector(config.rpc, token) : await channelConnector(config);
    const warn = (line: string): void => person.progress(line);
    return new NodePool(connector, { chainId: config.chainId, warn });
  }

  chain(): Promise<ChainInfo> {
    this.#chain ??= this.#askChain().catch((cause: unknown) => {
      this.#chain = undefined;
      throw cause;
    });
    return this.#chain;
  }

  async #askChain(): Promise<ChainInfo> {
    const { version, current } = await this.#open();
    return await chainInfoOf(version, current.endpoint);
  }

  account(): Promise<Account> {
    this.#account ??= this.#choose().catch((cause: unknown) => {
      this.#account = undefined;
      throw cause;
    });
    return this.#account;
  }

  async #choose(): Promise<Account> {
    const { chooseAccount } = await import("./account/chosen-account.ts");
    const { named, config, person } = this.#terms;
    const { suite } = await this.chain();
    return await chooseAccount({
      named,
      config: config.account,
      suite,
      askSecret: (prompt) => person.askSecret(prompt),
      progress: (line) => person.progress(line),
    });
  }

  async hasAccount(): Promise<boolean> {
    const { named, config } = this.#terms;
    const { filePath, address } = config.account;
    if ([this.#account, named, filePath, address].some((it) => it !== undefined)) return true;
    const { listKeyFiles } = await import("./account/key-files.ts");
    return (await listKeyFiles(await this.keyFolder())).length > 0;
  }

  useAccount(account: Account): void {
    this.#account = Promise.resolve(account);
    this.#client = undefined;
  }

  async keyFolder(): Promise<string> {
    const { keyFolder } = await import("./account/key-files.ts");
    const { suite } = await this.chain();
    return keyFolder(this.#terms.config.account.keyStoreDir, suite.name);
  }

  client(): Promise<Client> {
    this.#client ??= this.#makeClient().catch((cause: unknown) => {
      this.#client = undefined;
      throw cause;
    });
    return this.#client;
  }

  async #makeClient(): Promise<Client> {
    const pool = await this.#open();
    const { suite } = await this.chain();
    const account = await this.account();
    const options = { transport: pool.transport(), groupId: this.#groupId, suite, account };
    return patientClient(options, (line) => this.progress(line));
  }

  async query<Method extends RpcMethod>(
    method: Method,
    params: RpcSchema[Method]["params"],
  ): Promise<RpcSchema[Method]["result"]> {
    const pool = await this.#open();
    return await typedRequest(pool.transport())(method, params, this.signal);
  }

  async send(to: Hex, signature: string, args: readonly unknown[]): Promise<Receipt> {
    const client = await this.client();
    const { data } = encodedCall(signature, args, (await this.chain()).suite);
    try {
      return await client.execute({ to, data }, { signal: this.signal });
    } catch (cause) {
      throw asConsoleFault(cause) ?? cause;
    }
  }

  async constantCall(
    to: Hex,
    signature: string,
    args: readonly unknown[],
  ): Promise<readonly unknown[]> {
    const { suite } = await this.chain();
    const { item, data } = encodedCall(signature, args, suite);
    const from = (await this.account()).address;
    const answer = await this.query("call", [this.#groupId, { from, to, data }]);
    return resultsOf(item, answer, suite);
  }

  async nodeAt(endpoint: string): Promise<NodeAccess> {
    const pool = await this.#nodes();
    // When no node answers, the named one is asked by itself: its own reason is what is told.
    await pool.open().catch(() => undefined);
    const link = await pool.at(endpoint);
    const request = typedRequest(link.transport);
    return {
      endpoint,
      query: (method, params) => request(method, params, this.signal),
    };
  }

  async endpoints(): Promise<readonly string[]> {
    return await (await this.#open()).endpoints();
  }

  async channel(): Promise<ChannelTransport> {
    const { channel } = (await this.#open()).current;
    if (channel) return channel;
    throw new ConsoleFault("this needs the channel port: start without --url and network.rpc.");
  }

  progress(line: string): void {
    this.#terms.person.progress(line);
  }

  tell(text: string, data: unknown): void {
    this.#terms.person.tell(text, data);
  }

  askSecret(prompt: string): Promise<string> {
    return this.#terms.person.askSecret(prompt);
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.close();
  }
}

function missingGroup(groupId: number, groups: readonly number[]): ConsoleFault {
  const list = groups.length === 0 ? "none" : groups.join(", ");
  const text = `no connected node is a member of group ${groupId}; their groups: ${list}.`;
  return new ConsoleFault(text, { data: { groups } });
}

/** How a release ends on a national chain. Source: sm-suite 1 */
const NATIONAL = /\bgm$/i;
const CHAIN_ID = /^\d{1,20}$/;

/**
 * Reads the answer to getClientVersion. Source: interface 2.6
 * @throws ConsoleFault when it is none
 */
export async function chainInfoOf(version: VersionAnswer, endpoint: string): Promise<ChainInfo> {
  const chainId = String(version["Chain Id"] ?? "");
  if (!CHAIN_ID.test(chainId))
    throw new ConsoleFault(`${endpoint} does not answer as a node does: no chain ID.`);
  const supportedVersion = String(version["Supported Version"] ?? "").replace(/ ?gm$/i, "");
  const isNational = NATIONAL.test(String(version["FISCO-BCOS Version"] ?? ""));
  const { createChainSuite } = await import("../../node/machine/chain-suite.ts");
  const suite = await createChainSuite(isNational ? "national" : "standard");
  return { chainId: BigInt(chainId), suite, supportedVersion, version };
}
