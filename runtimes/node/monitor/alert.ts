/** Tells findings to a place that the operator has named; there is no default. */
import { hostname } from "node:os";
import { reasonOf } from "../../folder/folder-fault.ts";
import { type Finding, findingText } from "./finding.ts";

const PATIENCE_MS = 10_000;

/**
 * Posts findings as one JSON object; the receiver is handed on as it is.
 * @returns why it could not be told; undefined when it was
 */
export async function sendAlert(
  { url, receiver }: { readonly url: string; readonly receiver: string | undefined },
  findings: readonly Finding[],
): Promise<string | undefined> {
  const body = JSON.stringify({
    host: hostname(),
    time: new Date().toISOString(),
    ...(receiver === undefined ? {} : { receiver }),
    text: findings.map(findingText).join("\n"),
    findings,
  });
  try {
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(url, { method: "POST", body, headers, signal });
    return answer.ok ? undefined : `${url} answered with ${answer.status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `${url} cannot be reached: ${reasonOf(cause)}`;
  }
}
