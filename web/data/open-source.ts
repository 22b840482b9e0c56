/** Finds the chain behind the page. */
import { type ChainSource, nodeSource, servingNode, type SourceKind } from "./source.ts";

/** What the server of the page says of itself; static/page.json when it is no node. */
interface PageFacts {
  /** Whether the server is the RPC port of a node. */
  readonly node: boolean;
  /** Whether that is a development chain, whose accounts everybody knows. */
  readonly dev: boolean;
}

let asked: Promise<PageFacts> | undefined;

/** Asks the server once. */
export function pageFacts(): Promise<PageFacts> {
  asked ??= readPageFacts();
  return asked;
}

async function readPageFacts(): Promise<PageFacts> {
  try {
    const answer = await fetch(new URL("page.json", servingNode()), { cache: "no-cache" });
    const { node, dev } = (await answer.json()) as Partial<PageFacts>;
    return { node: node === true, dev: dev === true };
  } catch {
    asked = undefined;
    return { node: false, dev: false };
  }
}

/** Where the choice of the user is kept. */
const KEPT = "chain-node.source";

/** The source that was chosen earlier. */
export function keptSource(): SourceKind | undefined {
  const kept = globalThis.localStorage?.getItem(KEPT);
  return kept === "node" || kept === "tab" ? kept : undefined;
}

/** Keeps the choice for later visits. */
export function keepSource(kind: SourceKind): void {
  globalThis.localStorage?.setItem(KEPT, kind);
}

/** Opens a source; without a request the node behind the page, or the tab's where there is none. */
export async function openSource(source: SourceKind | undefined): Promise<ChainSource> {
  const kind = source ?? ((await pageFacts()).node ? "node" : "tab");
  if (kind === "node") return nodeSource(servingNode());
  const { tabSource } = await import("./tab-source.ts");
  return await tabSource();
}

/** How often a node that did not answer is asked again. */
const ASK_EVERY_MS = 3_000;

function watchNode(onReady: () => void): () => void {
  const ask = async () => {
    if (!(await pageFacts()).node) return;
    await nodeSource(servingNode()).request({ method: "getClientVersion", params: [] });
    onReady();
  };
  const timer = setInterval(() => void ask().catch(() => undefined), ASK_EVERY_MS);
  return () => clearInterval(timer);
}

function watchTab(onReady: () => void): () => void {
  let stop: (() => void) | undefined;
  let isOver = false;
  const begin = async () => {
    const { whenTabRuns } = await import("./tab-source.ts");
    stop = await whenTabRuns(onReady);
    if (isOver) stop();
  };
  void begin().catch(() => undefined);
  return () => {
    isOver = true;
    stop?.();
  };
}

/** Waits for a source that is not there. @returns ends it */
export function watchSource(source: SourceKind | undefined, onReady: () => void): () => void {
  const stops = [
    ...(source === "tab" ? [] : [watchNode(onReady)]),
    ...(source === "node" ? [] : [watchTab(onReady)]),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
