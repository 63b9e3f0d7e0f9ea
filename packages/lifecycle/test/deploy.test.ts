/** The permissions of a deployed manager, on the embedded cluster: with them and no others, it does its work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, inProcess } from "@capstan/client";
import { startCluster } from "@capstan/cluster";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { ClusterRole, ClusterRoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Secret, ServiceAccount } from "@capstan/kinds/v1";
import {
  clusterOf,
  ClusterServiceVersion,
  deployedName,
  installBase,
  lifecycleManager,
  managerObjects,
  registerPackageServer,
  unregisterPackageServer,
} from "@capstan/lifecycle";
import { apiOf, silentLog, systemClock } from "@capstan/runtime";
import { oneChannel, operatorCrd, operatorCsv } from "./content.ts";
import { catalogInto, settingOf, until } from "./world.ts";

test("a deployed manager does its work with the permissions of its role", async () => {
  await using embedded = await startCluster({ heartbeat: false });
  const admin = clusterOf(apiOf(embedded.client));
  for (const { kind, manifest } of managerObjects({ namespace: "olm", image: "registry.example/manager:v1" }))
    await admin.apply(kind, manifest, "test");
  // As in a pod: the server adds the groups of the account.
  const user = `system:serviceaccount:olm:${deployedName}`;
  const client = createClient(
    inProcess((request) => {
      const headers = new Headers(request.headers);
      headers.set("impersonate-user", user);
      return embedded.fetch(new Request(request, { headers }));
    }),
  );
  const setting = { ...settingOf(embedded), cluster: clusterOf(apiOf(client)) };
  await installBase({ cluster: setting.cluster, clock: systemClock, namespace: "olm" });
  const running = lifecycleManager(setting).start({ api: apiOf(client), log: silentLog, namespace: "olm" });
  try {
    const world = catalogInto(admin);
    await world.namespace("shop");
    const first = operatorCsv({ version: "1.0.0" });
    await world.catalog(oneChannel("foo.v1.0.0", [first], [operatorCrd()]));
    await world.subscribe("shop", { name: "foo" });
    const succeeds = (name: string): Promise<unknown> =>
      until(
        `${name} succeeds`,
        () => admin.get(ClusterServiceVersion, { namespace: "shop", name }),
        (seen) => seen?.status?.phase === "Succeeded",
      );
    await succeeds("foo.v1.0.0");
    const second = operatorCsv({ version: "1.1.0", replaces: "foo.v1.0.0" });
    await world.catalog(oneChannel("foo.v1.1.0", [first, second], [operatorCrd()]));
    await succeeds("foo.v1.1.0");
    assert.ok((await admin.list(ClusterRole)).some(({ metadata }) => metadata.name.startsWith("foo.v1.1.0")));
    // In a pod, PackageManifests are served at the address of the pod.
    const slices = async (): Promise<readonly string[]> =>
      (await admin.list(EndpointSlice, { namespace: "olm" })).flatMap(({ endpoints }) =>
        (endpoints ?? []).flatMap(({ addresses }) => addresses),
      );
    const place = { namespace: "olm", host: "10.244.0.5", port: 8443, authority: "" };
    await registerPackageServer(place, setting.cluster);
    assert.deepEqual(await slices(), ["10.244.0.5"]);
    await unregisterPackageServer("olm", setting.cluster);
    assert.deepEqual(await slices(), []);
  } finally {
    await running.stop(0);
  }
});

test("the role has neither all permissions nor users and groups to impersonate", () => {
  const objects = managerObjects({ namespace: "olm", image: "registry.example/manager:v1", pullSecrets: ["registry"] });
  const role = objects.find(({ kind }) => kind.kind === ClusterRole.kind)?.manifest as unknown as ClusterRole;
  const rules = role.rules ?? [];
  assert.ok(rules.every(({ verbs }) => !verbs.includes("*")));
  for (const { apiGroups = [], resources = [], verbs } of rules) {
    if (apiGroups.includes("*") || (resources.includes("*") && apiGroups.includes("")))
      assert.deepEqual(verbs, ["get", "list"]);
    if (verbs.includes("impersonate")) assert.deepEqual(resources, [ServiceAccount.plural]);
  }
  const kinds = objects.map(({ kind }) => kind.kind);
  assert.deepEqual(kinds, ["Namespace", "ServiceAccount", "ClusterRole", ClusterRoleBinding.kind, "Deployment"]);
  assert.ok(!kinds.includes(Secret.kind));
  const text = JSON.stringify(objects.at(-1)?.manifest);
  for (const part of [
    '"runAsNonRoot":true',
    '"readOnlyRootFilesystem":true',
    '"drop":["ALL"]',
    '"type":"Recreate"',
    '"name":"registry"',
  ])
    assert.ok(text.includes(part), part);
});
