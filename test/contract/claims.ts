/** Assertions of contract suites, which run inside browsers too. */

/** What a suite found wrong. */
export class BrokenClaim extends Error {
  override readonly name = "BrokenClaim";
}

/** Fails unless the condition holds. */
export function claim(condition: unknown, what: string): asserts condition {
  if (!condition) throw new BrokenClaim(what);
}

/** Fails unless both have the same JSON; undefined and null are distinguished. */
export function claimSame(actual: unknown, expected: unknown): void {
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(value) ?? "undefined");
  claim(found === wanted, `${found?.slice(0, 500)} is not ${wanted?.slice(0, 500)}`);
}

/** Fails unless the promise is rejected. */
export async function claimRejects(work: () => Promise<unknown>): Promise<void> {
  const isRefused = await work().then(
    () => false,
    () => true,
  );
  claim(isRefused, "nothing was refused");
}
