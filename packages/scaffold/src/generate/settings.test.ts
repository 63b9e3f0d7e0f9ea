import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { helmChart } from "./helm.ts";
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
