/** A data folder: used by one server at a time, readable only by its owner, and sufficient to restart the same server. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { DataFolderError, startApiServer, type ApiServer } from "../src/index.ts";

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
  return { status: response.status, body: (await response.json()) as Reply["body"] };
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

test("a write that the disk rejects is neither acknowledged nor visible", async (t) => {
  const data = await folderFor(t);
  await (await startApiServer({ data })).close();
  const database = new DatabaseSync(join(data, "capstan.db"));
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON objects WHEN NEW.key LIKE '%poison%' BEGIN SELECT RAISE(FAIL, 'disk is full'); END",
  );
  database.close();
  const server = await startApiServer({ data });
  assert.equal((await ask(server, "POST", maps, map("good"))).status, 201);
  assert.equal((await ask(server, "POST", maps, map("poison"))).status, 500);
  for (const [method, path, body] of [
    ["GET", `${maps}/poison`],
    ["GET", maps],
    ["POST", maps, map("later")],
  ] as const) {
    const { status, body: answer } = await ask(server, method, path, body);
    assert.equal(status, 500);
    assert.match(
      String(answer["message"]),
      /^the disk refuses the state of the server \(disk is full\); it answers again/,
    );
  }
  await server.close();
  await using next = await startApiServer({ data });
  assert.deepEqual(await namesIn(next), ["good"]);
});
