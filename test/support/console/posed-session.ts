/** A session without a chain: its answers are given, its calls recorded. */
import { accountOf } from "../../../core/client/account.ts";
import type { Hex, Receipt } from "../../../core/client/rpc-objects.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { Session } from "../../../runtimes/tools/console/session.ts";

/** What a session answers. */
export interface PosedAnswers {
  readonly folder?: string;
  readonly keyFolder?: string;
  readonly groupId?: number;
  readonly supportedVersion?: string;
  readonly isInteractive?: boolean;
  readonly legacyRetcode?: boolean;
  readonly legacyRows?: boolean;
  /** Results by the name of the operation. */
  readonly results?: Readonly<Record<string, unknown>>;
  readonly endpoints?: readonly string[];
  /** Output of every transaction. */
  readonly output?: Hex;
  /** Results of functions by their signatures, with the types of the results. */
  readonly constants?: Readonly<Record<string, readonly unknown[]>>;
}

/** A session, and what was asked of it. */
export interface PosedSession extends Session {
  /** Operations and transactions, in order: `getSealerList 1`, `send 0x.. f(string) a`. */
  readonly calls: string[];
  /** Lines about progress. */
  readonly lines: string[];
}

/** A hash for whatever is sent. */
export const POSED_HASH: Hex = `0x${"ab".repeat(32)}`;
const KEY = "11".repeat(32);

function none(): never {
  throw new Error("this session has none");
}

/** A session that answers as it is told; everything else is an error. */
export function posedSession(answers: PosedAnswers = {}): PosedSession {
  const calls: string[] = [];
  const lines: string[] = [];
  const suite = createStandardSuite();
  const {
    results = {},
    groupId = 1,
    supportedVersion = "2.11.1",
    output = `0x${"1".padStart(64, "0")}`,
  } = answers;
  const query = (method: string, params: readonly unknown[]): Promise<never> => {
    calls.push([method, ...params].join(" "));
    if (Object.hasOwn(results, method)) return Promise.resolve(results[method] as never);
    return Promise.reject(new Error(`no answer to ${method}`));
  };
  let account = accountOf(KEY, suite);
  let current = groupId;
  return {
    calls,
    lines,
    options: {
      json: false,
      legacyRetcode: answers.legacyRetcode ?? false,
      legacyRows: answers.legacyRows ?? false,
      isInteractive: answers.isInteractive ?? true,
    },
    folder: answers.folder ?? "/nowhere",
    get groupId() {
      return current;
    },
    switchGroup: async (id) => {
      current = id;
    },
    chain: async () => ({ chainId: 1n, suite, supportedVersion, version: {} }),
    account: async () => account,
    hasAccount: async () => true,
    useAccount: (next) => {
      account = next;
    },
    keyFolder: async () => answers.keyFolder ?? "/nowhere",
    client: none,
    query: query as Session["query"],
    send(to, signature, args) {
      calls.push(["send", to, signature, ...args].join(" "));
      const receipt = { status: "0x0", output, transactionHash: POSED_HASH };
      return Promise.resolve(receipt as unknown as Receipt);
    },
    constantCall(to, signature, args) {
      calls.push(["call", to, signature, ...args].join(" "));
      const found = answers.constants?.[signature];
      return found ? Promise.resolve(found) : Promise.reject(new Error(`no ${signature}`));
    },
    nodeAt: (endpoint) =>
      Promise.resolve({
        endpoint,
        query: ((method: string, params: readonly unknown[]) => {
          calls.push(`at ${endpoint}`);
          return query(method, params);
        }) as Session["query"],
      }),
    configured: answers.endpoints ?? [],
    endpoints: () => Promise.resolve(answers.endpoints ?? []),
    channel: none,
    progress: (line) => void lines.push(line),
    tell: none,
    askSecret: none,
    ...NEVER_INTERRUPTED,
  };
}

const NEVER_INTERRUPTED = {
  signal: new AbortController().signal,
  begin: () => undefined,
  close: () => Promise.resolve(),
};
