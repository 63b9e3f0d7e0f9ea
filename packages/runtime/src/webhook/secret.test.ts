import assert from "node:assert/strict";
import { test } from "node:test";
import { failure, ModelApi } from "../../test/model-api.ts";
import { keepTrust } from "./secret.ts";

test("a missing namespace for the certificates fails with the server's message", async () => {
  const api = new ModelApi(() => 0);
  const missing = failure("NotFound", 'namespaces "nowhere" not found', 404);
  const place = { namespace: "nowhere", name: "certificates", manager: "test" };
  const refusing = {
    get: api.get.bind(api),
    list: api.list.bind(api),
    watch: api.watch.bind(api),
    apply: api.apply.bind(api),
    patch: api.patch.bind(api),
    delete: api.delete.bind(api),
    create: () => Promise.reject(missing),
  };
  const names = { dnsNames: ["a.b.svc"], ipAddresses: [] };
  const keeping = keepTrust({ ...place, api: refusing }, { now: new Date("2026-01-01"), names });
  await assert.rejects(keeping, missing);
});
