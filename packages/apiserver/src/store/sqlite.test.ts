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

function added(name: string, revision: number, size = 0): Change {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, resourceVersion: String(revision) },
    ...(size > 0 && { data: { text: "x".repeat(size) } }),
  };
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

test("changes that the disk rejects are taken back, and later ones are written", async (t) => {
  const folder = folderFor(t);
  let disk: SmallDisk | undefined;
  const opened = openJournal(folder, (path) => (disk = new SmallDisk(path)));
  assert.ok(disk);
  const undone: string[] = [];
  opened.journal.whenRejected((changes) => undone.push(...changes.map(({ change }) => change.key)));
  disk.isFull = true;
  opened.journal.write("configmaps", added("a", 5));
  opened.journal.write("configmaps", added("b", 6));
  await assert.rejects(async () => opened.journal.settled(), /rejects the change \(database or disk is full\)/);
  assert.deepEqual(undone, ["default/a", "default/b"]);
  disk.isFull = false;
  opened.journal.write("configmaps", added("c", 7));
  await opened.journal.settled();
  opened.close();
  const again = openJournal(folder);
  assert.deepEqual(
    again.snapshot.resources.get("configmaps")?.map(({ key, revision }) => [key, revision]),
    [["default/c", 7]],
  );
  again.close();
});

test("with the reserve left only, deletions and small changes are admitted", async (t) => {
  const folder = folderFor(t);
  let disk: DatabaseSync | undefined;
  const opened = openJournal(folder, (path) => (disk = new DatabaseSync(path)));
  assert.ok(disk);
  fill(disk);
  let count = 0;
  const isAdmitted = (): boolean => {
    try {
      opened.journal.admit(100_000);
      return true;
    } catch {
      return false;
    }
  };
  for (; isAdmitted(); count++) {
    assert.ok(count < 1000, "the reserve is used up");
    opened.journal.write("configmaps", added(`big${count}`, count + 1, 100_000));
    await opened.journal.settled();
  }
  opened.journal.admit(100);
  for (let at = 0; at < count; at++) {
    const { entry } = added(`big${at}`, at + 1);
    const change = { key: entry.key, entry, previous: entry, revision: count + at + 1, time: 0 };
    opened.journal.write("configmaps", { type: "DELETED", ...change });
    await opened.journal.settled();
  }
  opened.journal.admit(100_000);
  opened.close();
});
