/** Questions to another thread that wait for its answers. */

/** A message before it has its number; distributes over a union, which Omit alone does not. */
export type Unnumbered<Message> = Message extends unknown ? Omit<Message, "id"> : never;

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: Error) => void;
}

/** By their numbers, from 0; a class because it gives them. */
export class Questions<Answer> {
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #nextId = 0;

  /** Those that wait. */
  get count(): number {
    return this.#waiting.size;
  }

  /** Has a question put under its number, and waits for the answer. */
  ask(put: (id: number) => void): Promise<Answer> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      put(id);
    });
  }

  /** An answer has come, or why there is none. @returns whether anyone waited for it */
  settle(id: number, answer: Answer | Error): boolean {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (answer instanceof Error) waiting?.reject(answer);
    else waiting?.resolve(answer);
    return waiting !== undefined;
  }

  /** Nobody answers any more. */
  fail(fault: Error): void {
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }
}
