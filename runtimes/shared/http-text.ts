/** Whole answers as bytes of HTTP, for connections that have no response object. */
import { NO_SNIFFING } from "./http-caller.ts";

/**
 * An answer after which the connection ends.
 *
 * @param status code and phrase, such as `404 Not Found`
 */
export function httpText(
  status: string,
  body: string,
  contentType = "text/plain; charset=utf-8",
): string {
  const headers = {
    Connection: "close",
    "Content-Type": contentType,
    "Content-Length": new TextEncoder().encode(body).length,
    ...NO_SNIFFING,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${status}`, ...lines].join("\r\n")}\r\n\r\n${body}`;
}
