/** With authentication on, the operator is root by its certificate, and other certificates have the rights of their common names. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ETCD_VERSIONS } from "@capstan/kubernetes";
import { connectEtcd, EtcdError, syncAuth } from "../../src/etcd/index.ts";
import { planTls } from "../../src/tls/index.ts";
import { startEtcd, takePlace, untilHealthy } from "../etcd/processes.ts";
import { materialOf, mountSecret, secretOf, storedSecrets } from "./files.ts";

for (const version of ETCD_VERSIONS) {
  test(`etcd ${version}: the operator needs no password, clients have their rights`, async () => {
    const plan = planTls({
      cluster: { name: "db", namespace: "shop" },
      spec: { mode: "Managed", validity: "90d", caValidity: "3650d", names: [] },
      secrets: [],
      now: Date.now(),
      trusted: [],
    });
    const secrets = storedSecrets(plan);
    const place = await takePlace();
    const folder = join(place.folder, "tls");
    await mountSecret(folder, secretOf(secrets, "db-server"));
    assert.ok(plan.operator);
    await using member = await startEtcd({
      version,
      place,
      scheme: "https",
      connect: { tls: plan.operator },
      arguments: [
        ...["", "peer-"].flatMap((prefix) => [
          `--${prefix}cert-file=${folder}/tls.crt`,
          `--${prefix}key-file=${folder}/tls.key`,
          `--${prefix}trusted-ca-file=${folder}/ca.crt`,
        ]),
        "--client-cert-auth",
      ],
    });
    await untilHealthy(member);
    const operator = member.client;
    const spec = {
      enabled: true,
      roles: [{ name: "reader", permissions: [{ access: "Read", key: "shared/", prefix: true }] as const }],
      users: [{ name: "db-client", roles: ["reader"] }],
    };
    const environment = { passwords: new Map<string, string>(), isChanged: () => false };
    await syncAuth(operator, spec, environment);
    assert.deepEqual(await syncAuth(operator, spec, environment), []);
    await operator.kv.put("shared/x", "1");
    let bytes = 0;
    for await (const part of await operator.maintenance.snapshot()) bytes += part.length;
    assert.ok(bytes > 0);
    const tls = materialOf(secretOf(secrets, "db-client"));
    await using client = connectEtcd({ endpoint: member.clientURL, tls });
    assert.equal((await client.kv.get("shared/x"))?.value.toString(), "1");
    const denied = (error: unknown): boolean => error instanceof EtcdError && error.code === "Denied";
    await assert.rejects(client.kv.put("shared/x", "2"), denied);
    await assert.rejects(client.auth.users(), denied);
    await assert.rejects(client.maintenance.snapshot(), denied);
  });
}
