/** The operator crashes between its writes; members are in memory, with MariaDB's programs, settings and versions. */
import { test } from "node:test";
import { crashSuite } from "capstan/stateful/testing";
import { testOperator } from "capstan/testing";
import { mariadb } from "../../src/adapter.ts";

for (const { title, run } of crashSuite(mariadb, { openWorld: testOperator, crashes: 2 })) test(title, run);
