/** Each key of each file: its default, the ends of its range, and what is reported beyond them. */
// rules: groups 6, groups 7, groups 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { Findings, readValues } from "../../../runtimes/formats/config/config-reader.ts";
import { CONFIG_FILES } from "../../support/reference/config-reference.ts";
import type { Schema } from "../../../runtimes/formats/config/config-schema.ts";
import { type Row, ROWS, words } from "./config-rows.ts";

function read(schema: Schema, section: string, line: string) {
  const findings = new Findings("f");
  const values = readValues(schema, `[${section}]\n${line}\n`, findings);
  return { values, findings };
}

function checkRow(schema: Schema, [path, fallback, good, bad]: Row): void {
  const dot = path.indexOf(".");
  const [section, name] = [path.slice(0, dot), path.slice(dot + 1)];
  const key = name.replace("<i>", "0");
  const absent = read(schema, section, "");
  assert.deepEqual(absent.values[section]?.[name], fallback, "default");
  if (!name.endsWith("<i>")) {
    assert.deepEqual(read(schema, section, `${key}=`).values[section]?.[name], fallback, "empty");
  }
  for (const text of words(good)) {
    const { values, findings } = read(schema, section, `${key}=${text}`);
    assert.deepEqual([findings.problems, findings.warnings], [[], []], text);
    assert.notEqual(values[section]?.[name], undefined);
  }
  for (const text of words(bad)) {
    const { problems } = read(schema, section, `${key}=${text}`).findings;
    assert.equal(problems.length, 1, `${text} was accepted`);
    const [{ value, line, reason, allowed, ...place } = assert.fail()] = problems;
    assert.deepEqual({ line, ...place }, { line: 2, file: "f", section, key }, text);
    assert.ok(text.startsWith(value?.replace("...", "") ?? "-"), text);
    const { kind, notes } = schema[section]?.keys[name] ?? assert.fail();
    assert.equal(allowed, reason === "notOffered" ? notes.notOffered?.help : kind.allowed);
  }
}

for (const [index, { name, schema }] of CONFIG_FILES.entries()) {
  const rows = ROWS[index] ?? [];
  for (const row of rows) {
    test(`${name}: ${row[0]} has its default, its range and its message`, () => {
      checkRow(schema, row);
    });
  }

  test(`${name}: every key of the schema is in the table`, () => {
    const all = Object.entries(schema).flatMap(([section, { keys }]) =>
      Object.keys(keys).map((key) => `${section}.${key}`),
    );
    assert.deepEqual([...rows.map(([key]) => key)].sort(), all.sort());
  });
}
