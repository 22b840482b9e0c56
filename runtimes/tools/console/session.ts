/** What commands of the console work with: a group of a chain, an account, a folder, a person. */
import type { Account } from "../../../core/client/account.ts";
import type { Client } from "../../../core/client/create-client.ts";
import type { RpcMethod } from "../../../core/client/rpc-methods.ts";
import type { Hex, Receipt } from "../../../core/client/rpc-objects.ts";
import type { RpcSchema } from "../../../core/client/rpc-schema.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { ChannelTransport } from "../../node/client/channel-transport.ts";

/** How the console was started. */
export interface ConsoleOptions {
  /** One JSON document per command. */
  readonly json: boolean;
  /** `"code":1,"msg":"Success"` as consoles of 2.6 and later print it. Source: console 3 */
  readonly legacyRetcode: boolean;
  /** Rows of tables as `{name=fruit, item_id=1}`. Source: console 4.6 */
  readonly legacyRows: boolean;
  /** More than one command can follow: typed, or from a script. False for single commands. */
  readonly isInteractive: boolean;
}

/** What the node reports of its chain; asked once. */
export interface ChainInfo {
  readonly chainId: bigint;
  readonly suite: CryptoSuite;
  /** The compatibility version, without a suffix: `2.9.0`. */
  readonly supportedVersion: string;
  /** The answer to getClientVersion. */
  readonly version: Readonly<Record<string, unknown>>;
}

/** One node, asked by itself. */
export interface NodeAccess {
  /** `ip:port`, as it was given. */
  readonly endpoint: string;
  /** As {@link Session.query}, without looking for another node. */
  query<Method extends RpcMethod>(
    method: Method,
    params: RpcSchema[Method]["params"],
  ): Promise<RpcSchema[Method]["result"]>;
}

/**
 * A session of the console. Everything that needs a node connects at the first use.
 *
 * All of it throws ConsoleFault with exit code 3 when no node is reached, and the faults of the
 * client, which `runCommand` puts into words.
 */
export interface Session {
  readonly options: ConsoleOptions;
  /** The console folder: `conf`, `contracts`, `account`, `deploylog.txt`; absolute. */
  readonly folder: string;
  /** The group that commands speak of. */
  readonly groupId: number;
  /** Makes another group the current one. @throws ConsoleFault that lists the node's groups */
  switchGroup(groupId: number): Promise<void>;
  chain(): Promise<ChainInfo>;
  /** Who signs. */
  account(): Promise<Account>;
  /** Whether there is one already, so that {@link account} makes no key file. */
  hasAccount(): Promise<boolean>;
  /** Makes another account the current one, until the session ends. */
  useAccount(account: Account): void;
  /** Folder of the key files of the chain's kind: `account/ecdsa` or `account/gm`; absolute. */
  keyFolder(): Promise<string>;
  /** The typed client of the current group and account: contracts by ABI, subscriptions. */
  client(): Promise<Client>;
  /** The result of an operation; all parameters, the group among them. @throws NodeFault */
  query<Method extends RpcMethod>(
    method: Method,
    params: RpcSchema[Method]["params"],
  ): Promise<RpcSchema[Method]["result"]>;
  /**
   * Signs a transaction to a contract, hands it in and waits for its receipt.
   * @param signature as `addSealer(string)`; values as programs write them: texts, bigints for
   *   integers, `0x` text for addresses and bytes, booleans, lists
   * @returns a receipt with status 0
   * @throws ConsoleFault with the status, the reason and the hash; with the hash when no receipt
   *   came in time
   */
  send(to: Hex, signature: string, args: readonly unknown[]): Promise<Receipt>;
  /**
   * Runs a function of a contract without a transaction.
   * @param signature with the types of its results behind: `selectByName(string)(string)`
   * @returns the results
   * @throws CallFault with the status and the reason
   */
  constantCall(to: Hex, signature: string, args: readonly unknown[]): Promise<readonly unknown[]>;
  /** The node at `ip:port`, alone. @throws ConsoleFault with exit code 3 when it is not reached */
  nodeAt(endpoint: string): Promise<NodeAccess>;
  /** Nodes that are configured, whether they answer or not. */
  readonly configured: readonly string[];
  /** Nodes that the console is connected to, as `ip:port`, sorted. */
  endpoints(): Promise<readonly string[]>;
  /** The channel port. @throws ConsoleFault when the session runs over HTTP */
  channel(): Promise<ChannelTransport>;
  /** A line about work that takes a while, on standard error. */
  progress(line: string): void;
  /** Prints while a command runs: events as they come. With `--json`, one line each. */
  tell(text: string, data: unknown): void;
  /** Asks for a password without showing it. @throws ConsoleFault where nobody can answer */
  askSecret(prompt: string): Promise<string>;
  /** A command begins: what ended the one before does not end it. */
  begin(): void;
  /** Given when the person presses Ctrl+C while the command runs. */
  readonly signal: AbortSignal;
  close(): Promise<void>;
}
