/** Tests of callers of a cluster: its reviews decide what they see. */
import assert from "node:assert/strict";
import test from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess } from "@capstan/client";
import { Namespace, ServiceAccount } from "@capstan/kinds/v1";
import { ClusterRole, ClusterRoleBinding, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { clusterAuthenticator } from "./cluster-callers.ts";

const get = { verb: "get", resource: "reports" } as const;

test("tokens and rights come from the cluster", async () => {
  await using server = await startApiServer();
  const client = createClient(inProcess(server.fetch));
  const tenants = { "acme-1": "acme", "acme-2": "acme", "globex-1": "globex", "initech-1": "initech" };
  for (const [name, tenant] of Object.entries(tenants))
    await client.create(Namespace, { metadata: { name, labels: { "capstan.dev/tenant": tenant } } });
  for (const name of ["viewer", "admin"])
    await client.create(ServiceAccount, { metadata: { name, namespace: "acme-1" } });
  const rules = [{ apiGroups: ["metering.capstan.dev"], resources: ["reports"], verbs: ["get"] }];
  await client.create(ClusterRole, { metadata: { name: "metering-viewer" }, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "metering-viewer" };
  const subject = (name: string) => ({ kind: "ServiceAccount", name, namespace: "acme-1" });
  // One of globex's namespaces is all it has; of acme's two both are needed; initech is not bound.
  for (const namespace of ["acme-1", "acme-2", "globex-1"])
    await client.create(RoleBinding, {
      metadata: { name: "viewer", namespace },
      roleRef,
      subjects: [subject("viewer")],
    });
  await client.create(ClusterRoleBinding, { metadata: { name: "admin" }, roleRef, subjects: [subject("admin")] });
  const tokenOf = async (name: string): Promise<string> =>
    (await client.createToken({ namespace: "acme-1", name }, { audiences: [] })).status?.token ?? "";
  let now = 0;
  const authenticator = clusterAuthenticator({
    create: (kind, object) => client.create(kind, object),
    list: (kind) => Array.fromAsync(client.list(kind, {})),
    tenantLabel: async () => "capstan.dev/tenant",
    now: () => now,
  });
  assert.equal(await authenticator.callerOf("a.b.c"), undefined);
  const viewer = await authenticator.callerOf(await tokenOf("viewer"));
  assert.equal(viewer?.user, "system:serviceaccount:acme-1:viewer");
  assert.deepEqual(await viewer?.scopeOf(get), { kind: "tenants", tenants: ["acme", "globex"] });
  assert.deepEqual(await viewer?.scopeOf({ verb: "create", resource: "usage" }), { kind: "tenants", tenants: [] });
  const admin = await authenticator.callerOf(await tokenOf("admin"));
  assert.deepEqual(await admin?.scopeOf(get), { kind: "all" });
  await client.delete(RoleBinding, { namespace: "acme-2", name: "viewer" });
  now += 10_001;
  assert.deepEqual(await viewer?.scopeOf(get), { kind: "tenants", tenants: ["globex"] });
});
