/** The headers of a request by name in lower case, as Node parses them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Two of a kind are none. */
export function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join();
}
