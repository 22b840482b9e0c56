/** Starts the theatre's worker and opens a scenario in it. */
import { wrap } from "comlink";
import type { TheatreApi } from "../../../runtimes/shared/theatre/api.ts";
import { Player } from "./player.ts";

/** A theatre that opens, and how to end it at any time. */
export interface Hosted {
  /** Rejects with ScenarioRefused, or an error when the worker does not start. */
  readonly player: Promise<Player>;
  end(): void;
}

const WORKER = "theatre-worker.js";

/**
 * Opens a scenario in a worker of its own, at the moment that it names.
 *
 * @param onStep told how far it has played on its way to that moment
 */
export function hostScenario(text: string, onStep?: (step: number) => void): Hosted {
  const worker = new Worker(new URL(WORKER, document.baseURI), { type: "module" });
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener("error", ({ message }) => reject(new Error(message || WORKER)));
  });
  const api: TheatreApi = wrap<TheatreApi>(worker);
  const player = Promise.race([Player.open(api, text, onStep), failed]);
  // A user who waits for the player learns of it; later failures come through the player.
  failed.catch((cause: unknown) => {
    player.then(
      (opened) => opened.fail(String(cause)),
      () => undefined,
    );
  });
  player.catch(() => worker.terminate());
  return { player, end: () => worker.terminate() };
}
