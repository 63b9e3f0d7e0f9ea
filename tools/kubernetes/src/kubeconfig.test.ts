import assert from "node:assert/strict";
import test from "node:test";

import { parse } from "yaml";

import { formatKubeconfig } from "./kubeconfig.ts";

test("a kubeconfig is one YAML document with everything inside", () => {
  const text = formatKubeconfig("admin", { server: "https://127.0.0.1:1", ca: "CA", cert: "C", key: "K" });
  const config = parse(text) as Record<string, unknown>;
  assert.equal(config["current-context"], "capstan");
  assert.deepEqual(config["clusters"], [
    { name: "capstan", cluster: { server: "https://127.0.0.1:1", "certificate-authority-data": "Q0E=" } },
  ]);
  assert.deepEqual(config["users"], [
    { name: "admin", user: { "client-certificate-data": "Qw==", "client-key-data": "Sw==" } },
  ]);
});
