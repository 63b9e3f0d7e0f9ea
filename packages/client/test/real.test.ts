import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { createClient, loadConfig, processHost } from "../src/index.ts";

const skip = kubernetesMissing();

test("reads, writes and watches on the real kube-apiserver", { skip }, async (t) => {
  await using cluster = await useKubernetes(t);
  const host = processHost();
  await using client = createClient(await loadConfig(host, { kubeconfig: cluster.kubeconfig }));
  const { namespace } = cluster;
  const made = await client.create(ConfigMap, { metadata: { name: "a", namespace }, data: { x: "1" } });
  assert.equal(made.data?.["x"], "1");
});
