/** What must be undone when a start fails or an end is asked for. */

/** Steps back, newest first. */
export class Undo {
  readonly #steps: (() => Promise<unknown>)[] = [];
  #running: Promise<void> | undefined;

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }

  /**
   * Undoes everything once; who asks again waits for the same end.
   * @throws the first failure, after all steps
   */
  run(): Promise<void> {
    this.#running ??= this.#undo();
    return this.#running;
  }

  async #undo(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop())
      await step().catch((cause: unknown) => failures.push(cause));
    if (failures.length > 0) throw failures[0];
  }
}
