import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { editorSchemas } from "./editor-schema.ts";
import { helmChart } from "./helm.ts";
import { kustomizeTree } from "./kustomize.ts";
import { metersOf } from "./meters.ts";
import { installationOf } from "./objects.ts";
import { readProgram } from "./program.ts";
import { apiReference } from "./reference.ts";
import { registrationRules, rulesOf } from "./rules.ts";
import { sampleOf } from "./samples.ts";

const Pod = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" } as const;
const Node = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" } as const;
const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  describe: "A widget {{ with braces }}",
  spec: s.object({
    size: s.int32().min(1).describe("How | big"),
    colour: s.enum("red", "blue").default("red"),
    note: s.string().nullable().optional(),
  }),
});
const widget = {
  name: "widget",
  kind: Widget,
  owns: [Pod],
  reads: [Node],
  handlers: {},
  options: { watches: [{ kind: Pod }] },
};
const app = { definition: { name: "widgets", controllers: [widget] } };
const program = readProgram([app, Widget, "noise", undefined, 3, () => 1], { name: "folder" });
const placement = { namespace: "ops", image: "x:1", replicas: 1, namespaced: false };

test("a program is found among its exports, whatever else it exports", () => {
  assert.equal(program.name, "widgets");
  assert.deepEqual(program.resources, [Widget]);
  assert.deepEqual(
    program.controllers.map(({ name }) => name),
    ["widget"],
  );
});

test("exports without a program are refused", () => {
  assert.throws(() => readProgram([1, null, {}], { name: "x" }), { code: "BadProgram" });
});

test("a resource that others define is used but not shipped", () => {
  const { resources, controllers } = readProgram([app], { name: "x", foreign: new Set(["widgets.example.com"]) });
  assert.deepEqual(resources, []);
  assert.equal(controllers.length, 1);
});

test("permissions are those of the declared kinds, and no others", () => {
  assert.deepEqual(rulesOf(program), {
    namespaced: [
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch", "create", "patch", "delete"] },
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
      { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: ["example.com"], resources: ["widgets/finalizers"], verbs: ["update"] },
      { apiGroups: ["example.com"], resources: ["widgets/status"], verbs: ["patch"] },
    ],
    cluster: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] }],
  });
  assert.deepEqual(registrationRules(program), []);
});

test("an operator that namespaces can pause may watch namespaces, and nothing more", () => {
  const paused = { definition: { ...app.definition, pauseByNamespace: true } };
  const { namespaced, cluster } = rulesOf(readProgram([paused], { name: "folder" }));
  assert.deepEqual(namespaced, rulesOf(program).namespaced);
  assert.deepEqual(cluster, [{ apiGroups: [""], resources: ["namespaces", "nodes"], verbs: ["get", "list", "watch"] }]);
});

test("an operator for one namespace gets cluster rules only for kinds of the cluster", () => {
  const { rbac } = installationOf(program, { ...placement, namespaced: true });
  const own = rbac.filter(({ metadata, kind }) => metadata.name === "widgets" && kind.endsWith("Role"));
  assert.deepEqual(
    own.map(({ kind, rules }) => [kind, (rules as unknown[]).length]),
    [
      ["Role", 5],
      ["ClusterRole", 1],
    ],
  );
});

test("a sample has the required fields and shows the defaults", () => {
  const [resource] = program.resources;
  assert.ok(resource !== undefined);
  assert.deepEqual(sampleOf(resource)["spec"], { size: 1, colour: "red" });
});

test("braces in descriptions are escaped in a chart", () => {
  const crd = helmChart(program, { image: "x:1", version: "1.0.0", namespaced: false }).get(
    "templates/crds/widgets.example.com.yaml",
  );
  assert.match(crd ?? "", /A widget \{\{ "\{\{" \}\} with braces \{\{ "\}\}" \}\}/);
});

test("the reference keeps its tables whole", () => {
  assert.match(apiReference(program), /\| `size` +\| integer \(int32\) +\| yes +\| +\| How \\\| big; at least `1` +\|/);
});

test("editor schemas have nullable fields, enums and no unknown fields", () => {
  const schema = JSON.parse(editorSchemas(program).get("example.com/widget_v1.json") ?? "{}") as {
    properties: {
      spec: { additionalProperties: boolean; properties: { note: { type: unknown }; colour: { enum: unknown } } };
    };
  };
  const { spec } = schema.properties;
  assert.equal(spec.additionalProperties, false);
  assert.deepEqual(spec.properties.note.type, ["string", "null"]);
  assert.deepEqual(spec.properties.colour.enum, ["red", "blue"]);
});

test("the tree has a folder for webhooks when the program serves some, and only then", () => {
  const Checked = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Checked",
    spec: s.object({ size: s.int32() }),
    validate: () => {},
  });
  const hooked = readProgram([{ definition: { name: "widgets", controllers: [{ ...widget, kind: Checked }] } }], {
    name: "folder",
  });
  const tree = kustomizeTree(hooked, placement);
  assert.match(tree.get("webhook/service.yaml") ?? "", /^# The operator registers.*\napiVersion: v1\nkind: Service\n/);
  assert.doesNotMatch(tree.get("manager/manager.yaml") ?? "", /name: widgets-webhook$/m);
  assert.match(tree.get("default/kustomization.yaml") ?? "", /- \.\.\/webhook\n/);
  const plain = kustomizeTree(program, placement);
  assert.ok(!plain.has("webhook/service.yaml"));
  assert.doesNotMatch(plain.get("default/kustomization.yaml") ?? "", /webhook/);
});

test("meters become Meter objects, a role that may read their kinds, and a chapter", () => {
  const spec = {
    type: "level",
    unit: "widget",
    objects: { value: "object.spec.size", dimensions: { colour: "object.spec.colour" } },
  };
  const meters = [
    { name: "widgets", spec, kind: Widget },
    { name: "widgets.made", spec: { type: "event", unit: "widget" } },
  ];
  const metered = readProgram([{ definition: { ...app.definition, meters } }], { name: "x" });
  assert.deepEqual(
    metersOf(metered).map(({ apiVersion, kind, metadata, spec: written }) => [
      apiVersion,
      kind,
      metadata.name,
      written,
    ]),
    meters.map(({ name, spec: declared }) => ["metering.capstan.dev/v1alpha1", "Meter", name, declared]),
  );
  const role = (from: typeof program) =>
    installationOf(from, placement).rbac.find(({ metadata }) => metadata.name === "widgets-metering");
  assert.deepEqual(role(metered)?.["rules"], [
    { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get", "list", "watch"] },
  ]);
  assert.equal(role(program), undefined);
  assert.match(apiReference(metered), /\| `widgets` \| level \| widget \| `object.spec.size` of Widget \| colour \|/);
  assert.doesNotMatch(apiReference(program), /Meters/);
});
