/** The developer tools' line to the workers of a page. */
import type { CDPSession, Page } from "playwright-core";

/** A worker of the page, asked through the page's session. */
export class WorkerSession {
  readonly #session: CDPSession;
  readonly #sessionId: string;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #asked = 0;

  constructor(session: CDPSession, sessionId: string) {
    this.#session = session;
    this.#sessionId = sessionId;
    session.on("Target.receivedMessageFromTarget", ({ sessionId: from, message }) => {
      if (from !== sessionId) return;
      const { id, result } = JSON.parse(message) as { id: number; result: unknown };
      this.#waiting.get(id)?.(result);
    });
  }

  send(method: string, params: object = {}): Promise<unknown> {
    this.#asked += 1;
    const id = this.#asked;
    const answer = new Promise((resolve) => void this.#waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    void this.#session.send("Target.sendMessageToTarget", { sessionId: this.#sessionId, message });
    return answer;
  }
}

/** The workers that a page has now. */
export async function workersOf(page: Page): Promise<readonly WorkerSession[]> {
  const session = await page.context().newCDPSession(page);
  const workers: WorkerSession[] = [];
  session.on("Target.attachedToTarget", ({ sessionId }) => {
    workers.push(new WorkerSession(session, sessionId));
  });
  const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: false };
  await session.send("Target.setAutoAttach", attach);
  return workers;
}
