/** `capstan cluster fsck` on folders that are sound, damaged, in use, or not there. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { capstan } from "./terminal.ts";

async function stateWith(t: TestContext, ...names: string[]): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "cli-fsck-"));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  await using server = await startApiServer({ data: join(cwd, "state") });
  for (const name of names) {
    const body = JSON.stringify({ metadata: { name } });
    const headers = { "content-type": "application/json" };
    const url = "http://server/api/v1/namespaces/default/configmaps";
    const { status } = await server.fetch(new Request(url, { method: "POST", headers, body }));
    assert.equal(status, 201);
  }
  return cwd;
}

const fsck = (cwd: string, ...words: string[]): ReturnType<typeof capstan> =>
  capstan(["cluster", "fsck", ...words], { cwd });

test("fsck says what is damaged, changes nothing without --repair, and repairs with it", async (t) => {
  const cwd = await stateWith(t, "a", "b");
  const sound = await fsck(cwd, "--data", "state");
  assert.equal(sound.code, 0, sound.err);
  assert.match(sound.out, /^\d+ objects are sound\n$/);
  const database = new DatabaseSync(join(cwd, "state", "capstan.db"));
  database.exec("UPDATE objects SET json = json || ' ' WHERE key = 'default/a'");
  database.close();
  for (let times = 0; times < 2; times++) {
    const found = await fsck(cwd, "--data", "state");
    assert.equal(found.code, 1);
    assert.match(found.out, /^damaged: configmaps default\/a: its checksum does not match$/m);
    assert.match(found.err, /repair it with --repair/);
  }
  const repaired = await fsck(cwd, "--data", "state", "--repair");
  assert.equal(repaired.code, 0, repaired.err);
  assert.match(repaired.out, /capstan\.db\.damaged-1$/m);
  assert.equal((await fsck(cwd, "--data", "state")).code, 0);
});

test("fsck names the remedy without an option or folder, and beside a running server", async (t) => {
  const cwd = await stateWith(t);
  assert.match((await fsck(cwd)).err, /--data is missing/);
  const missing = await fsck(cwd, "--data", "nothing");
  assert.deepEqual([missing.code, /there is no capstan\.db in it/.test(missing.err)], [3, true]);
  await using _server = await startApiServer({ data: join(cwd, "state") });
  const used = await fsck(cwd, "--data", "state", "--repair");
  assert.deepEqual([used.code, /another server keeps its state/.test(used.err)], [3, true]);
});
