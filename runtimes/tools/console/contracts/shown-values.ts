/** How values of contracts and their types are printed. Source: console 4.3 */
import type { AbiComponent, AbiType } from "../../../../core/abi/type.ts";
import { oneLine } from "../foreign-text.ts";

/** `STRING`, `UINT`, `[ADDRESS]`; the members of a structure in brackets. Source: console 4.3 */
export function shownType(type: AbiType): string {
  switch (type.kind) {
    case "fixedBytes":
      return "BYTES";
    case "array":
      return `[${shownType(type.element)}]`;
    case "tuple":
      return `[${type.components.map((member) => shownType(member.type)).join(", ")}]`;
    default:
      return type.kind.toUpperCase();
  }
}

/** A value as the client gives it, in one line: members of structures are a list, or an object. */
export function shownValue(type: AbiType, value: unknown): string {
  if (type.kind === "array") {
    const items = Array.isArray(value) ? value : [];
    return `[${items.map((item) => shownValue(type.element, item)).join(", ")}]`;
  }
  if (type.kind === "tuple") {
    const members = Array.isArray(value) ? value : Object.values(value as object);
    const texts = type.components.map((it, index) => shownValue(it.type, members[index]));
    return `[${texts.join(", ")}]`;
  }
  const isBytes = type.kind === "bytes" || type.kind === "fixedBytes";
  return isBytes ? `hex://${value}` : oneLine(String(value));
}

/** Three lines: how many values, their types, and the values. */
export function valueLines(
  what: string,
  components: readonly AbiComponent[],
  values: readonly unknown[],
): readonly string[] {
  const types = components.map(({ type }) => shownType(type));
  const texts = components.map(({ type }, index) => shownValue(type, values[index]));
  return [
    `${what} value size:${components.length}`,
    `${what} types: (${types.join(", ")})`,
    `${what} values:(${texts.join(", ")})`,
  ];
}
