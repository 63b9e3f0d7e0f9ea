/** MariaDB's rule for acknowledgements, through all orders of writes, crashes, cuts and lost volumes. */
import { test } from "node:test";
import { modelSuite } from "capstan/stateful/testing";
import { mariadb } from "../../src/adapter.ts";

for (const { title, run } of modelSuite(mariadb)) test(title, run);
