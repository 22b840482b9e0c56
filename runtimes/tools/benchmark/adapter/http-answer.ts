/** Reads answers of HTTP/1.1 off the bytes of a connection. Source: RFC 9112 6 */

/** An answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** Bytes that it took. */
  readonly used: number;
  /** Whether the connection ends behind it. */
  readonly isLast: boolean;
}

const LINE_END = "\r\n";
const HEAD_END = "\r\n\r\n";
/** Where the three digits of the status are. */
const STATUS_AT = 9;
const STATUS_END = 12;
const LENGTH = /\r\ncontent-length: *(\d+)/;
const CHUNKED = /\r\ntransfer-encoding: *chunked/;
const CLOSING = /\r\nconnection: *close/;

/** @param isEnd no more bytes follow @returns how many bytes it needs while it is not complete */
export function readAnswer(data: Buffer, isEnd: boolean): HttpAnswer | number {
  const more = data.length + 1;
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd < 0) return more;
  const head = data.toString("latin1", 0, headEnd).toLowerCase();
  const start = headEnd + HEAD_END.length;
  const status = Number(head.slice(STATUS_AT, STATUS_END));
  const isLast = CLOSING.test(head) || head.startsWith("http/1.0");
  const [, length] = LENGTH.exec(head) ?? [];
  if (length !== undefined) {
    const used = start + Number(length);
    if (data.length < used) return used;
    return { status, body: data.toString("utf8", start, used), used, isLast };
  }
  if (CHUNKED.test(head)) {
    const chunks = readChunks(data, start);
    return chunks ? { status, ...chunks, isLast } : more;
  }
  // Without a length the end of the connection is that of the answer.
  if (!isEnd) return more;
  return { status, body: data.toString("utf8", start), used: data.length, isLast: true };
}

function readChunks(data: Buffer, start: number): { body: string; used: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = data.indexOf(LINE_END, at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(data.toString("latin1", at, lineEnd), 16);
    const from = lineEnd + LINE_END.length;
    const next = from + size + LINE_END.length;
    if (!(data.length >= next)) return undefined;
    if (size === 0) return { body: Buffer.concat(parts).toString("utf8"), used: next };
    parts.push(data.subarray(from, from + size));
    at = next;
  }
}
