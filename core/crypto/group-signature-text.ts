/** The texts of a group signature, read. Source: precompiles 16 */
import { fromBase64 } from "../bytes/base64.ts";
import { byteString, type ByteString, parseDecimal } from "../bytes/byte-string.ts";
import { uintLength } from "../bytes/bytes.ts";
import { readTextFields, type TextFields } from "./json-fields.ts";
import {
  createTypeAPairing,
  type CurvePoint,
  type TargetElement,
  type TypeAParameters,
} from "./type-a-pairing.ts";

interface GroupSignatureTexts {
  /** Base64 of a JSON object of hexadecimal texts. */
  readonly signature: ByteString;
  readonly message: ByteString;
  /** The group's public key, in the same form. */
  readonly group: ByteString;
  /** Base64 of PBC's text of a type A pairing. */
  readonly parameters: ByteString;
}

const GROUP_POINTS = ["g1", "g2", "h", "u", "v", "w"] as const;
const GROUP_ELEMENTS = ["pr_g1_g2", "pr_g1_g2_inv", "pr_h_g2", "pr_h_w"] as const;
const SIGNATURE_POINTS = ["T1", "T2", "T3"] as const;
const SIGNATURE_SCALARS = ["c", "ralpha", "rbeta", "rx", "rdelta1", "rdelta2"] as const;

/** The members of the group's key. */
type GroupKey = Readonly<Record<(typeof GROUP_POINTS)[number], CurvePoint>> &
  Readonly<Record<(typeof GROUP_ELEMENTS)[number], TargetElement>>;

/** The members of a signature; scalars are below the order. */
type GroupProof = Readonly<Record<(typeof SIGNATURE_POINTS)[number], CurvePoint>> &
  Readonly<Record<(typeof SIGNATURE_SCALARS)[number], bigint>>;

/** A group signature with everything that it is checked against. */
export interface GroupSignature {
  readonly parameters: TypeAParameters;
  readonly message: ByteString;
  readonly key: GroupKey;
  readonly proof: GroupProof;
}

/** Digits of the longest modulus and order that are read: 2,048 bits; groups use 520 and 512. */
const MAX_DIGITS = 616;
const HEXADECIMAL = /^[0-9a-fA-F]+$/;

/** Reads the texts; undefined when one of them is malformed. Source: precompiles 16 */
export function readGroupSignature(texts: GroupSignatureTexts): GroupSignature | undefined {
  const { message } = texts;
  // The library joins the texts with this character and takes them apart again.
  if (message === "" || message.includes("*")) return undefined;
  const parameters = readParameters(texts.parameters);
  const signature = readTextFields(texts.signature);
  const group = readTextFields(texts.group);
  if (parameters === undefined || signature === undefined || group === undefined) return undefined;
  const key = readKey(group, parameters);
  const proof = readProof(signature, parameters);
  if (key === undefined || proof === undefined) return undefined;
  const end = message.indexOf("\0");
  return { parameters, message: end < 0 ? message : message.slice(0, end), key, proof };
}

function readKey(fields: TextFields, parameters: TypeAParameters): GroupKey | undefined {
  const points = readAll(GROUP_POINTS, (name) => readHex(fields.get(name), parameters.q, 2));
  const elements = readAll(GROUP_ELEMENTS, (name) => {
    const numbers = readHex(fields.get(name), parameters.q, 2);
    return numbers && { real: numbers[0] ?? 0n, imaginary: numbers[1] ?? 0n };
  });
  return points && elements && { ...pointsOf(points, parameters), ...elements };
}

function readProof(fields: TextFields, parameters: TypeAParameters): GroupProof | undefined {
  const points = readAll(SIGNATURE_POINTS, (name) => readHex(fields.get(name), parameters.q, 2));
  const scalars = readAll(
    SIGNATURE_SCALARS,
    (name) => readHex(fields.get(name), parameters.r, 1)?.[0],
  );
  return points && scalars && { ...pointsOf(points, parameters), ...scalars };
}

/** The library reads what is not on the curve as the point at infinity. */
function pointsOf<Name extends string>(
  numbers: Readonly<Record<Name, readonly bigint[]>>,
  parameters: TypeAParameters,
): Record<Name, CurvePoint> {
  const { isOnCurve } = createTypeAPairing(parameters);
  const entries = Object.entries<readonly bigint[]>(numbers).map(([name, [x = 0n, y = 0n]]) => {
    return [name, isOnCurve(x, y) ? { x, y } : undefined];
  });
  return Object.fromEntries(entries) as Record<Name, CurvePoint>;
}

/** What the reader gives for each name; undefined when it is undefined for one of them. */
function readAll<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value | undefined,
): Record<Name, Value> | undefined {
  const entries: [Name, Value][] = [];
  for (const name of names) {
    const value = read(name);
    if (value === undefined) return undefined;
    entries.push([name, value]);
  }
  return Object.fromEntries(entries) as Record<Name, Value>;
}

/** Numbers of as many bytes as the modulus, one after the other, modulo it. */
function readHex(
  text: ByteString | undefined,
  modulus: bigint,
  count: number,
): bigint[] | undefined {
  const digits = 2 * uintLength(modulus);
  if (text?.length !== count * digits || !HEXADECIMAL.test(text)) return undefined;
  return Array.from(
    { length: count },
    (_, i) => BigInt(`0x${text.slice(i * digits, (i + 1) * digits)}`) % modulus,
  );
}

/** PBC's text: names and values in turn. Other pairings than type A are not read. */
function readParameters(text: ByteString): TypeAParameters | undefined {
  const bytes = fromBase64(text);
  if (bytes === undefined) return undefined;
  const words = byteString(bytes)
    .split(/[ \t\n\v\f\r]+/)
    .filter(Boolean);
  const values = new Map<string, string>();
  for (let i = 0; i + 1 < words.length; i += 2) values.set(words[i] ?? "", words[i + 1] ?? "");
  if (values.get("type") !== "a") return undefined;
  if (!["exp2", "exp1", "sign1", "sign0"].every((name) => values.has(name))) return undefined;
  const [q, h, r] = ["q", "h", "r"].map((name) => {
    const digits = values.get(name) ?? "";
    return digits.length > MAX_DIGITS ? undefined : parseDecimal(digits);
  });
  if (q === undefined || h === undefined || r === undefined) return undefined;
  return q % 4n === 3n && r > 1n && h > 0n ? { q, h, r } : undefined;
}
