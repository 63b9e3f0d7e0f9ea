/** Users with rotated passwords on a real cluster: a client with the Secret's password is never refused, and its connection stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Secret } from "capstan/kinds/v1";
import { createConnection } from "mysql2/promise";
import type { Connection } from "mysql2/promise";
import { Scene } from "./scene.ts";
import { readAppends, Workload } from "./workload.ts";

test("passwords of users, operator and replicas are rotated while clients work", async (t) => {
  const scene = await Scene.open(t);
  const user = { name: "app", grants: [{ privileges: ["ALL"], database: "app" }] };
  const spec = { size: 3, version: "10.11.19", databases: [{ name: "app" }] };
  await scene.apply({ ...spec, users: [user], accounts: { overlap: "10s" } });
  await scene.settled("three members replicate");
  await accountsAre(scene, "AsExpected");
  const early = await loginAsApp(scene);
  await early.query("CREATE TABLE app.seen (id INT PRIMARY KEY)");
  await using workload = await Workload.start(scene);
  await workload.progress(20);
  const before = await passwords(scene);
  await scene.apply({ ...spec, users: [{ ...user, rotation: "1" }], accounts: { overlap: "10s", rotation: "1" } });
  const logins = logInAllTheTime(scene);
  await accountsAre(scene, "Rotating");
  await workload.progress(20);
  await accountsAre(scene, "AsExpected");
  const { count, refused } = await logins.stop();
  assert.deepEqual(refused, [], "no login with the password of the Secret is refused");
  const after = await passwords(scene);
  for (const [name, password] of before) assert.notEqual(after.get(name), password, `${name} has another password`);
  await early.query("INSERT INTO app.seen VALUES (1)");
  early.destroy();
  await workload.stop();
  const { status } = await scene.settled("three members replicate");
  assert.equal(status?.epoch, 1, "no member took over");
  for (const { name } of status?.members ?? []) {
    await using sql = await scene.member(name);
    const rows = await scene.until(`${name} has all writes`, async () => {
      const found = await readAppends(sql);
      return found.size >= workload.acknowledged.length && found;
    });
    assert.deepEqual(
      workload.acknowledged.filter((id) => !rows.has(id)),
      [],
    );
  }
  t.diagnostic(`${count} logins; longest pause of writes: ${Math.round(workload.gaps[0] ?? 0)} ms`);
});

async function passwords(scene: Scene): Promise<ReadonlyMap<string, string>> {
  const read = async (secret: string) => {
    const { data = {} } = await scene.cluster.client.get(Secret, { namespace: scene.namespace, name: secret });
    return data;
  };
  const [system, app] = [await read(`${scene.name}-accounts`), await read(`${scene.name}-user-app`)];
  return new Map([
    ["operator", system["operator"] ?? ""],
    ["replication", system["replication"] ?? ""],
    ["app", app["password"] ?? ""],
  ]);
}

async function accountsAre(scene: Scene, reason: string): Promise<void> {
  await scene.until(`the condition AccountsReady has the reason ${reason}`, async () => {
    const { status, metadata } = await scene.object();
    const found = status?.conditions?.find(({ type }) => type === "AccountsReady");
    return found?.reason === reason && found.observedGeneration === metadata.generation;
  });
}

async function loginAsApp(scene: Scene): Promise<Connection> {
  const password = Buffer.from((await passwords(scene)).get("app") ?? "", "base64").toString();
  const stream = await scene.dialMember(await scene.primary());
  return await createConnection({ stream, user: "app", password, database: "app", connectTimeout: 60_000 });
}

/** Logs in with what the Secret has at that time. */
function logInAllTheTime(scene: Scene) {
  const abort = new AbortController();
  const refused: string[] = [];
  let count = 0;
  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        const connection = await loginAsApp(scene);
        await connection.query("SELECT 1");
        connection.destroy();
        count++;
      } catch (error) {
        refused.push(String(error));
      }
      await delay(20);
    }
  };
  const running = run();
  return {
    stop: async () => {
      abort.abort();
      await running;
      assert.ok(count > 0, "no login took place");
      return { count, refused };
    },
  };
}
