/** The places where a compiler can run: a worker, or a frame without an origin. */
import type { CompilerReport, CompilerRequest } from "./protocol.ts";

/** A place with one compiler in it. */
export interface CompilerPlace {
  post(request: CompilerRequest): void;
  /** Ends it at once, however busy it is. */
  end(): void;
}

/** Who learns of a place. */
interface PlaceListener {
  onReport(report: CompilerReport): void;
  /** The place itself failed. */
  onFailure(reason: string): void;
}

/** Kinds of places. */
export type PlaceKind = "worker" | "frame";

function openWorker({ onReport, onFailure }: PlaceListener): CompilerPlace {
  const worker = new Worker(new URL("compiler-worker.js", document.baseURI));
  worker.addEventListener("message", ({ data }: MessageEvent<CompilerReport>) => onReport(data));
  worker.addEventListener("error", ({ message }) => onFailure(message || "the worker failed"));
  return { post: (request) => worker.postMessage(request), end: () => worker.terminate() };
}

/**
 * A frame that is shown to nobody. Without an origin browsers give it a process of its own, so that
 * the page goes on while it is busy; and what runs in it reaches nothing of the page.
 */
function openFrame({ onReport, onFailure }: PlaceListener): CompilerPlace {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "Solidity compiler";
  frame.hidden = true;
  frame.src = new URL("compiler-frame.html", document.baseURI).href;
  const waiting: CompilerRequest[] = [];
  let isOpen = false;
  const send = (request: CompilerRequest): void => frame.contentWindow?.postMessage(request, "*");
  const hear = ({ source, data }: MessageEvent<CompilerReport>): void => {
    if (source !== frame.contentWindow) return;
    if (data.type === "open") {
      isOpen = true;
      for (const request of waiting.splice(0)) send(request);
    }
    onReport(data);
  };
  addEventListener("message", hear);
  frame.addEventListener("error", () => onFailure("the frame did not load"));
  document.body.append(frame);
  return {
    post: (request) => {
      if (isOpen) send(request);
      else waiting.push(request);
    },
    end: () => {
      removeEventListener("message", hear);
      frame.remove();
    },
  };
}

/** Opens a place. */
export function openPlace(kind: PlaceKind, listener: PlaceListener): CompilerPlace {
  return kind === "worker" ? openWorker(listener) : openFrame(listener);
}
