/** What manager and workers say to each other, over whatever connects them. Source: benchmark 8 */
import type { RateSpec } from "../../../shared/benchmark/rate/rate-controller.ts";
import type { StatisticsData } from "../../../shared/benchmark/statistics.ts";
import type { InstalledContract } from "../adapter/request-encoder.ts";

/** A message. */
export interface WorkerMessage {
  /** Id of a worker, or `manager`. */
  readonly sender: string;
  /** Ids, or {@link EVERYBODY} alone. */
  readonly recipients: readonly string[];
  /** As in section 8 of the specification: `register`, `connected`, `assignId`, ... */
  readonly type: string;
  readonly content: unknown;
  /** When it was sent, by the sender's clock. */
  readonly date: string;
  /** What went wrong at the sender; undefined when nothing did. */
  readonly error?: string | undefined;
}

/** Sender name of the manager. */
export const MANAGER = "manager";
/** Recipient that stands for all. */
export const EVERYBODY = "all";

/** Content of `assignId`. */
export interface AssignedId {
  readonly workerIndex: number;
}

/** What workers need of what the manager found and installed. */
export interface WorkerArguments {
  readonly contracts: readonly InstalledContract[];
  /** A key that the manager drew, because the network file has none. */
  readonly privateKey?: string | undefined;
}

/** A round as workers get it, with the names of the reference. */
export interface RoundMessage {
  readonly label: string;
  readonly rateControl: RateSpec;
  /** Of one worker. */
  readonly trim: number;
  readonly workload: {
    readonly module: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
  /** From 0. */
  readonly testRound: number;
  /** Transactions of one worker; undefined in a round by duration. */
  readonly numb?: number | undefined;
  /** Seconds. */
  readonly txDuration?: number | undefined;
  readonly totalWorkers: number;
}

/** Content of `prepare`. */
export interface PrepareContent {
  readonly round: RoundMessage;
  readonly workersNumber: number;
  readonly workerArgs: WorkerArguments;
}

/** Content of `txUpdate`: where a worker stands. */
export interface UpdateContent {
  readonly submitted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly pending: number;
  /** Of seconds only those that have changed since the last update. */
  readonly stats: StatisticsData;
}

/** Content of `testResult`. */
export interface ResultContent {
  readonly stats: StatisticsData;
  /** CPU of the worker in the round; null where it shares its process. */
  readonly cpuMs: number | null;
  /** How long it did not send because too much was on its way. */
  readonly heldBackMs: number;
  /** Sentences about nodes that were lost. */
  readonly lostNodes: readonly string[];
}

/** A message that is sent now. */
export function messageOf(
  head: Pick<WorkerMessage, "sender" | "recipients" | "type"> & {
    readonly error?: string | undefined;
  },
  content: unknown = {},
): WorkerMessage {
  return { ...head, content, date: new Date().toISOString() };
}

/** Whether a message is for someone. */
export function isFor(id: string, { recipients }: WorkerMessage): boolean {
  return recipients.includes(EVERYBODY) || recipients.includes(id);
}

/** A message of a text; undefined for what is none. */
export function readMessageText(text: string): WorkerMessage | undefined {
  try {
    return asMessage(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A message of a value that came from outside; undefined for what is none. */
export function asMessage(value: unknown): WorkerMessage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { sender, recipients, type } = value as Partial<WorkerMessage>;
  const isMessage =
    typeof sender === "string" && typeof type === "string" && Array.isArray(recipients);
  return isMessage ? (value as WorkerMessage) : undefined;
}
