import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { defineResource, s } from "@capstan/schema";
import { bundleSourceOf } from "./bundle.ts";
import { helmChart } from "./helm.ts";
import { kustomizeTree } from "./kustomize.ts";
import { installationOf } from "./objects.ts";
import { readProgram } from "./program.ts";

const Site = defineResource({ group: "example.com", version: "v1", kind: "Site", spec: s.object({}) });
const settings = s.object({
  registryUrl: s.string().default("https://registry.example.com").describe("where sites are registered"),
  zone: s.string(),
  token: s.string().format("password"),
});
const site = { name: "site", kind: Site, owns: [], reads: [], handlers: {} };
const program = readProgram([{ definition: { name: "sites", controllers: [site], settings } }], { name: "x" });

test("the Deployment reads settings from a ConfigMap, and secret ones from a Secret", () => {
  const placement = { namespace: "sites", image: "sites:1", replicas: 1, namespaced: false };
  const deployment = installationOf(program, placement).manager.find(({ kind }) => kind === "Deployment");
  const text = JSON.stringify(deployment);
  for (const [env, from, key] of [
    ["CAPSTAN_REGISTRY_URL", "configMapKeyRef", "registry-url"],
    ["CAPSTAN_ZONE", "configMapKeyRef", "zone"],
    ["CAPSTAN_TOKEN", "secretKeyRef", "token"],
  ]) {
    const entry = `{"name":"${env}","valueFrom":{"${from}":{"name":"sites-settings","key":"${key}","optional":true}}}`;
    assert.ok(text.includes(entry), `${entry} is in ${text}`);
  }
});

test("the chart has the settings as values and the ConfigMap that they make", () => {
  const chart = helmChart(program, { image: "sites:1", version: "1.0.0", namespaced: false });
  const values = chart.get("values.yaml") ?? "";
  assert.ok(
    values.includes(
      [
        "settings:",
        "  # where sites are registered",
        '  registry-url: "https://registry.example.com"',
        "  # Required.",
        "  zone: null",
        "# Secret settings are read from the Secret sites-settings: token.",
      ].join("\n"),
    ),
    values,
  );
  assert.match(
    chart.get("templates/settings.yaml") ?? "",
    /name: sites-settings[^]*range \$name, \$value := \.Values\.settings/u,
  );
  const deployment = chart.get("templates/deployment.yaml") ?? "";
  for (const value of ["env", "volumes", "volumeMounts", "podAnnotations", "priorityClassName"])
    assert.ok(deployment.includes(`.Values.${value} `), `${value} is used in ${deployment}`);
  assert.match(deployment, /checksum\/settings: /u);
  assert.ok(chart.get("templates/rbac.yaml")?.includes(".Values.serviceAccountAnnotations"));
});

const pod = {
  replicas: 2,
  annotations: { team: "web" },
  serviceAccountAnnotations: { role: "sites" },
  priorityClassName: "high",
  resources: { requests: { memory: "128Mi" } },
  env: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "dns", key: "token" } } }],
  volumes: [{ name: "ca", configMap: { name: "company-ca" } }],
  volumeMounts: [{ name: "ca", mountPath: "/etc/company" }],
};
const withPod = readProgram([{ definition: { name: "sites", controllers: [site], pod } }], { name: "x" });
const placement = { namespace: "sites", image: "sites:1", replicas: 2, namespaced: false };

test("manifests, the kustomize tree and the bundle have the declared pod options", () => {
  const { manager, rbac } = installationOf(withPod, placement);
  const deployment = manager.find(({ kind }) => kind === "Deployment") as unknown as Deployed;
  const account = rbac.find(({ kind }) => kind === "ServiceAccount") ?? assert.fail();
  const { metadata, spec } = deployment.spec.template;
  assert.deepEqual(metadata["annotations"], pod.annotations);
  assert.equal(spec["priorityClassName"], "high");
  assert.deepEqual(spec["volumes"], pod.volumes);
  assert.deepEqual(spec.containers[0]?.resources, pod.resources);
  assert.deepEqual(spec.containers[0]?.volumeMounts, pod.volumeMounts);
  assert.deepEqual(spec.containers[0]?.env.at(-1), pod.env[0]);
  assert.deepEqual(account.metadata.annotations, pod.serviceAccountAnnotations);
  const tree = kustomizeTree(withPod, placement).get("manager/manager.yaml") ?? "";
  const registered = { configurations: [], conversion: undefined };
  const bundle = JSON.stringify(bundleSourceOf(withPod, placement, () => registered).objects);
  for (const text of ["company-ca", "/etc/company", "128Mi", "TOKEN"]) {
    assert.ok(tree.includes(text), `${text} is in the tree`);
    assert.ok(bundle.includes(text), `${text} is in the bundle`);
  }
});

interface Deployed {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly [field: string]: unknown };
      readonly spec: {
        readonly [field: string]: unknown;
        readonly containers: readonly { resources: object; volumeMounts: object; env: readonly object[] }[];
      };
    };
  };
}

test("the chart has the declared pod options as values, and not in its templates", () => {
  const chart = helmChart(withPod, { image: "sites:1", version: "1.0.0", namespaced: false });
  const values = parse(chart.get("values.yaml") ?? "") as { readonly [name: string]: unknown };
  const { annotations, ...rest } = pod;
  for (const [name, value] of Object.entries({ ...rest, podAnnotations: annotations }))
    assert.deepEqual(values[name], value, name);
  const deployment = chart.get("templates/deployment.yaml") ?? "";
  for (const text of ["company-ca", "128Mi", "TOKEN"]) assert.ok(!deployment.includes(text), deployment);
});
