/** Tests of the translation of Presto's SQL: what differs is written for DuckDB, what has no equal is refused by name. */
import assert from "node:assert/strict";
import test from "node:test";
import { translatePresto } from "./translate-presto.ts";

test("functions that mean something else are translated", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["SELECT element_at(labels, 'node')", "SELECT (labels)['node']"],
    ["SELECT split_part(split_part(a, ':///', 2), '/', 2)", "SELECT string_split(string_split(a, ':///')[2], '/')[2]"],
    ["SELECT date_diff('hour', a, b)", "SELECT date_sub('hour', a, b)"],
    ["SELECT date_add('day', 2, a)", "SELECT ((a) + (2) * INTERVAL 1 day)"],
    ["SELECT concat(a, 'x', b)", "SELECT ((a) || ('x') || (b))"],
    ["SELECT if(a > 1, 'many', 'one')", "SELECT (CASE WHEN a > 1 THEN 'many' ELSE 'one' END)"],
    ["SELECT date_format(t, '%Y-%m-%d %H:%i:%s')", "SELECT strftime(t, '%Y-%m-%d %H:%M:%S')"],
    ["SELECT arbitrary(a), approx_distinct(b)", "SELECT any_value(a), approx_count_distinct(b)"],
  ];
  for (const [presto, expected] of cases) assert.equal(translatePresto(presto), expected);
});

test("what both have stays as it is", () => {
  for (const sql of [
    `SELECT sum(a) AS "timestamp", labels['x'] FROM t WHERE "timestamp" >= timestamp '2019-01-01 00:00:00.000'`,
    "WITH a (x, y) AS (SELECT 1, 2), b AS (SELECT * FROM a CROSS JOIN a) SELECT count(*) FROM b GROUP BY x",
    "SELECT position('a' IN b), cast(c AS varchar(10)), coalesce(d, 0) FROM hive.metering.t AS t (b, c, d)",
    "SELECT x, row_number() OVER (PARTITION BY y ORDER BY z) FROM t WHERE x IN (1, 2) AND NOT (y = 'date_diff(1)')",
  ])
    assert.equal(translatePresto(sql), sql);
});

test("comments and a last semicolon are no part of a query", () => {
  assert.equal(translatePresto("SELECT 1 -- one\n, 2 /* two */ ;\n").replaceAll(/\s+/g, " "), "SELECT 1 , 2");
});

test("what cannot be translated is refused by name", () => {
  for (const [sql, message] of [
    ["SELECT read_csv('/etc/passwd')", /function read_csv of Presto is not translated/],
    ["SELECT json_extract_scalar(a, '$.b')", /json_extract_scalar/],
    ["SELECT * FROM t TABLESAMPLE BERNOULLI (10)", /TABLESAMPLE/],
    ["DROP TABLE t", /must be a SELECT/],
    ["SELECT 1; DROP TABLE t", /one statement/],
    ["SELECT element_at(a)", /with 1 such/],
    ["SELECT sum(1", /not closed/],
  ] as const)
    assert.throws(() => translatePresto(sql), message, sql);
});
