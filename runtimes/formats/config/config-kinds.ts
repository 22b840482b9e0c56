/** Kinds of values in configuration files: how each is read, written and described. */
import { isNodeId } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import {
  formatVersion,
  isSupportedVersion,
  NEWEST_VERSION,
  OLDEST_VERSION,
  parseVersion,
  type Version,
} from "../../../core/model/version.ts";
import { ipVersion } from "./ip-text.ts";

/** A kind of value. */
export interface Kind<T> {
  /** What may stand there. */
  readonly allowed: string;
  /** The value; undefined for a text that is not allowed. */
  read(text: string): T | undefined;
  write(value: T): string;
}

/** Host and port of a peer. */
export interface Endpoint {
  /** Name, IPv4, or IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Any text. */
export const TEXT: Kind<string> = {
  allowed: "any text",
  read: (text) => text,
  write: (value) => value,
};

const TRUTH: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };

/** `true` or `false`. */
export const BOOLEAN: Kind<boolean> = {
  allowed: "true or false",
  read: (text) => (Object.hasOwn(TRUTH, text) ? TRUTH[text] : undefined),
  write: String,
};

/** A whole number in a range. */
export function integer(low: number, high = Number.MAX_SAFE_INTEGER): Kind<number> {
  const open = high === Number.MAX_SAFE_INTEGER;
  return {
    allowed: open ? `a whole number, at least ${low}` : `a whole number from ${low} to ${high}`,
    read(text) {
      if (!/^[+-]?[0-9]{1,20}$/.test(text)) return undefined;
      const value = Number(text) + 0;
      return Number.isSafeInteger(value) && value >= low && value <= high ? value : undefined;
    },
    write: String,
  };
}

const INT64_MAX = 2n ** 63n - 1n;

/** A whole number of 64 bits, not negative. */
export const INT64: Kind<bigint> = {
  allowed: "a whole number from 0 to 2^63 - 1",
  read(text) {
    if (!/^[0-9]{1,20}$/.test(text)) return undefined;
    const value = BigInt(text);
    return value <= INT64_MAX ? value : undefined;
  },
  write: String,
};

const DECIMAL = /^[+-]?([0-9]{1,15}(\.[0-9]{0,15})?|\.[0-9]{1,15})$/;

/** A decimal number in a closed range. */
export function decimal(low: number, high: number): Kind<number> {
  return {
    allowed: `a number from ${low} to ${high}`,
    read(text) {
      const value = DECIMAL.test(text) ? Number(text) + 0 : Number.NaN;
      return value >= low && value <= high ? value : undefined;
    },
    write: String,
  };
}

/** A decimal number above zero. */
export const POSITIVE: Kind<number> = {
  allowed: "a number above 0; decimals are allowed",
  read(text) {
    const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
    return value > 0 ? value : undefined;
  },
  write: (value) => value.toFixed(15).replace(/\.?0+$/, ""),
};

/** One of some words; upper and lower case are the same. */
export function oneOf<W extends string>(...words: readonly W[]): Kind<W> {
  const list = words.join(", ");
  return {
    allowed: `one of ${list}`,
    read: (text) => words.find((word) => word === text.toLowerCase()),
    write: (value) => value,
  };
}

/** A port to listen on. Source: groups 8 */
export const PORT: Kind<number> = integer(1024, 65_535);

/** An IPv4 or IPv6 address. */
export const IP: Kind<string> = {
  allowed: "an IPv4 or IPv6 address",
  read: (text) => (ipVersion(text) === 0 ? undefined : text),
  write: (value) => value,
};

const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,252})$/;

/** A peer's address. */
export const ENDPOINT: Kind<Endpoint> = {
  allowed: "host:port or [IPv6]:port",
  read(text) {
    const parts = /^(?:\[([^\]]*)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(text);
    const [, bracketed, plain, digits] = parts ?? [];
    const port = Number(digits);
    if (parts === null || port < 1 || port > 65_535) return undefined;
    if (bracketed !== undefined) {
      // A zone names an interface of one machine: the network cannot dial it.
      const isAddress = ipVersion(bracketed) === 6 && !bracketed.includes("%");
      return isAddress ? { host: bracketed, port } : undefined;
    }
    if (plain === undefined || !HOST_NAME.test(plain)) return undefined;
    // What looks like an address is one: 10.0.0.300 is nobody's name.
    return /^[0-9.]+$/.test(plain) && ipVersion(plain) !== 4 ? undefined : { host: plain, port };
  },
  write: ({ host, port }) => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`),
};

/** A node ID, of a node or an SDK; given in lower case. */
export const NODE_ID: Kind<NodeId> = {
  allowed: "128 hexadecimal digits without 0x",
  read(text) {
    const id = text.toLowerCase();
    return isNodeId(id) ? id : undefined;
  },
  write: (value) => value,
};

const VERSIONS = [formatVersion(OLDEST_VERSION), formatVersion(NEWEST_VERSION)] as const;

/** Name of a log file: no folder in it, so that nothing else is ever taken for one. */
export const LOG_NAME: Kind<string> = {
  allowed: "a file name, in which %Y %m %d %H %M %S stand for the time",
  read: (text) => (/^[^/\\\0]+$/.test(text) && !/^\.+$/.test(text) ? text : undefined),
  write: (value) => value,
};

/** A compatibility version. Source: decision 13 */
export const VERSION: Kind<Version> = {
  allowed: `a version x.y.z from ${VERSIONS[0]} to ${VERSIONS[1]}`,
  read(text) {
    const value = parseVersion(text);
    return value !== undefined && isSupportedVersion(value) ? value : undefined;
  },
  write: formatVersion,
};

function isOrigin(text: string): boolean {
  return text === "*" || (URL.canParse(text) && new URL(text).origin === text);
}

/** Names of hosts, as browsers send them. */
export const HOSTS: Kind<readonly string[]> = {
  allowed: "host names such as chain.example.org, without port, separated by commas, or *",
  read(text) {
    const names = text.split(",").map((part) => part.trim());
    return names.every((name) => name === "*" || HOST_NAME.test(name)) ? names : undefined;
  },
  write: (value) => value.join(","),
};

/** Origins of web pages. */
export const ORIGINS: Kind<readonly string[]> = {
  allowed: "origins such as https://example.org, separated by commas, or *",
  read(text) {
    const origins = text.split(",").map((part) => part.trim());
    return origins.every(isOrigin) ? origins : undefined;
  },
  write: (value) => value.join(","),
};
