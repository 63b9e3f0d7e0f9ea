/** Bundles of programs with webhooks: what the bundle declares for OLM, and that the program leaves the registration to OLM. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { capstan } from "./terminal.ts";

/** An example by its name, or any file. */
function entryOf(program: string): string {
  return program.endsWith(".ts")
    ? program
    : fileURLToPath(new URL(`../../../examples/${program}/main.ts`, import.meta.url));
}

interface Definition {
  readonly generateName: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Csv {
  readonly spec: {
    readonly webhookdefinitions?: readonly Definition[];
    readonly installModes: readonly { readonly type: string; readonly supported: boolean }[];
    readonly install: {
      readonly spec: {
        readonly clusterPermissions: unknown;
        readonly permissions: unknown;
        readonly deployments: readonly {
          readonly name: string;
          readonly spec: {
            readonly template: { readonly spec: { readonly containers: readonly { args: string[] }[] } };
          };
        }[];
      };
    };
  };
}

let home = "";
before(async () => {
  home = await mkdtemp(join(tmpdir(), "capstan-bundle-webhooks-"));
});
after(() => rm(home, { recursive: true, force: true }));

async function bundleOf(program: string): Promise<{ readonly csv: Csv; readonly crds: readonly string[] }> {
  const cwd = await mkdtemp(join(home, "p-"));
  const words = ["bundle", "generate", "--entry", entryOf(program), "--package", "app", "--version", "0.1.0"];
  const made = await capstan(words, { cwd });
  assert.equal(made.code, 0, made.err);
  const checked = await capstan(["bundle", "validate", "bundle"], { cwd });
  assert.equal(checked.code, 0, checked.out);
  const folder = join(cwd, "bundle/manifests");
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  const csv = parse(await readFile(join(folder, "app.clusterserviceversion.yaml"), "utf8")) as Csv;
  return { csv, crds: texts.filter((text) => text.includes("kind: CustomResourceDefinition")) };
}

describe("the webhooks of a bundle", () => {
  test("equal those that the operator registers, in the format of operator-sdk", async () => {
    const { csv } = await bundleOf("07-validation");
    const { deployments } = csv.spec.install.spec;
    const hook = (type: string, generateName: string, operations: readonly string[]): object => ({
      admissionReviewVersions: ["v1"],
      containerPort: 443,
      deploymentName: deployments[0]?.name,
      failurePolicy: "Fail",
      generateName,
      matchPolicy: "Equivalent",
      rules: [
        { apiGroups: ["example.com"], apiVersions: ["v1"], operations, resources: ["volumes"], scope: "Namespaced" },
      ],
      sideEffects: "None",
      targetPort: "webhook",
      timeoutSeconds: 5,
      type,
      webhookPath: `/${type === "MutatingAdmissionWebhook" ? "mutate" : "validate"}-example-com-v1-volume`,
    });
    const validating = "ValidatingAdmissionWebhook";
    assert.deepEqual(csv.spec.webhookdefinitions, [
      {
        ...hook("MutatingAdmissionWebhook", "default.volumes.example.com", ["CREATE", "UPDATE"]),
        reinvocationPolicy: "IfNeeded",
      },
      { ...hook(validating, "validate-delete.volumes.example.com", ["DELETE"]), failurePolicy: "Ignore" },
      hook(validating, "validate.volumes.example.com", ["CREATE", "UPDATE"]),
    ]);
  });

  test("have the options of the operator", async () => {
    const { csv } = await bundleOf(fileURLToPath(new URL("programs/lenient.ts", import.meta.url)));
    const [only] = csv.spec.webhookdefinitions ?? [];
    assert.deepEqual([only?.["failurePolicy"], only?.["timeoutSeconds"]], ["Ignore", 2]);
  });

  test("convert versions for all namespaces, and the CRD leaves the conversion to OLM", async () => {
    const { csv, crds } = await bundleOf("06-versions-and-conversion");
    assert.deepEqual(csv.spec.webhookdefinitions, [
      {
        admissionReviewVersions: ["v1"],
        containerPort: 443,
        conversionCRDs: ["timers.example.com"],
        deploymentName: csv.spec.install.spec.deployments[0]?.name,
        generateName: "ctimers.example.com",
        sideEffects: "None",
        targetPort: "webhook",
        type: "ConversionWebhook",
        webhookPath: "/convert",
      },
    ]);
    assert.deepEqual(
      csv.spec.installModes.filter(({ supported }) => supported).map(({ type }) => type),
      ["AllNamespaces"],
    );
    assert.equal(crds.length, 1);
    assert.doesNotMatch(crds[0] ?? "", /strategy: Webhook/);
  });

  test("get their certificates from OLM, without a right of the program to write them", async () => {
    const { csv } = await bundleOf("07-validation");
    const { permissions, clusterPermissions, deployments } = csv.spec.install.spec;
    const [container] = deployments[0]?.spec.template.spec.containers ?? [];
    assert.ok(container?.args.includes("--webhook-cert-dir=/tmp/k8s-webhook-server/serving-certs"));
    assert.ok(container?.args.includes("--install-crds=false"));
    assert.doesNotMatch(
      JSON.stringify([permissions, clusterPermissions]),
      /secrets|webhookconfigurations|customresource/,
    );
  });

  test("do not exist where a program has none", async () => {
    const { csv } = await bundleOf("01-minimal");
    assert.equal(csv.spec.webhookdefinitions, undefined);
    assert.doesNotMatch(JSON.stringify(csv), /webhook-cert-dir/);
  });
});
