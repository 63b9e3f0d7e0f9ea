/** Several API servers on one etcd: what one writes the other reads, and one can die. */

import assert from "node:assert/strict";
import test from "node:test";

import { askApi, callApi, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import type { Credentials } from "@capstan/kubernetes";

const skip = kubernetesMissing();

test("a peer serves what another wrote, also after that one was killed", { skip }, async (t) => {
  await using cluster = await useKubernetes(t, { peers: 1, own: true });
  const [first, second] = cluster.servers;
  assert.ok(first && second);
  assert.notEqual(first.server, second.server);
  const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;
  const write = async (to: Credentials, name: string): Promise<unknown> =>
    callApi(to, {
      method: "POST",
      path: configMaps,
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
    });
  await write(first, "one");
  assert.equal((await askApi(second, { path: `${configMaps}/one` })).status, 200);

  await cluster.killApiServer(0);
  await assert.rejects(askApi(first, { path: "/readyz" }), { code: "ECONNRESET" });
  await write(second, "two");

  await cluster.restartApiServer(0);
  assert.equal((await askApi(first, { path: `${configMaps}/two` })).status, 200);
});
