/** A data folder: used by one server at a time, readable only by its owner, and sufficient to restart the same server. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import {
  checkDataFolder,
  DataFolderError,
  isSound,
  repairDataFolder,
  startApiServer,
  type ApiServer,
} from "../src/index.ts";

const maps = "/api/v1/namespaces/default/configmaps";

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-data-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "state");
}

interface Reply {
  readonly status: number;
  readonly body: { readonly [key: string]: unknown };
}

async function ask(server: ApiServer, method: string, path: string, body?: unknown): Promise<Reply> {
  const init = { method, headers: { "content-type": "application/json" } };
  const request = new Request(
    `http://server${path}`,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
  );
  const response = await server.fetch(request);
  const isJson = response.headers.get("content-type") === "application/json";
  return { status: response.status, body: isJson ? ((await response.json()) as Reply["body"]) : {} };
}

const map = (name: string): object => ({ metadata: { name } });

async function namesIn(server: ApiServer): Promise<string[]> {
  const { body } = await ask(server, "GET", maps);
  return (body["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

test("a data folder is locked until its server ends or fails to start", async (t) => {
  const data = await folderFor(t);
  const first = await startApiServer({ data });
  await assert.rejects(startApiServer({ data }), (error) => {
    assert.ok(error instanceof DataFolderError);
    assert.equal(error.code, "InUse");
    assert.equal(error.message, `another server keeps its state in ${data}; stop that one, or name another folder`);
    return true;
  });
  assert.equal((await ask(first, "POST", maps, map("a"))).status, 201);
  await first.close();
  await assert.rejects(startApiServer({ data, listen: { port: 1, host: "192.0.2.1" } }));
  await using second = await startApiServer({ data });
  assert.deepEqual(await namesIn(second), ["a"]);
});

test("only the owner can read the data folder", async (t) => {
  const data = await folderFor(t);
  await using server = await startApiServer({ data, listen: { port: 0 } });
  assert.equal((await ask(server, "POST", maps, map("a"))).status, 201);
  assert.equal((await stat(data)).mode & 0o777, 0o700);
  const files = await readdir(data);
  assert.ok(files.includes("capstan.db") && files.includes("keys.json"), files.join());
  for (const file of files) assert.equal((await stat(join(data, file))).mode & 0o077, 0, file);
});

test("a restarted server keeps its token, certificate authority and issued tokens", async (t) => {
  const data = await folderFor(t);
  const first = await startApiServer({ data, listen: { port: 0 } });
  await ask(first, "POST", "/api/v1/namespaces/default/serviceaccounts", map("robot"));
  const issued = await ask(first, "POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", { spec: {} });
  const { token } = issued.body["status"] as { token: string };
  const { port, authority } = first;
  await first.close();
  await using second = await startApiServer({ data, listen: { port: 0 } });
  assert.equal(second.token, first.token);
  assert.equal(second.authority.certificate, authority.certificate);
  assert.equal(second.port, port);
  const review = await ask(second, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
  const { authenticated, user } = review.body["status"] as { authenticated: boolean; user: { username: string } };
  assert.deepEqual([authenticated, user.username], [true, "system:serviceaccount:default:robot"]);
});

test("a restored snapshot survives a restart, and revisions are not reused", async (t) => {
  const data = await folderFor(t);
  const first = await startApiServer({ data });
  await ask(first, "POST", maps, map("a"));
  const before = first.snapshot();
  await ask(first, "POST", maps, map("b"));
  const { revision } = first.store;
  first.restore(before);
  assert.ok(first.store.revision > revision);
  assert.deepEqual(await namesIn(first), ["a"]);
  await first.close();
  await using second = await startApiServer({ data });
  assert.deepEqual(await namesIn(second), ["a"]);
  assert.ok(second.store.revision > revision);
});

test("a write that the disk rejects fails, and reads, deletions and other writes go on", async (t) => {
  const data = await folderFor(t);
  await (await startApiServer({ data })).close();
  const database = new DatabaseSync(join(data, "capstan.db"));
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON objects WHEN NEW.key LIKE '%poison%' BEGIN SELECT RAISE(FAIL, 'disk is full'); END",
  );
  database.close();
  const server = await startApiServer({ data });
  assert.equal((await ask(server, "POST", maps, map("good"))).status, 201);
  assert.equal((await ask(server, "POST", maps, map("fat"))).status, 201);
  const before = server.store.revision;
  const refused = await ask(server, "POST", maps, map("poison"));
  assert.equal(refused.status, 500);
  assert.match(
    String(refused.body["message"]),
    /^the disk of the server rejects the change \(disk is full\): nothing was/,
  );
  assert.equal((await ask(server, "GET", `${maps}/poison`)).status, 404);
  assert.equal((await ask(server, "GET", `/readyz`)).status, 200);
  assert.deepEqual(await namesIn(server), ["fat", "good"]);
  assert.equal((await ask(server, "DELETE", `${maps}/fat`)).status, 200);
  const later = await ask(server, "POST", maps, map("later"));
  assert.equal(later.status, 201);
  const { resourceVersion } = later.body["metadata"] as { resourceVersion: string };
  assert.ok(Number(resourceVersion) > before + 1, "the revision of the rejected write is not used again");
  assert.deepEqual(await namesIn(server), ["good", "later"]);
  await server.close();
  await using next = await startApiServer({ data });
  assert.deepEqual(await namesIn(next), ["good", "later"]);
});

test("a watch ends when a write that it may have seen is taken back", async (t) => {
  const data = await folderFor(t);
  await (await startApiServer({ data })).close();
  const database = new DatabaseSync(join(data, "capstan.db"));
  database.exec("CREATE TRIGGER full BEFORE INSERT ON objects BEGIN SELECT RAISE(FAIL, 'disk is full'); END");
  database.close();
  await using server = await startApiServer({ data });
  const { revision } = server.store;
  const watch = await server.fetch(new Request(`http://server${maps}?watch=1&resourceVersion=${revision}`));
  assert.equal((await ask(server, "POST", maps, map("a"))).status, 500);
  await watch.text();
  const again = await server.fetch(new Request(`http://server${maps}?watch=1&resourceVersion=${revision}`));
  assert.match(await again.text(), /"code":410/);
});

/** Changes a stored object behind the back of the server. */
function flipBit(data: string, key: string): void {
  const database = new DatabaseSync(join(data, "capstan.db"));
  const { changes } = database
    .prepare("UPDATE objects SET json = replace(json, '\"ConfigMap\"', '\"CpnfigMap\"') WHERE key = ?")
    .run(key);
  assert.equal(changes, 1);
  database.close();
}

test("a damaged object stops the start, and fsck repairs the folder without it", async (t) => {
  const data = await folderFor(t);
  const first = await startApiServer({ data });
  for (const name of ["a", "b", "c"]) assert.equal((await ask(first, "POST", maps, map(name))).status, 201);
  const { revision } = first.store;
  assert.throws(() => checkDataFolder(data), { code: "InUse" });
  await first.close();
  assert.ok(isSound(checkDataFolder(data)));
  assert.deepEqual(repairDataFolder(data).kept, []);
  flipBit(data, "default/b");
  await assert.rejects(startApiServer({ data }), {
    code: "Damaged",
    message: /one object: configmaps default\/b \(its checksum does not match\); see .*capstan cluster fsck --data/,
  });
  const report = checkDataFolder(data);
  assert.deepEqual(report.damaged, [{ resource: "configmaps", key: "default/b", why: "its checksum does not match" }]);
  assert.equal(repairDataFolder(data).kept.length, 1);
  assert.ok(isSound(checkDataFolder(data)));
  await using second = await startApiServer({ data });
  assert.deepEqual(await namesIn(second), ["a", "c"]);
  assert.ok(second.store.revision > revision);
});

/** The offset of a page of rows that contains a text; 10 is the type of such pages in the file format of SQLite. */
function rowPageWith(bytes: Buffer, text: string): number {
  for (let page = 0; page < bytes.length; page += pageSize) {
    if (bytes[page] === 10 && bytes.subarray(page, page + pageSize).includes(text)) return page;
  }
  throw new Error(`no page of rows contains ${text}`);
}

const pageSize = 4096;

test("fsck finds what is behind a damaged page", async (t) => {
  const data = await folderFor(t);
  const first = await startApiServer({ data });
  for (let at = 100; at < 300; at++) assert.equal((await ask(first, "POST", maps, map(`m${at}`))).status, 201);
  await first.close();
  const path = join(data, "capstan.db");
  const database = new DatabaseSync(path);
  // Free pages contain old copies of rows.
  database.exec("VACUUM");
  database.close();
  const bytes = await readFile(path);
  const page = rowPageWith(bytes, '"name":"m200"');
  bytes.fill(0xff, page, page + pageSize);
  await writeFile(path, bytes);
  await assert.rejects(startApiServer({ data }), { code: "Damaged" });
  const { report } = repairDataFolder(data);
  assert.ok(report.pages.length > 0);
  await using second = await startApiServer({ data });
  const names = await namesIn(second);
  assert.ok(names.includes("m100") && names.includes("m299"), names.join());
  assert.ok(!names.includes("m200"), names.join());
});

test("damaged keys and files that are no database are reported and repaired", async (t) => {
  const data = await folderFor(t);
  const first = await startApiServer({ data });
  await ask(first, "POST", maps, map("a"));
  await first.close();
  await writeFile(join(data, "keys.json"), '{"token": "x"');
  await assert.rejects(startApiServer({ data }), { code: "Damaged", message: /keys\.json cannot be read/ });
  assert.equal(repairDataFolder(data).kept.length, 1);
  const second = await startApiServer({ data });
  assert.deepEqual(await namesIn(second), ["a"]);
  assert.notEqual(second.token, first.token);
  await second.close();
  await writeFile(join(data, "capstan.db"), "no database".repeat(1000));
  await assert.rejects(startApiServer({ data }), { code: "Damaged" });
  assert.ok(repairDataFolder(data).report.pages.length > 0);
  await using third = await startApiServer({ data });
  assert.deepEqual(await namesIn(third), []);
});

test("a folder of a version without checksums gets them at the next start", async (t) => {
  const data = await folderFor(t);
  const first = await startApiServer({ data });
  await ask(first, "POST", maps, map("a"));
  await first.close();
  const database = new DatabaseSync(join(data, "capstan.db"));
  database.exec("ALTER TABLE objects DROP COLUMN checksum");
  database.close();
  assert.ok(isSound(checkDataFolder(data)));
  await (await startApiServer({ data })).close();
  flipBit(data, "default/a");
  await assert.rejects(startApiServer({ data }), { code: "Damaged" });
});

for (const file of ["capstan.db", "capstan.db-wal"]) {
  test(`changes are rejected when ${file} is removed while the server runs`, async (t) => {
    const data = await folderFor(t);
    await using server = await startApiServer({ data });
    assert.equal((await ask(server, "POST", maps, map("kept"))).status, 201);
    await rm(join(data, file));
    const { status, body } = await ask(server, "POST", maps, map("lost"));
    assert.equal(status, 500);
    assert.match(String(body["message"]), /capstan\.db\S* was removed or replaced while the server runs: /);
    assert.deepEqual(await namesIn(server), ["kept"]);
    assert.equal((await ask(server, "DELETE", `${maps}/kept`)).status, 500);
    assert.deepEqual(await namesIn(server), ["kept"]);
  });
}
