/** A restart with nothing to do writes nothing, also if the server filled defaults into atomic values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { Deployment, StatefulSet } from "@capstan/kinds/apps/v1";
import { Job } from "@capstan/kinds/batch/v1";
import { NetworkPolicy } from "@capstan/kinds/networking.k8s.io/v1";
import { ClusterRoleBinding, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ protocol: s.enum("TCP", "UDP").optional() }),
});

const labels = { app: "x" };
const containers = [
  {
    name: "c",
    image: "i",
    env: [
      { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
    ],
  },
] as const;
const projected = {
  sources: [
    { serviceAccountToken: { path: "t" } },
    { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
  ],
};
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } as const;
const subjects = [
  { kind: "User", name: "u" },
  { kind: "ServiceAccount", name: "sa", namespace: "default" },
];

const owns = [Deployment, StatefulSet, Job, NetworkPolicy, RoleBinding, ClusterRoleBinding] as const;
const box = controller(Box, { owns }, async ({ object, apply }) => {
  const template = { metadata: { labels }, spec: { containers, volumes: [{ name: "p", projected }] } };
  const selector = { matchLabels: labels };
  await apply(Deployment, "d", { spec: { selector, template } });
  const volumeClaimTemplates = [{ metadata: { name: "d" }, spec: claim }];
  await apply(StatefulSet, "s", { spec: { serviceName: "x", selector, template, volumeClaimTemplates } });
  const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] as const;
  const once = { ...template, spec: { ...template.spec, restartPolicy: "Never" as const } };
  await apply(Job, "j", { spec: { template: once, podFailurePolicy: { rules } } });
  const { protocol } = object.spec;
  const port = { port: 80, ...(protocol === undefined ? {} : { protocol }) };
  await apply(NetworkPolicy, "n", {
    spec: { podSelector: {}, ingress: [{ ports: [port], from: [{ podSelector: {} }] }] },
  });
  await apply(RoleBinding, "r", { subjects, roleRef: { kind: "Role", name: "r" } });
  await apply(ClusterRoleBinding, "r", { subjects, roleRef: { kind: "ClusterRole", name: "r" } });
});

test("a restart with nothing to do writes nothing, and a removed override is reset", async () => {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
  });
  const start = () => testOperator(operator({ name: "boxes", controllers: [box] }), server, { clock });
  {
    await using world = await start();
    await world.apply(Box, "b", { spec: {} });
    await world.settle();
    assert.equal(world.writes.filter(({ verb }) => verb === "apply").length, 6);
  }
  await using world = await start();
  await world.settle();
  assert.deepEqual(
    world.writes.map(({ kind }) => kind.kind),
    [],
  );
  const protocol = async () => (await world.get(NetworkPolicy, "n"))?.spec?.ingress?.[0]?.ports?.[0]?.protocol;
  await world.apply(Box, "b", { spec: { protocol: "UDP" } });
  await world.settle();
  assert.equal(await protocol(), "UDP");
  await world.apply(Box, "b", { spec: {} });
  await world.settle();
  assert.equal(await protocol(), "TCP", "only what has its default counts as filled in");
});
