/** A server of a test can be called by the API server, which cannot reach this machine otherwise. */

import assert from "node:assert/strict";
import { createServer } from "node:https";
import test from "node:test";
import { json } from "node:stream/consumers";

import { createAuthority, validFor } from "@capstan/pki";
import { askApi, callApi, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";

const skip = kubernetesMissing();

test("a webhook in the test's process is called by the real API server", { skip }, async (t) => {
  await using cluster = await useKubernetes(t);
  const now = new Date();
  const authority = createAuthority({ commonName: "webhook", now, days: 1 });
  const ipAddresses = ["10.123.0.2"];
  const pair = authority.issue({
    commonName: "webhook",
    ipAddresses,
    usages: ["server"],
    ...validFor({ now, days: 1 }),
  });
  const server = createServer({ cert: pair.certificate, key: pair.privateKey }, (request, response) => {
    void json(request).then((review) => {
      const { uid } = (review as { request: { uid: string } }).request;
      const answer = { uid, allowed: false, status: { message: "the test says no" } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }));
    });
  });
  t.after(() => server.close());
  const { host, port } = await cluster.listen(server);
  assert.deepEqual([host], ipAddresses);

  const name = cluster.namespace;
  const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  await callApi(cluster.credentials, {
    method: "POST",
    path: configurations,
    body: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name },
      webhooks: [
        {
          name: "no.capstan.test",
          clientConfig: {
            url: `https://${host}:${port}/`,
            caBundle: Buffer.from(authority.certificate).toString("base64"),
          },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    },
  });
  t.after(async () => {
    await askApi(cluster.credentials, { method: "DELETE", path: `${configurations}/${name}` });
  });
  const wanted = {
    method: "POST",
    path: `/api/v1/namespaces/${name}/configmaps`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "refused" } },
  } as const;
  let refused = await askApi(cluster.credentials, wanted);
  // The API server loads its webhooks with a delay.
  for (const end = performance.now() + 120_000; refused.status === 201 && performance.now() < end;) {
    await askApi(cluster.credentials, { method: "DELETE", path: `${wanted.path}/refused` });
    refused = await askApi(cluster.credentials, wanted);
  }
  assert.match(JSON.stringify(refused.body), /the test says no/);
});
