/** Headers of requests, in whichever form they came. */

/** The headers of a request by name in lower case, as Node parses them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Two of a kind are none. */
export function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join();
}

const OF_PROXY = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** Whether a proxy handed a request on: it speaks for others, wherever it runs. */
export function isHandedOn(headers: RequestHeaders): boolean {
  return Object.keys(headers).some((name) => OF_PROXY.test(name));
}
