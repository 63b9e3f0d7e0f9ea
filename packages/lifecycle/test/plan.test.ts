/** Plans that can be read before they run, compared with the embedded cluster. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { InstallPlan, planReport } from "@capstan/lifecycle";
import { oneChannel, operatorCrd, operatorCsv } from "./content.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world[Symbol.asyncDispose]());

const schema = (fields: readonly string[]) => {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return { type: "object", properties: { spec: { type: "object", properties } } };
};

test("a plan names fields, permissions, images, and stored objects that it would harm", async () => {
  await world.namespace("shop");
  const first = operatorCsv({ version: "1.0.0" });
  await world.catalog(oneChannel("foo.v1.0.0", [first], [operatorCrd("foo", schema(["a", "b"]))]));
  await world.subscribe("shop", { name: "foo", installPlanApproval: "Manual" });
  const waiting = (generation: number) =>
    world.until(
      "a plan waits",
      () => world.plans("shop"),
      (plans) =>
        plans.length === generation &&
        plans.some(({ spec, status }) => !spec.approved && status?.phase === "RequiresApproval"),
    );
  const [plan] = await waiting(1);
  assert.ok(plan);
  const means = {
    cluster: world.cluster,
    discovery: {
      kind: async (group: string, version: string, kind: string) =>
        world.client.resourceFor({ group, version, kind }).catch(() => undefined),
    },
  };
  const initial = await planReport(plan, means);
  assert.deepEqual(new Set(initial.objects.map(({ action }) => action)), new Set(["create"]));
  assert.deepEqual(initial.crds, [{ name: "foos.example.com", isNew: true, findings: [], objects: [], refusals: [] }]);
  assert.deepEqual(initial.images, { added: ["foo:1.0.0"], removed: [] });
  const { name, namespace = "" } = plan.metadata;
  // An applied field needs no second attempt when the manager writes the plan at the same time.
  const approval = { metadata: { name, namespace }, spec: { approved: true } };
  await world.cluster.apply(InstallPlan, approval as never, "test");
  await world.succeeded("shop", "foo.v1.0.0");
  const kind = { group: "example.com", version: "v1", kind: "Foo", plural: "foos", scope: "Namespaced" } as const;
  // The kind of a CRD that the test has installed.
  await world.cluster.create(
    kind as never,
    { metadata: { name: "one", namespace: "shop" }, spec: { b: "x" } } as never,
  );

  const next = operatorCsv({ version: "2.0.0", replaces: "foo.v1.0.0" });
  await world.catalog(oneChannel("foo.v2.0.0", [first, next], [operatorCrd("foo", schema(["a"]))]));
  const plans = await waiting(2);
  const upgrade = plans.find(({ spec }) => !spec.approved);
  assert.ok(upgrade);
  const report = await planReport(upgrade, means);
  const deployment = report.objects.find((each) => each.kind === "Deployment");
  assert.deepEqual(deployment?.changes, [
    { path: "spec.template.spec.containers[0].image", from: "foo:1.0.0", to: "foo:2.0.0" },
  ]);
  assert.ok(report.objects.some((each) => each.name === "foo.v1.0.0" && each.action === "remove"));
  assert.deepEqual(report.permissions, { gained: [], lost: [] });
  assert.deepEqual(report.images, { added: ["foo:2.0.0"], removed: ["foo:1.0.0"] });
  const [crd] = report.crds;
  assert.deepEqual(crd?.objects, [{ object: "Foo shop/one", verdict: "loses", detail: "spec.b" }]);
  assert.match(crd.findings.join(), /existingFieldRemoval/u);
});
