/** PostgreSQL is a store as all others: the shared tests, and random books against the oracle, on a real server. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import test, { after, before } from "node:test";
import pg from "pg";
import { openPostgresStore } from "../../src/index.ts";
import { compareWorld } from "../oracle/compare.ts";
import { type Opener, storeConformance } from "./conformance.ts";
import { type RunningPostgres, findPostgres, startPostgres } from "./start-postgres.ts";

let server: RunningPostgres | undefined;
let count = 0;

before(async () => {
  const programs = await findPostgres();
  assert.ok(programs !== undefined, "install Debian's package postgresql");
  server = await startPostgres(programs);
});
after(() => server?.[Symbol.asyncDispose]());

function urlOf(schema: string): string {
  return `${server?.url ?? ""}?schema=${schema}`;
}

function fresh(): Opener {
  count += 1;
  const url = urlOf(`store_${count}`);
  const options = { pid: process.pid, temporary: tmpdir() };
  return {
    writer: (wait) => openPostgresStore(url, { ...options, lock: wait === undefined ? {} : { wait } }),
    reader: () => openPostgresStore(url, options),
  };
}

storeConformance("PostgreSQL", () => ({ fresh }));

test("PostgreSQL: a store of a newer version is refused and stays as it is", async () => {
  await using store = await fresh().writer();
  await store.commit({ at: 0, rows: [], watermarks: { calls: 1 } });
  const url = urlOf(`store_${count}`);
  const client = new pg.Client({ connectionString: server?.url });
  await client.connect();
  await client.query(`UPDATE store_${count}.meta SET value = '9' WHERE name = 'version'`);
  await client.end();
  const options = { pid: process.pid, temporary: tmpdir() };
  await assert.rejects(openPostgresStore(url, options), { code: "Newer" });
});

test("PostgreSQL: a server that cannot be reached is an error that keeps the password", async () => {
  const url = "postgres://meter:secret@127.0.0.1:1/postgres";
  const options = { pid: process.pid, temporary: tmpdir() };
  await assert.rejects(openPostgresStore(url, options), (error: Error & { code?: string }) => {
    assert.equal(error.code, "Unreachable");
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
});

test("PostgreSQL: 200 random books equal the oracle to the last digit", async () => {
  for (let seed = 1; seed <= 200; seed++) await compareWorld(seed, () => fresh().writer());
});
