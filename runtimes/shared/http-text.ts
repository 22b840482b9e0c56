/**
 * Whole answers as bytes of HTTP, for connections that have no response object, and what is sent to
 * a peer whose bytes are not HTTP, where the server's parser lets us say it.
 * Source: rpc-semantics 1
 */
import { NO_SNIFFING } from "./http-caller.ts";

const JSON_TYPE = "application/json";
const VERSION_TEXT = "Requested HTTP version is not supported.";

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

/**
 * 505 for a version that the parser takes but plain sockets do not speak; undefined for 1.0 and
 * 1.1.
 */
export function refuseHttpVersion(version: string): Response | undefined {
  if (version === "1.1" || version === "1.0") return undefined;
  const headers = { "Content-Type": JSON_TYPE };
  return new Response(VERSION_TEXT, { status: 505, headers });
}

/**
 * The answer for the parser's error, as bytes of HTTP; undefined to close without one.
 *
 * @param parserCode code of the parser's error, for example `HPE_INVALID_METHOD`
 * @param packet what arrived
 */
export function answerMalformedHttp(parserCode: string, packet: string): string | undefined {
  const [requestLine = ""] = packet.split("\r\n", 1);
  const words = requestLine.split(" ");
  if (parserCode === "HPE_INVALID_METHOD") {
    // A method that the parser does not know is like any other that is not allowed.
    const isRequest = words.length === 3 && /^HTTP\/1\.[01]$/.test(words[2] ?? "");
    if (!isRequest) return undefined;
    return httpText("405 Method Not Allowed", "Not allowed HTTP Method", JSON_TYPE);
  }
  if (parserCode === "HPE_INVALID_VERSION") {
    return httpText("505 HTTP Version Not Supported", VERSION_TEXT, JSON_TYPE);
  }
  return httpText("400 Bad Request", "The request is not HTTP.", JSON_TYPE);
}
