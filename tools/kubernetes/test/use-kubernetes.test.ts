/** The helper as test files use it: two tests of one run share a control plane and never a namespace. */

import assert from "node:assert/strict";
import test from "node:test";

import { callApi, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";

const skip = kubernetesMissing();

test("tests at the same time get one control plane and a namespace each", { skip }, async (t) => {
  const clusters = await Promise.all([useKubernetes(t), useKubernetes(t), useKubernetes(t)]);
  assert.equal(new Set(clusters.map((cluster) => cluster.server)).size, 1);
  assert.equal(new Set(clusters.map((cluster) => cluster.namespace)).size, 3);
});

test("the credentials are the administrator's and the version is the one asked for", { skip }, async (t) => {
  await using cluster = await useKubernetes(t, { version: "1.36.3" });
  const version = await callApi(cluster.credentials, { path: "/version" });
  assert.equal((version as { gitVersion: string }).gitVersion, "v1.36.3");
  const review = await callApi(cluster.credentials, {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb: "*", resource: "*", group: "*" } },
    },
  });
  assert.equal((review as { status: { allowed: boolean } }).status.allowed, true);
});

test("a namespace is ready for pods and goes when its test ends", { skip }, async (t) => {
  const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "one" },
    spec: { containers: [{ name: "c", image: "i" }] },
  };
  const cluster = await useKubernetes(t);
  await callApi(cluster.credentials, { method: "POST", path: pods(cluster.namespace), body: pod });
  await cluster[Symbol.asyncDispose]();
  const after = await callApi(cluster.credentials, { path: `/api/v1/namespaces` });
  const { items } = after as { items: { metadata: { name: string; deletionTimestamp?: string } }[] };
  const left = items.find((item) => item.metadata.name === cluster.namespace);
  assert.ok(left === undefined || left.metadata.deletionTimestamp !== undefined);
});
