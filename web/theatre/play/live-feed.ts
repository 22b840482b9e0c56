/** What a running node tells those who watch it: the node behind the page, or one of the tab's. */
import type { LiveMessage } from "../../../runtimes/shared/theatre/api.ts";
import type { SourceKind } from "../../data/source.ts";
import { servingNode } from "../../data/source.ts";
import { tabNode } from "../../data/tab-node.ts";

/** Learns what a node reports. */
export interface LiveListener {
  message(message: LiveMessage): void;
  /** The connection is lost, and is being tried again. */
  waiting(): void;
  /** It cannot be watched: why, in the node's own messages where it gave any. */
  failed(why: string): void;
}

interface LivePlace {
  readonly kind: SourceKind;
  /** Which node of a chain in the tab. */
  readonly node: number;
  readonly groupId: number;
}

/** How often what was stopped is looked for again. */
const LOOK_EVERY_MS = 1_000;

/** Begins to watch. @returns ends it */
export function watchLive(place: LivePlace, listener: LiveListener): () => void {
  return place.kind === "node" ? watchServer(place, listener) : watchTab(place, listener);
}

/** Whether it may come back: a node that was stopped, or a group that was there. */
function mayReturn(message: LiveMessage, wasThere: boolean): boolean {
  if (message.type !== "end") return false;
  return message.reason === "stopped" || (message.reason === "noSuchGroup" && wasThere);
}

function watchServer({ groupId }: LivePlace, listener: LiveListener): () => void {
  const address = new URL(`live?group=${groupId}`, servingNode());
  let events: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasThere = false;
  const take = (message: LiveMessage) => {
    wasThere ||= message.type === "hello";
    if (message.type !== "end") return listener.message(message);
    // What has ended is not opened again by itself.
    events?.close();
    if (!mayReturn(message, wasThere)) return listener.message(message);
    listener.waiting();
    timer = setTimeout(open, LOOK_EVERY_MS);
  };
  const open = () => {
    const source = new EventSource(address);
    events = source;
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      take(JSON.parse(data) as LiveMessage);
    });
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) listener.waiting();
      else void refusalOf(address).then((why) => listener.failed(why));
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    events?.close();
  };
}

/** Why the node refused; event sources do not tell. */
async function refusalOf(address: URL): Promise<string> {
  const end = new AbortController();
  try {
    const answer = await fetch(address, { signal: end.signal });
    return answer.ok ? "" : (await answer.text()).trim();
  } catch (cause) {
    return String(cause);
  } finally {
    end.abort();
  }
}

function watchTab({ node, groupId }: LivePlace, listener: LiveListener): () => void {
  let isWanted = true;
  const isThere = async () => (await tabNode()).status().phase === "running";
  const pull = async () => {
    const { worker } = await tabNode();
    let wasThere = false;
    while (isWanted) {
      const messages = await worker.watch(node, groupId);
      wasThere ||= messages.some(({ type }) => type === "hello");
      const isAway = messages.some((message) => mayReturn(message, wasThere));
      for (const message of messages)
        if (isWanted && !(isAway && message.type === "end")) listener.message(message);
      if (!isAway && messages.some(({ type }) => type === "end")) return;
      if (isWanted && isAway) listener.waiting();
      // It was stopped, or wiped and begun anew.
      if (isAway || messages.length === 0)
        do await new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS));
        while (isWanted && !(await isThere()));
    }
    await worker.unwatch(node, groupId);
  };
  pull().catch((cause: unknown) => {
    if (isWanted) listener.failed(cause instanceof Error ? cause.message : String(cause));
  });
  return () => {
    isWanted = false;
  };
}
