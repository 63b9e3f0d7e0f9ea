/** How Go declares a ClusterServiceVersion. */
import type { Json } from "@capstan/model";
import { preProblem, readTolerant } from "../semver.ts";
import { builtIn } from "./built-in.ts";
import type { Field, GoType, Struct } from "./go-type.ts";

const text: GoType = { kind: "string", name: "string" };
const flag: GoType = { kind: "bool" };
const int32: GoType = { kind: "int", name: "int32" };
const raw: GoType = { kind: "raw" };
const texts: GoType = { kind: "list", of: () => text };
const textMap: GoType = { kind: "map", of: () => text };

type Fields = { readonly [json: string]: GoType | Struct };

/** A struct of the package `v1alpha1`; a name with `!` must be there. */
function struct(name: string, fields: Fields, goNames: { readonly [json: string]: string } = {}): Struct {
  return {
    kind: "struct",
    name: `v1alpha1.${name}`,
    fields: Object.entries(fields).map(([key, type]): Field => {
      const json = key.replace(/[!*]$/, "");
      const go = goNames[json] ?? json.charAt(0).toUpperCase() + json.slice(1);
      const field = { json, go, type: () => type, optional: !key.endsWith("!"), pointer: key.endsWith("*") };
      return json === "apiVersion" || (json === "kind" && "apiVersion" in fields)
        ? { ...field, embedded: "TypeMeta" }
        : field;
    }),
  };
}

function list(type: GoType): GoType {
  return { kind: "list", of: () => type };
}

function named(name: string): GoType {
  return { kind: "string", name };
}

/** A list of built-in values; their definitions are large and looked up when they are met. */
function deferred(name: string): GoType {
  return { kind: "list", of: () => builtIn(name) };
}

const permissions = struct("StrategyDeploymentPermissions", {
  "serviceAccountName!": text,
  "rules!": deferred("io.k8s.api.rbac.v1.PolicyRule"),
});

const deployment: Struct = {
  kind: "struct",
  name: "v1alpha1.StrategyDeploymentSpec",
  fields: [
    { json: "name", go: "Name", type: () => text, optional: false, pointer: false },
    {
      json: "spec",
      go: "Spec",
      type: () => builtIn("io.k8s.api.apps.v1.DeploymentSpec"),
      optional: false,
      pointer: false,
    },
    { json: "label", go: "Label", type: () => ({ ...textMap, name: "labels.Set" }), optional: true, pointer: false },
  ],
};

const strategy = struct(
  "StrategyDetailsDeployment",
  { "deployments!": list(deployment), permissions: list(permissions), clusterPermissions: list(permissions) },
  { deployments: "DeploymentSpecs" },
);

const install = struct(
  "NamedInstallStrategy",
  { "strategy!": text, spec: strategy },
  { strategy: "StrategyName", spec: "StrategySpec" },
);

function descriptor(name: string): Struct {
  return struct(name, {
    "path!": text,
    displayName: text,
    description: text,
    "x-descriptors": texts,
    value: raw,
  });
}

const reference = struct("APIResourceReference", { "name!": text, "kind!": text, "version!": text });

const described = {
  displayName: text,
  description: text,
  resources: list(reference),
  statusDescriptors: list(descriptor("StatusDescriptor")),
  specDescriptors: list(descriptor("SpecDescriptor")),
  actionDescriptors: list(descriptor("ActionDescriptor")),
};

const crdDescription = struct("CRDDescription", { "name!": text, "version!": text, "kind!": text, ...described });

const apiDescription = struct("APIServiceDescription", {
  "name!": text,
  "group!": text,
  "version!": text,
  "kind!": text,
  deploymentName: text,
  containerPort: int32,
  ...described,
});

const webhook = struct("WebhookDescription", {
  "generateName!": text,
  "type!": named("v1alpha1.WebhookAdmissionType"),
  deploymentName: text,
  containerPort: int32,
  "targetPort*": builtIn("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
  rules: deferred("io.k8s.api.admissionregistration.v1.RuleWithOperations"),
  "failurePolicy*": named("v1.FailurePolicyType"),
  "matchPolicy*": named("v1.MatchPolicyType"),
  "objectSelector*": raw,
  "sideEffects!": named("v1.SideEffectClass"),
  "timeoutSeconds*": int32,
  "admissionReviewVersions!": texts,
  "reinvocationPolicy*": named("v1.ReinvocationPolicyType"),
  "webhookPath*": text,
  conversionCRDs: texts,
});

const link = struct("AppLink", { name: text, url: text }, { url: "URL" });

const versionType: GoType = { kind: "read", problem: versionProblem };
const releaseType: GoType = { kind: "read", problem: releaseProblem };

function versionProblem(value: Json): string | undefined {
  if (value !== null && typeof value !== "string") return refusal(value);
  const reading = readTolerant(value ?? "");
  return "problem" in reading ? reading.problem : undefined;
}

function releaseProblem(value: Json): string | undefined {
  if (value !== null && typeof value !== "string") return refusal(value);
  return (value ?? "")
    .split(".")
    .map(preProblem)
    .find((one) => one !== undefined);
}

function refusal(value: Json): string {
  const names = { number: "number", boolean: "bool", object: Array.isArray(value) ? "array" : "object" };
  return `json: cannot unmarshal ${names[typeof value as keyof typeof names]} into Go value of type string`;
}

const spec = struct(
  "ClusterServiceVersionSpec",
  {
    "install!": install,
    version: versionType,
    release: releaseType,
    maturity: text,
    customresourcedefinitions: struct("CustomResourceDefinitions", {
      owned: list(crdDescription),
      required: list(crdDescription),
    }),
    apiservicedefinitions: struct("APIServiceDefinitions", {
      owned: list(apiDescription),
      required: list(apiDescription),
    }),
    webhookdefinitions: list(webhook),
    nativeAPIs: list({
      ...struct("", { "group!": text, "version!": text, "kind!": text }),
      name: "v1.GroupVersionKind",
    }),
    minKubeVersion: text,
    "displayName!": text,
    description: text,
    keywords: texts,
    maintainers: list(struct("Maintainer", { name: text, email: text })),
    provider: link,
    links: list(link),
    icon: list(
      struct("Icon", { "base64data!": text, "mediatype!": text }, { base64data: "Data", mediatype: "MediaType" }),
    ),
    installModes: list(struct("InstallMode", { "type!": named("v1alpha1.InstallModeType"), "supported!": flag })),
    replaces: text,
    labels: textMap,
    annotations: textMap,
    "selector*": raw,
    cleanup: struct("CleanupSpec", { "enabled!": flag }),
    skips: texts,
    relatedImages: list(struct("RelatedImage", { "name!": text, "image!": text })),
  },
  { install: "InstallStrategy" },
);

/** The whole type. The status has no meaning before installation. */
export const csvType: Struct = struct(
  "ClusterServiceVersion",
  {
    apiVersion: text,
    kind: text,
    "metadata!": builtIn("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
    "spec!": spec,
    "status*": raw,
  },
  { metadata: "ObjectMeta" },
);
