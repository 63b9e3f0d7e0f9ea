import assert from "node:assert/strict";
import { test } from "node:test";
import { toKubeconfig } from "./kubeconfig.ts";

const authority = { certificate: "PEM" } as Parameters<typeof toKubeconfig>[0]["authority"];

test("a kubeconfig uses the cluster name everywhere and has the server certificate", () => {
  const text = toKubeconfig({ url: "https://127.0.0.1:1", token: "secret", authority }, "here");
  assert.deepEqual(JSON.parse(text), {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "here", cluster: { server: "https://127.0.0.1:1", "certificate-authority-data": btoa("PEM") } }],
    users: [{ name: "here", user: { token: "secret" } }],
    contexts: [{ name: "here", context: { cluster: "here", user: "here" } }],
    "current-context": "here",
  });
});

test("a kubeconfig for plain HTTP has no certificate", () => {
  assert.doesNotMatch(toKubeconfig({ url: "http://127.0.0.1:1", token: "secret", authority }), /certificate/);
});
