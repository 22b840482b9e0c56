/** Names of records for people. */
import { expect, test } from "vitest";
import { entryName } from "../../../../runtimes/shared/checksums/entry-name.ts";

const X = "x".repeat(32);
const HASH = `0x${"78".repeat(32)}`;

test("each kind of record has a name, and keys are short and printable", () => {
  const names = {
    [`h${X}`]: `the header of block ${HASH}`,
    [`b${X}`]: `the body of proposal ${HASH}`,
    [`e${X}`]: `the receipts of block ${HASH}`,
    [`t${X}`]: `the place of transaction ${HASH}`,
    [`p${X}`]: `the compact form of proposal ${HASH}`,
    "n\0\0\0\0\0\0\x01\x0a": "the hash of block 266",
    "o\0\0\0\0\0\0\0\0": "the nonces of block 0",
    "ru_users\0alice": "row alice of table u_users",
    "rc_12\0\x00\xff": "row 0x00ff of table c_12",
    [`rt\0${"k".repeat(100)}`]: `row ${"k".repeat(64)}... of table t`,
    c: "the record of consensus",
    mformat: "the record format",
    "\xff\xffw": "the mark of how far values have checksums",
    "\xff\xffsrc_12": "the sum of the rows of table c_12",
    "\xff\xffx": "the record under 0xffff78",
  };
  for (const [key, name] of Object.entries(names)) expect(entryName(key)).toBe(name);
});
