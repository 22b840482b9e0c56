/**
 * Nested ASN.1 values, read as loosely as BER allows (other consoles write lengths that are open,
 * and texts in parts) and written as DER.
 */
import {
  type AsnType,
  BmpString,
  Constructed,
  fromBER,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  Set as AsnSet,
} from "asn1js";
import { concatBytes } from "../../core/bytes/bytes.ts";
import { FolderFault } from "./folder-fault.ts";

/** A value as it was read. */
export type BerValue = AsnType;

function damaged(): FolderFault {
  return new FolderFault("unusable", "the file is damaged, or is no PKCS #12 file");
}

/** The one value that the bytes hold. @throws FolderFault */
export function readBer(bytes: Uint8Array): BerValue {
  const { result, offset } = fromBER(new Uint8Array(bytes));
  if (offset < 0) throw damaged();
  return result as BerValue;
}

/** The members of a sequence, a set or a tag. @throws FolderFault when it is none */
export function membersOf(value: BerValue): readonly BerValue[] {
  if (!(value instanceof Constructed)) throw damaged();
  return value.valueBlock.value as BerValue[];
}

/** A member by its place. @throws FolderFault when there is none */
export function member(value: BerValue, index: number): BerValue {
  const found = membersOf(value)[index];
  if (found === undefined) throw damaged();
  return found;
}

/** An object identifier, with dots. @throws FolderFault when it is none */
export function identifierOf(value: BerValue): string {
  if (value instanceof ObjectIdentifier) return value.getValue();
  throw damaged();
}

/** A small whole number. @throws FolderFault when it is none */
export function numberOf(value: BerValue): number {
  if (value instanceof Integer) return value.valueBlock.valueDec;
  throw damaged();
}

/** The bytes of an octet string, or of a tag in its place. @throws FolderFault for another */
export function octetsOf(value: BerValue): Uint8Array {
  if (value instanceof OctetString) return new Uint8Array(value.getValue());
  if (value instanceof Primitive) return value.valueBlock.valueHexView.slice();
  if (!(value instanceof Constructed)) throw damaged();
  return concatBytes(...membersOf(value).map(octetsOf));
}

/** Whether the value is a sequence. */
export function isSequence(value: BerValue): boolean {
  return value instanceof Sequence;
}

/** A sequence. */
export function sequence(...value: readonly BerValue[]): BerValue {
  return new Sequence({ value: [...value] });
}

/** A set; of several members the caller gives the order. */
export function set(...value: readonly BerValue[]): BerValue {
  return new AsnSet({ value: [...value] });
}

/** A value within a tag of the context. */
export function tagged(tagNumber: number, value: BerValue): BerValue {
  return new Constructed({ idBlock: { tagClass: 3, tagNumber }, value: [value] });
}

/** Octets under a tag that replaces their own. */
export function taggedOctets(tagNumber: number, bytes: Uint8Array): BerValue {
  const valueHex = new Uint8Array(bytes).buffer;
  return new Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex });
}

/** An object identifier. */
export function identifier(value: string): BerValue {
  return new ObjectIdentifier({ value });
}

/** A small whole number. */
export function integer(value: number): BerValue {
  return new Integer({ value });
}

/** An octet string. */
export function octets(bytes: Uint8Array): BerValue {
  return new OctetString({ valueHex: new Uint8Array(bytes).buffer });
}

/** A text in two bytes for each sign. */
export function wideText(value: string): BerValue {
  return new BmpString({ value });
}

/** The parameters of what has none. */
export function nothing(): BerValue {
  return new Null();
}

/** The value as DER. */
export function derOf(value: BerValue): Uint8Array {
  return new Uint8Array(value.toBER());
}
