/** Users and roles of a spec on real etcd. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ETCD_VERSIONS } from "@capstan/kubernetes";
import { connectEtcd, EtcdError, syncAuth } from "../../src/etcd/index.ts";
import type { AuthSpec } from "../../src/etcd/index.ts";
import { startHealthyEtcd } from "./processes.ts";

type PermissionSpec = AuthSpec["roles"][number]["permissions"][number];

const denied = (error: unknown): boolean => error instanceof EtcdError && error.code === "Denied";

for (const version of ETCD_VERSIONS) {
  test(`etcd ${version}: users, roles and auth follow the spec; a second run is a no-op`, async () => {
    await using etcd = await startHealthyEtcd({ version });
    const passwords = new Map([
      ["root", "r00t"],
      ["app", "one"],
    ]);
    const environment = { passwords, isChanged: () => false };
    const off: AuthSpec = { enabled: false, roles: [], users: [] };
    assert.deepEqual(await syncAuth(etcd.client, off, environment), []);
    const spec: AuthSpec = {
      enabled: true,
      roles: [
        { name: "app", permissions: [{ access: "ReadWrite", key: "app/", prefix: true }] },
        { name: "watcher", permissions: [{ access: "Read", key: "a", rangeEnd: "z", prefix: false }] },
      ],
      users: [
        { name: "app", roles: ["app"] },
        { name: "by-certificate", roles: ["watcher"] },
      ],
    };
    assert.ok((await syncAuth(etcd.client, spec, environment)).includes("authentication is on"));
    const endpoint = etcd.clientURL;
    await using root = connectEtcd({ endpoint, credentials: { name: "root", password: "r00t" } });
    await using app = connectEtcd({ endpoint, credentials: { name: "app", password: "one" } });
    assert.deepEqual(await syncAuth(root, spec, environment), []);
    await app.kv.put("app/x", "1");
    await assert.rejects(app.kv.put("other", "1"), denied);

    const less: AuthSpec = {
      ...spec,
      roles: [{ name: "app", permissions: [{ access: "Read", key: "app/", prefix: true }] }],
      users: [{ name: "app", roles: ["app"] }],
    };
    const changed = { passwords: new Map([...passwords, ["app", "two"]]), isChanged: (user: string) => user === "app" };
    await syncAuth(root, less, changed);
    await using newApp = connectEtcd({ endpoint, credentials: { name: "app", password: "two" } });
    assert.equal((await newApp.kv.get("app/x"))?.value.toString(), "1");
    await assert.rejects(newApp.kv.put("app/x", "2"), denied);
    assert.deepEqual(await root.auth.roles(), ["app", "root"]);
    assert.deepEqual(await root.auth.users(), ["app", "root"]);
    assert.deepEqual(await syncAuth(root, { ...less, enabled: false }, environment), ["authentication is off"]);
    await etcd.client.kv.put("other", "1");
  });

  test(`etcd ${version}: permissions of overlapping key ranges are merged and revoked`, async () => {
    await using etcd = await startHealthyEtcd({ version });
    const sync = (...access: readonly PermissionSpec["access"][]): Promise<readonly string[]> => {
      const exact = access.map((one) => ({ access: one, key: "a/", prefix: false }));
      const permissions: PermissionSpec[] = [{ access: "Read", key: "a/", prefix: true }, ...exact];
      const root = { name: "root", permissions: [] };
      const spec: AuthSpec = { enabled: false, roles: [{ name: "app", permissions }, root], users: [] };
      return syncAuth(etcd.client, spec, { passwords: new Map(), isChanged: () => false });
    };
    const allowed = async (): Promise<readonly string[]> =>
      (await etcd.client.auth.permissionsOf("app")).map(({ allow }) => allow).toSorted();
    await sync("Read", "Write");
    assert.deepEqual(await allowed(), ["read", "readwrite"]);
    assert.deepEqual(await sync("Read", "Write"), []);
    await sync("Read");
    assert.deepEqual(await allowed(), ["read", "read"]);
    assert.deepEqual(await sync("Read"), []);
    await sync();
    assert.deepEqual(await allowed(), ["read"]);
  });
}
