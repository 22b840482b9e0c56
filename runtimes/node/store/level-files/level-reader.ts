/** Reads the integers and texts of LevelDB's files: little-endian, or seven bits a byte. */
import { ByteReader } from "../../../../core/bytes/cursor.ts";

/** Most bytes of an integer that a number can hold. */
const VARINT_BYTES = 8;

/** Goes through bytes; behind their end it fails and gives nothing. */
export class LevelReader extends ByteReader {
  /** An integer of seven bits a byte, lowest first. */
  varint(): number {
    let value = this.u8();
    if (value < 0x80) return value;
    value -= 0x80;
    for (let i = 1; i < VARINT_BYTES; i++) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80 && Number.isSafeInteger(value)) return value;
      if (byte < 0x80) break;
    }
    this.fail();
    return 0;
  }

  /** Bytes with their length before them. */
  text(): Uint8Array {
    return this.bytes(this.varint());
  }
}
