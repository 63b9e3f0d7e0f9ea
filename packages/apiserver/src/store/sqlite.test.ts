import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import type { Change } from "./collection.ts";
import { Entry } from "./entry.ts";
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
  const entry = new Entry(`default/${name}`, revision, object);
  return { type: "ADDED", key: entry.key, revision, time: 0, entry, previous: undefined };
}

test("what a full disk refused is written when there is room again, in order, and nothing is called safe before", async (t) => {
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
