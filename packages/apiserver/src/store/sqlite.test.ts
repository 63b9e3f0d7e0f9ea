import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import type { Change } from "./collection.ts";
import { Entry } from "./entry.ts";
import { freeBytes } from "./reserve.ts";
import { openJournal } from "./sqlite.ts";

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-journal-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A disk that can be full. */
class SmallDisk extends DatabaseSync {
  isFull = false;

  override exec(sql: string): void {
    if (this.isFull && sql === "COMMIT") throw new Error("database or disk is full");
    super.exec(sql);
  }
}

function added(name: string, revision: number): Change {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, resourceVersion: String(revision) } };
  const entry = Entry.of(`default/${name}`, revision, object);
  return { type: "ADDED", key: entry.key, revision, time: 0, entry, previous: undefined };
}

/** Fills the disk beyond the space of the database. */
function fill(database: DatabaseSync): void {
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {};
  database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
}

test("on a full disk, objects are still written and deleted in the reserved space", async (t) => {
  const folder = folderFor(t);
  let disk: DatabaseSync | undefined;
  const opened = openJournal(folder, (path) => (disk = new DatabaseSync(path)));
  assert.ok(disk);
  assert.ok(freeBytes(disk) >= 8 * 2 ** 20, `${freeBytes(disk)} bytes are free`);
  fill(disk);
  for (let n = 1; n <= 1_000; n++) opened.journal.write("configmaps", added(`a${n}`, n));
  await opened.journal.settled();
  opened.close();
  const again = openJournal(folder);
  assert.equal(again.snapshot.resources.get("configmaps")?.length, 1_000);
  again.close();
});

test("a folder on a full disk is reported when it is opened", (t) => {
  const folder = folderFor(t);
  openJournal(folder).close();
  const full = (path: string): DatabaseSync => {
    const database = new DatabaseSync(path);
    database.exec("PRAGMA query_only = ON");
    return database;
  };
  assert.throws(() => openJournal(folder, full), { code: "Unusable", message: /cannot hold the state of a server/ });
});

test("a folder that cannot be created is reported", () => {
  assert.throws(() => openJournal("/proc/capstan/state"), { code: "Unusable" });
});

test("writes that a full disk rejects are retried in order before acknowledgement", async (t) => {
  const folder = folderFor(t);
  let disk: SmallDisk | undefined;
  const opened = openJournal(folder, (path) => (disk = new SmallDisk(path)));
  assert.ok(disk);
  disk.isFull = true;
  opened.journal.write("configmaps", added("a", 5));
  await assert.rejects(async () => opened.journal.settled(), /full/);
  assert.match(String(opened.journal.failure()), /full/);
  opened.journal.write("configmaps", added("b", 6));
  await assert.rejects(async () => opened.journal.settled(), /full/);
  disk.isFull = false;
  assert.equal(opened.journal.failure(), undefined);
  opened.close();
  const again = openJournal(folder);
  assert.deepEqual(
    again.snapshot.resources.get("configmaps")?.map(({ key, revision }) => [key, revision]),
    [
      ["default/a", 5],
      ["default/b", 6],
    ],
  );
  again.close();
});
