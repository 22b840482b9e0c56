/** How the connections of a page reach one node: the HTTP endpoint, and JSON-RPC with pushes. */
import type { RunningNode } from "../../core/node/create-node.ts";
import {
  type SubscriberLine,
  SubscriptionService,
} from "../../core/node/feed/subscription-service.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { ALL_LEAVE, dispatch } from "../../core/rpc/dispatch.ts";
import { createPace } from "../../core/limits/pace.ts";
import { wholeText } from "../../core/rpc/long-answer.ts";
import { createHttpApp, DEFAULT_MAX_BODY_BYTES } from "../shared/http-app.ts";
import { ALL_MANAGE } from "../shared/http-caller.ts";
import type { PlainRequest, PlainResponse } from "./link/api.ts";
import { nextTurn } from "./turn.ts";

/** Notifications that a page has not heard yet, in characters; more end its subscriptions. */
export const MOST_UNHEARD = 8 * 1024 * 1024;

/** A connection to one node. */
export interface NodeLine {
  /** The text of the answer. */
  post(body: string): Promise<string>;
  /** The page has heard this many characters more. */
  heard(count: number): void;
  close(): void;
}

/** A caller that is notified of subscriptions. */
export interface NotifiedPage {
  /** Takes the text of a notification. */
  tell(text: string): void;
  /** It sleeps: its subscriptions are over, and it may begin again when it wakes up. */
  cut(): void;
}

type EndedNode = Pick<RunningNode, "api" | "onBlock">;

/** One node's end. */
export interface NodeEnd<Node extends EndedNode = RunningNode> {
  readonly node: Node;
  fetch(request: PlainRequest): Promise<PlainResponse>;
  open(page: NotifiedPage): NodeLine;
}

interface NodeEndOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** {@link MOST_UNHEARD} when absent. */
  readonly mostUnheard?: number;
}

/** The end of a node. Only pages of its own origin can reach it. Source: decision 24 */
export function createNodeEnd<Node extends EndedNode>(
  node: Node,
  options: NodeEndOptions,
): NodeEnd<Node> {
  const { clock, log, mostUnheard = MOST_UNHEARD } = options;
  const pace = createPace(clock);
  const { api } = node;
  const maxBodyBytes = DEFAULT_MAX_BODY_BYTES;
  const { app } = createHttpApp({ node: api, maxBodyBytes, lists: ALL_MANAGE, log, pace });
  const service = new SubscriptionService(api, { clock, log });
  node.onBlock((block) => void service.onBlock(block));
  const answer = async (body: string, line: SubscriberLine): Promise<string> => {
    const { method, answered } = line.request();
    let isOwn = false;
    const ownMethod = (name: string) => {
      const own = method(name);
      isOwn ||= own !== undefined;
      return own;
    };
    const text = await dispatch(api, body, { ...ALL_LEAVE, log, pace, ownMethod });
    // The answer goes first.
    if (isOwn) nextTurn(answered);
    return text;
  };
  return {
    node,
    async fetch({ path, method, headers, body }) {
      const response = await app.request(path, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      const told: Record<string, string> = {};
      response.headers.forEach((value, name) => {
        told[name] = value;
      });
      return { status: response.status, headers: told, body: await response.text() };
    },
    open(page) {
      let unheard = 0;
      let isOpen = true;
      const cut = (): void => {
        if (!isOpen) return;
        isOpen = false;
        nextTurn(() => line.close());
        page.cut();
      };
      const line = service.open({
        address: "",
        async send(answer) {
          const text = typeof answer === "string" ? answer : await wholeText(answer, pace);
          if (!isOpen) return;
          unheard += text.length;
          if (unheard > mostUnheard) cut();
          else page.tell(text);
        },
        unsentBytes: () => unheard,
        isOpen: () => isOpen,
        refuse: cut,
      });
      return {
        post: (body) => answer(body, line),
        heard(count) {
          unheard = Math.max(0, unheard - count);
        },
        close: () => line.close(),
      };
    },
  };
}
