/** Tests of the objects of a bundle: modes, permissions, webhooks, configuration and its messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "../../csv/permissions.ts";
import { toRegistryBundle } from "./bundle.ts";
import { certManager } from "./certificate.ts";
import { renderBundle } from "./render.ts";

interface Facts {
  readonly modes?: readonly string[];
  readonly spec?: object;
  readonly others?: readonly Manifest[];
}

function bundleOf({ modes = ["AllNamespaces"], spec = {}, others = [] }: Facts = {}) {
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const labels = { app: "a" };
  const containers = [{ name: "a", image: "a:1", env: [{ name: "A", value: "old" }] }];
  const template = { metadata: { labels }, spec: { containers } };
  const csv: Manifest = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "a.v1.0.0", annotations: { note: "csv" } },
    spec: {
      version: "1.0.0",
      installModes: ["AllNamespaces", "OwnNamespace", "SingleNamespace", "MultiNamespace"].map((type) => ({
        type,
        supported: modes.includes(type),
      })),
      install: {
        strategy: "deployment",
        spec: {
          permissions: [{ serviceAccountName: "a", rules }],
          deployments: [{ name: "a", spec: { selector: { matchLabels: labels }, template } }],
        },
      },
      ...spec,
    },
  };
  return toRegistryBundle("a", [csv, ...others]);
}

const render = (facts: Facts, inline?: { readonly [field: string]: unknown }, certificates = certManager("ns")) =>
  renderBundle({ bundle: bundleOf(facts), namespace: "ns", inline, certificates });

const names = (objects: readonly Manifest[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}`);

test("the modes decide about permissions, and several namespaces need MultiNamespace", () => {
  assert.deepEqual(names(render({})), ["ServiceAccount ns", "ClusterRole ", "ClusterRoleBinding ", "Deployment ns"]);
  const own = render({ modes: ["OwnNamespace"] }, { watchNamespace: "ns" });
  assert.deepEqual(names(own), ["ServiceAccount ns", "Role ns", "RoleBinding ns", "Deployment ns"]);
  const several = render({ modes: ["MultiNamespace"] }, { watchNamespaces: ["x", "y"] });
  assert.deepEqual(names(several).slice(1, 5), ["Role x", "RoleBinding x", "Role y", "RoleBinding y"]);
  assert.throws(() => render({ modes: ["MultiNamespace"] }), /at least one target namespace must be specified/u);
});

test("names are those of operator-controller", () => {
  const [, role] = render({ modes: ["OwnNamespace"] }, { watchNamespace: "ns" });
  assert.match(role?.metadata.name ?? "", /^a\.v1\.0\.0-a-[0-9a-z]{40,44}$/u);
});

test("a configuration that the modes or the schema forbid is refused by its field", () => {
  const refuses = (modes: readonly string[], inline: { readonly [field: string]: unknown }, message: RegExp): void => {
    assert.throws(() => render({ modes }, inline), message);
  };
  refuses(["AllNamespaces"], { watchNamespace: "x" }, /unknown field "watchNamespace"/u);
  refuses(["SingleNamespace"], { watchNamespace: "ns" }, /must be different from "ns"/u);
  refuses(
    ["SingleNamespace"],
    { watchNamespace: 1 },
    /invalid type for field "watchNamespace": got number, want string/u,
  );
  refuses(
    ["AllNamespaces"],
    { a: 1, b: 2 },
    /multiple errors found:\n {2}- unknown field "a"\n {2}- unknown field "b"/u,
  );
  refuses(["AllNamespaces"], { deploymentConfig: { env: {} } }, /deploymentConfig\.env": got object, want array/u);
});

test("the configuration of a Deployment replaces variables and adds what is missing", () => {
  const deploymentConfig = { env: [{ name: "A", value: "new" }], nodeSelector: { disk: "fast" } };
  const deployment = render({}, { deploymentConfig }).find(({ kind }) => kind === "Deployment");
  const text = JSON.stringify(deployment);
  assert.match(text, /"env":\[\{"name":"A","value":"new"\}\]/u);
  assert.match(text, /"nodeSelector":\{"disk":"fast"\}/u);
  assert.match(text, /"note":"csv"/u);
});

const webhook = {
  type: "ValidatingAdmissionWebhook",
  generateName: "check.a.io",
  deploymentName: "a",
  containerPort: 9443,
  webhookPath: "/check",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ apiGroups: ["a.io"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["as"] }],
};

test("webhooks get a Service, a certificate from cert-manager, and its authority", () => {
  const objects = render({ spec: { webhookdefinitions: [webhook] } });
  assert.deepEqual(names(objects).slice(4), [
    "ValidatingWebhookConfiguration ",
    "Service ns",
    "Issuer ns",
    "Certificate ns",
  ]);
  const configuration = objects.find(({ kind }) => kind === "ValidatingWebhookConfiguration");
  assert.equal(configuration?.metadata.annotations?.["cert-manager.io/inject-ca-from"], "ns/a-service-cert");
  const deployment = JSON.stringify(objects.find(({ kind }) => kind === "Deployment"));
  assert.match(deployment, /\/tmp\/k8s-webhook-server\/serving-certs/u);
  const without = { bundle: bundleOf({ spec: { webhookdefinitions: [webhook] } }), namespace: "ns", inline: undefined };
  assert.throws(() => renderBundle({ ...without, certificates: undefined }), /install cert-manager/u);
});

test("what a bundle must not contain is refused with the message of the original", () => {
  const refuses = (facts: Facts, message: RegExp): void => {
    assert.throws(() => render(facts), message);
  };
  refuses({ spec: { webhookdefinitions: [{ ...webhook, deploymentName: "b" }] } }, /non-existent deployment 'b'/u);
  const all = { ...webhook, rules: [{ apiGroups: ["*"] }] };
  refuses({ spec: { webhookdefinitions: [all] } }, /admission webhook rules cannot reference API group "\*"/u);
  refuses({ spec: { webhookdefinitions: [webhook, webhook] } }, /duplicate webhook 'check\.a\.io'/u);
  const owned = [{ name: "as.a.io", version: "v1", kind: "A" }];
  refuses({ spec: { customresourcedefinitions: { owned } } }, /'as\.a\.io' not found in bundle/u);
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
  refuses({ others: [pod] }, /unsupported resource "p" with kind "Pod"/u);
  refuses({ spec: { apiservicedefinitions: { owned: [{}] } } }, /apiServiceDefintions are not supported/u);
});
