/** The node in a worker of this browser as a source. */
import type { TabNode, TabProvider, TabStatus } from "../../runtimes/browser/link/api.ts";
import { TransportFault } from "../../core/client/client-fault.ts";
import { customTransport } from "../../core/client/http-transport.ts";
import { addTexts, text } from "../texts.ts";
import { type ChainSource, sourceOver } from "./source.ts";
import { tabNode } from "./tab-node.ts";

addTexts({
  "source.tab": ["Node in this tab", "浏览器内节点"],
  "source.noTab": [
    "No chain runs in this browser. Start one in the part Node.",
    "此浏览器中没有运行的链，请在“节点”页面启动。",
  ],
});

/** There is no chain at the place that was chosen. */
export class NoSourceError extends Error {
  override readonly name = "NoSourceError";
}

/** What a provider answers when no node runs, or nobody hears. Source: EIP-1193 */
const DISCONNECTED = 4900;

function withoutNode(provider: TabProvider): Parameters<typeof customTransport>[0] {
  return {
    async request(call) {
      try {
        return await provider.request(call);
      } catch (cause) {
        const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
        if (code !== DISCONNECTED) throw cause;
        throw new TransportFault(String(message), { cause });
      }
    },
  };
}

/** Settles when it is known whether a chain runs. */
function settled(node: TabNode): Promise<TabStatus> {
  return new Promise((resolve) => {
    let stop: (() => void) | undefined;
    let isOver = false;
    stop = node.onStatus((status) => {
      if (isOver || status.phase === "connecting" || status.phase === "starting") return;
      isOver = true;
      stop?.();
      resolve(status);
    });
    if (isOver) stop();
  });
}

/** The source. @throws NoSourceError while no chain runs; what connecting to the worker throws */
export async function tabSource(): Promise<ChainSource> {
  const node = await tabNode();
  const { phase, reason } = await settled(node);
  if (phase !== "running") throw new NoSourceError(reason ?? text("source.noTab"));
  const { provider } = node;
  return sourceOver(
    { name: text("source.tab"), kind: "tab" },
    {
      ...customTransport(withoutNode(provider)),
      subscribe: async ([groupId, kind, filter], listener) => {
        const wanted = [
          Number(groupId),
          (filter ?? {}) as Readonly<Record<string, unknown>>,
        ] as const;
        const stop = await provider.subscribe(String(kind), wanted, (result) =>
          listener.onResult(result),
        );
        const first = node.status().chain?.created;
        let unwatch: (() => void) | undefined;
        let isOver = false;
        const end = (cause?: Error) => {
          if (isOver) return;
          isOver = true;
          unwatch?.();
          stop();
          if (cause) listener.onEnd?.(cause);
        };
        // The provider goes on with whichever chain runs; a reader has to know that it is another.
        unwatch = node.onStatus((status) => {
          if (status.phase === "running" && status.chain?.created === first) return;
          end(new TransportFault(text("source.noTab")));
        });
        if (isOver) unwatch();
        return { stop: async () => end() };
      },
    },
  );
}

/** Calls when a chain runs. @returns ends the wait */
export async function whenTabRuns(onReady: () => void): Promise<() => void> {
  const node = await tabNode();
  return node.onStatus(({ phase }) => {
    if (phase === "running") onReady();
  });
}
