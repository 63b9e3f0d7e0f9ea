import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "@capstan/oci";
import { parse } from "yaml";
import {
  buildBundleImage,
  BundleError,
  type BundleSource,
  classicTests,
  generateBundle,
  type Manifest,
  readBundleImage,
  runClassicTest,
  validateBundle,
} from "../src/index.ts";

const labels = { app: "app" };
const objects: Manifest[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "system" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "app", namespace: "system" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "other", namespace: "system" } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "app", namespace: "system", labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "app",
          containers: [
            {
              name: "manager",
              image: "registry.example.com/app:v1",
              env: [{ name: "RELATED_IMAGE_BACK_UP", value: "registry.example.com/backup:v2" }],
              resources: { requests: { cpu: "10m", memory: "64Mi" } },
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "app" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "viewer" }, rules: [] },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "app" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "app" },
    subjects: [{ kind: "ServiceAccount", name: "app", namespace: "system" }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "app", namespace: "system" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "app" },
    subjects: [{ kind: "ServiceAccount", name: "app", namespace: "system" }],
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "hook-service", namespace: "system" },
    spec: { selector: labels, ports: [{ port: 443, targetPort: 9443 }] },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "v" },
    webhooks: [
      {
        name: "vthing.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { service: { name: "hook-service", namespace: "system", path: "/validate" } },
      },
    ],
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Thing", plural: "things", singular: "thing", listKind: "ThingList" },
      scope: "Namespaced",
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { service: { name: "hook-service", namespace: "system", path: "/convert" } },
        },
      },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "A thing",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    replicas: { type: "integer", description: "How many" },
                    mode: { type: "string", enum: ["a", "b"] },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
  { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "sample", namespace: "x" }, spec: { replicas: 3 } },
];

const source: BundleSource = {
  package: "app",
  version: "1.2.3",
  objects,
  channels: ["stable", "candidate"],
  defaultChannel: "stable",
  installModes: ["AllNamespaces"],
  replaces: "app.v1.2.2",
  skipRange: ">=1.0.0 <1.2.3",
  dependencies: [{ type: "olm.package", value: { packageName: "other", version: ">=1.0.0" } }],
  kinds: { "things.example.com": { resources: [{ kind: "Deployment", version: "v1" }] } },
  words: { provider: { name: "Example" }, minKubeVersion: "1.25.0" },
};

/** The value at a path of a document. */
function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((found, name) => (found as { [name: string]: unknown } | undefined)?.[name], value);
}

function bytesOf(files: ReadonlyMap<string, string>): Map<string, Uint8Array> {
  return new Map(
    [...files].filter(([path]) => path.startsWith("bundle/")).map(([path, text]) => [path.slice(7), Buffer.from(text)]),
  );
}

test("a bundle is generated from an operator's objects, passes, and has the best score", async () => {
  const files = await generateBundle(source);
  assert.deepEqual(
    [...files.keys()],
    [
      "bundle/manifests/app.clusterserviceversion.yaml",
      "bundle/manifests/example.com_things.yaml",
      "bundle/manifests/hook-service_v1_service.yaml",
      "bundle/manifests/other_v1_serviceaccount.yaml",
      "bundle/manifests/viewer_rbac.authorization.k8s.io_v1_clusterrole.yaml",
      "bundle/metadata/annotations.yaml",
      "bundle/metadata/dependencies.yaml",
      "bundle/tests/scorecard/config.yaml",
      "bundle.Dockerfile",
    ],
  );
  const { passed, findings } = validateBundle({ files: bytesOf(files) });
  assert.deepEqual(
    findings.map(({ text }) => text),
    [],
  );
  assert.equal(passed, true);
  for (const name of classicTests) assert.equal(runClassicTest(name, bytesOf(files)).results[0]?.state, "pass", name);
});

test("what OLM must know is in the ClusterServiceVersion", async () => {
  const csv: unknown = parse(
    (await generateBundle(source)).get("bundle/manifests/app.clusterserviceversion.yaml") ?? "",
  );
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  assert.deepEqual(at(csv, "spec.install.spec.clusterPermissions"), [{ rules, serviceAccountName: "app" }]);
  assert.deepEqual(at(csv, "spec.install.spec.permissions"), [{ rules, serviceAccountName: "app" }]);
  assert.deepEqual(at(csv, "spec.relatedImages"), [
    { image: "registry.example.com/backup:v2", name: "back-up" },
    { image: "registry.example.com/app:v1", name: "manager" },
  ]);
  assert.deepEqual(JSON.parse(String(at(csv, "metadata.annotations.alm-examples"))), [
    { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "sample" }, spec: { replicas: 3 } },
  ]);
  const owned = at(csv, "spec.customresourcedefinitions.owned.0");
  assert.equal(at(owned, "description"), "A thing");
  assert.deepEqual([at(owned, "specDescriptors.0.path"), at(owned, "specDescriptors.1.path")], ["mode", "replicas"]);
  assert.deepEqual(at(owned, "specDescriptors.0.x-descriptors"), [
    "urn:alm:descriptor:com.tectonic.ui:select:a",
    "urn:alm:descriptor:com.tectonic.ui:select:b",
  ]);
  const hooks = at(csv, "spec.webhookdefinitions") as readonly { readonly [key: string]: unknown }[];
  assert.deepEqual(
    hooks.map((one) => [one["type"], one["deploymentName"], one["containerPort"], one["targetPort"]]),
    [
      ["ConversionWebhook", "app", 443, 9443],
      ["ValidatingAdmissionWebhook", "app", 443, 9443],
    ],
  );
});

test("images are pinned wherever they are named", async () => {
  const files = await generateBundle({
    ...source,
    pin: async (image) => `${image.replace(/:[^:/]*$/, "")}@sha256:${"0".repeat(64)}`,
  });
  const text = files.get("bundle/manifests/app.clusterserviceversion.yaml") ?? "";
  assert.doesNotMatch(text, /registry\.example\.com\/[a-z]+:v/);
  const { spec } = parse(text) as { spec: { relatedImages: { name: string }[] } };
  assert.deepEqual(
    spec.relatedImages.map(({ name }) => name),
    ["back-up", "manager"],
  );
});

test("twice gives the same bytes, and what people wrote is kept", async () => {
  const first = await generateBundle(source);
  assert.deepEqual(await generateBundle(source), first);
  const base = parse(first.get("bundle/manifests/app.clusterserviceversion.yaml") ?? "") as Manifest;
  const spec = base["spec"] as { [key: string]: never };
  const owned = [
    { name: "things.example.com", version: "v1", kind: "Thing", displayName: "My Thing", specDescriptors: [] },
  ];
  const again = await generateBundle({
    ...source,
    version: "1.3.0",
    base: { ...base, spec: { ...spec, description: "Written by hand", customresourcedefinitions: { owned } } },
  });
  const next: unknown = parse(again.get("bundle/manifests/app.clusterserviceversion.yaml") ?? "");
  assert.equal(at(next, "metadata.name"), "app.v1.3.0");
  assert.equal(at(next, "spec.description"), "Written by hand");
  assert.equal(at(next, "spec.customresourcedefinitions.owned.0.displayName"), "My Thing");
});

test("a source that cannot be is refused in a sentence", async () => {
  for (const [wrong, why] of [
    [{ version: "1.2" }, /"1.2" is no version/],
    [{ package: "Not A Name" }, /cannot be the name of a package/],
    [{ objects: [] }, /no Deployment/],
    [{ installModes: ["Everywhere"] }, /no install mode "Everywhere"/],
  ] as const)
    await assert.rejects(
      generateBundle({ ...source, ...wrong }),
      (error) => error instanceof BundleError && why.test(error.message),
    );
});

test("a bundle becomes an image with annotation labels, and reads back unchanged", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-bundle-test-"));
  try {
    const files = bytesOf(await generateBundle(source));
    const store = await openStore(folder);
    const image = await buildBundleImage(files, store);
    assert.equal((await buildBundleImage(files, store)).digest, image.digest);
    const { config } = await store.image(image, { os: "linux", architecture: "amd64" });
    assert.equal(config.config?.Labels?.["operators.operatorframework.io.bundle.package.v1"], "app");
    const back = await readBundleImage(image, store);
    assert.deepEqual([...back.keys()].sort(), [...files.keys()].sort());
    for (const [path, bytes] of files) assert.deepEqual(Buffer.from(back.get(path) ?? []), Buffer.from(bytes));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
