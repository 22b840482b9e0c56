/** Follows the head of a group: by subscription, and by asking while there is none. */
import { addTexts, text } from "../texts.ts";
import type { ChainSource } from "./source.ts";

/** Who learns of the head. */
interface HeadListener {
  onHeight(height: number): void;
  /** Nothing is heard; it is tried again until the follower is stopped. */
  onTrouble(cause: unknown): void;
}

/** Between two questions, and between two attempts to subscribe. */
const ASK_EVERY_MS = 1_000;
/** Readers see at most this many heights in a second. */
const TELL_EVERY_MS = 200;
/** A subscription that says nothing for so long is asked whether the chain stands still. */
const QUIET_MS = 10_000;

/** Tells the newest value, not more often than the pace. */
function paced(tell: (height: number) => void) {
  let newest = -1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saidAt = Number.NEGATIVE_INFINITY;
  const say = () => {
    timer = undefined;
    saidAt = performance.now();
    tell(newest);
  };
  return {
    push(height: number): void {
      if (height <= newest) return;
      newest = height;
      const wait = saidAt + TELL_EVERY_MS - performance.now();
      if (wait <= 0 && timer === undefined) say();
      else timer ??= setTimeout(say, wait);
    },
    /** Whatever comes next is told: the chain that answers again may be another one. */
    forget(): void {
      newest = -1;
    },
    stop: () => clearTimeout(timer),
  };
}

async function askHeight(source: ChainSource, groupId: number): Promise<number> {
  return Number(await source.request({ method: "getBlockNumber", params: [groupId] }));
}

addTexts({
  "live.other": [
    "Another chain answers at this place now: it is shown in a moment.",
    "此处现在是另一条链，即将显示。",
  ],
});

/** Another chain is where the one was that is followed. */
class OtherChainError extends Error {
  override readonly name = "OtherChainError";
}

/** Follows the head of a group. @returns ends it */
export function followHead(
  source: ChainSource,
  groupId: number,
  listener: HeadListener,
): () => void {
  const heights = paced((height) => listener.onHeight(height));
  let stopped = false;
  let isSubscribed = false;
  let heardAt = 0;
  let firstBlock: unknown;
  let endSubscription: (() => Promise<void>) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** @throws OtherChainError once for each other chain */
  const checkChain = async () => {
    const before = firstBlock;
    firstBlock = await source.request({ method: "getBlockHashByNumber", params: [groupId, "0"] });
    const isOther = before !== undefined && before !== firstBlock;
    if (isOther) throw new OtherChainError(text("live.other"));
  };
  const hear = (height: number) => {
    if (stopped) return;
    heardAt = performance.now();
    heights.push(height);
  };
  const subscribe = async () => {
    const subscription = await source.subscribe([groupId, "blocks", {}], {
      onResult: (header) => hear(Number((header as { number: number | string }).number)),
      onEnd: () => {
        isSubscribed = false;
      },
    });
    isSubscribed = true;
    endSubscription = () => subscription.stop();
    if (stopped) await subscription.stop();
  };
  const turn = async () => {
    const isDue = !isSubscribed || performance.now() - heardAt > QUIET_MS;
    if (isDue) {
      try {
        if (!isSubscribed) await checkChain();
        hear(await askHeight(source, groupId));
        if (!isSubscribed && !stopped) await subscribe().catch(() => undefined);
      } catch (cause) {
        heights.forget();
        if (!stopped) listener.onTrouble(cause);
      }
    }
    if (!stopped) timer = setTimeout(() => void turn(), ASK_EVERY_MS);
  };
  void turn();
  return () => {
    stopped = true;
    clearTimeout(timer);
    heights.stop();
    endSubscription?.().catch(() => undefined);
  };
}
