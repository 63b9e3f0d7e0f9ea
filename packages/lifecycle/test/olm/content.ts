/** Objects for scenarios: operators with their CRDs, catalogs, groups and Subscriptions. */
import type { Json } from "@capstan/model";
import type { AnyObject, Names, Step, Target } from "./scenario.ts";

const OLM = "operators.coreos.com";

/** What differs between operators. */
export interface OperatorFacts {
  readonly name?: string;
  readonly version?: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
  readonly modes?: readonly string[];
  readonly annotations?: { readonly [key: string]: string };
  readonly labels?: { readonly [key: string]: string };
  readonly owned?: readonly Json[];
  readonly required?: readonly Json[];
  readonly permissions?: readonly Json[];
  readonly clusterPermissions?: readonly Json[];
  readonly deployments?: readonly Json[];
  readonly spec?: { readonly [field: string]: Json };
}

const MODES = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];

/** A rule. */
export function rule(resource: string, verbs: readonly string[] = ["get"], group = ""): Json {
  return { apiGroups: [group], resources: [resource], verbs: [...verbs] };
}

/** A Deployment as an operator describes it. */
export function deployment(name: string, spec: { readonly [field: string]: Json } = {}): Json {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { serviceAccountName: name, containers: [{ name: "main", image: `example.com/${name}:1`, ...spec }] },
  };
  return { name, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
}

/** The kind of an operator's CRD. */
export function kindOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The description of an operator's CRD. */
export function ownedCrd({ group }: Names, name: string, version = "v1"): Json {
  return { name: `${name}s.${group}`, version, kind: kindOf(name) };
}

/** A ClusterServiceVersion with a Deployment, a service account and a CRD, without a namespace. */
export function csv(names: Names, facts: OperatorFacts = {}): AnyObject {
  const { name = "foo", version = "1.0.0", modes = MODES, annotations, labels, skipRange } = facts;
  const allAnnotations = { ...annotations, ...(skipRange === undefined ? {} : { "olm.skipRange": skipRange }) };
  const permission = (rules: readonly Json[]): Json => ({ serviceAccountName: name, rules: [...rules] });
  return {
    apiVersion: `${OLM}/v1alpha1`,
    kind: "ClusterServiceVersion",
    metadata: {
      name: `${name}.v${version}`,
      ...(Object.keys(allAnnotations).length === 0 ? {} : { annotations: allAnnotations }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: {
      displayName: name,
      version,
      ...(facts.replaces === undefined ? {} : { replaces: facts.replaces }),
      ...(facts.skips === undefined ? {} : { skips: facts.skips }),
      installModes: MODES.map((type) => ({ type, supported: modes.includes(type) })),
      customresourcedefinitions: {
        owned: facts.owned ?? [ownedCrd(names, name)],
        ...(facts.required === undefined ? {} : { required: facts.required }),
      },
      install: {
        strategy: "deployment",
        spec: {
          permissions: facts.permissions ?? [permission([rule("pods")])],
          clusterPermissions: facts.clusterPermissions ?? [permission([rule("nodes")])],
          deployments: facts.deployments ?? [deployment(name)],
        },
      },
      ...facts.spec,
    },
  };
}

/** An object in a namespace. */
export function within(namespace: string, object: AnyObject): AnyObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** A CRD. */
export function crd(
  { group }: Names,
  name = "foo",
  {
    versions = ["v1"],
    schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    more = {},
  }: {
    readonly versions?: readonly string[];
    readonly schema?: Json;
    readonly more?: { readonly [field: string]: Json };
  } = {},
): AnyObject {
  const kind = kindOf(name);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: `${name}s`, singular: name, kind, listKind: `${kind}List` },
      versions: versions.map((version, at) => ({
        name: version,
        served: true,
        storage: at === 0,
        schema: { openAPIV3Schema: schema },
      })),
      ...more,
    },
  };
}

/** A namespace. */
export function namespace(name: string, labels?: { readonly [key: string]: string }): Step {
  const metadata = { name, ...(labels === undefined ? {} : { labels }) };
  return { do: "apply", object: { apiVersion: "v1", kind: "Namespace", metadata } };
}

/** An OperatorGroup; with no spec for all namespaces. */
export function group(
  place: string,
  spec: object = {},
  {
    name = "group",
    annotations,
  }: { readonly name?: string; readonly annotations?: { readonly [key: string]: string } } = {},
): Step {
  const metadata = { name, namespace: place, ...(annotations === undefined ? {} : { annotations }) };
  return { do: "apply", object: { apiVersion: `${OLM}/v1`, kind: "OperatorGroup", metadata, spec } };
}

/** A namespace with an OperatorGroup for itself. */
export function ownNamespace(name: string): readonly Step[] {
  return [namespace(name), group(name, { targetNamespaces: [name] })];
}

/** Applies an object. */
export function apply(object: AnyObject): Step {
  return { do: "apply", object };
}

/** A pause. */
export function settle(note?: string): Step {
  return note === undefined ? { do: "settle" } : { do: "settle", note };
}

/** Something of OLM's kinds. */
export function of(kind: string, place: string, name: string): Target {
  const version = kind === "OperatorGroup" ? "v1" : kind === "OperatorCondition" ? "v2" : "v1alpha1";
  return { apiVersion: `${OLM}/${version}`, kind, namespace: place, name };
}

/** Any other object. */
export function target(apiVersion: string, kind: string, name: string, place?: string): Target {
  return { apiVersion, kind, name, ...(place === undefined ? {} : { namespace: place }) };
}

/** A change. */
export function patch(what: Target, change: object, subresource?: "status"): Step {
  return { do: "patch", of: what, patch: change, ...(subresource === undefined ? {} : { subresource }) };
}

/** A deletion. */
export function remove(what: Target): Step {
  return { do: "delete", of: what };
}

/** A service account. */
export function account(place: string, name = "foo"): Step {
  return apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: place } });
}

/** What an entry of a channel consists of. */
export interface Entry {
  readonly csv: AnyObject;
  readonly objects?: readonly AnyObject[];
  readonly properties?: readonly Json[];
}

/** A package of a catalog: the entries of its channels; the first one is the default. */
export interface PackageFacts {
  readonly name?: string;
  readonly channels: { readonly [name: string]: readonly Entry[] };
  readonly defaultChannel?: string;
  readonly deprecations?: readonly Json[];
}

/** The blobs of a package. */
export function blobs({ name = "foo", channels, defaultChannel, deprecations }: PackageFacts): readonly Json[] {
  const bundles = new Map(
    Object.values(channels)
      .flat()
      .map((entry) => [entry.csv.metadata.name, toBundle(name, entry)]),
  );
  return [
    { schema: "olm.package", name, defaultChannel: defaultChannel ?? Object.keys(channels)[0] ?? "" },
    ...Object.entries(channels).map(([channel, entries]) => ({
      schema: "olm.channel",
      package: name,
      name: channel,
      entries: entries.map(toEntry),
    })),
    ...bundles.values(),
    ...(deprecations === undefined ? [] : [{ schema: "olm.deprecations", package: name, entries: [...deprecations] }]),
  ];
}

type CsvSpec = {
  readonly version: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly customresourcedefinitions?: { readonly owned?: readonly Crd[]; readonly required?: readonly Crd[] };
};
type Crd = { readonly name: string; readonly version: string; readonly kind: string };

function specOf({ csv: { spec } }: Entry): CsvSpec {
  // The ClusterServiceVersions of scenarios have this form.
  return spec as CsvSpec;
}

function toEntry(entry: Entry): Json {
  const { replaces, skips } = specOf(entry);
  const annotations = entry.csv.metadata["annotations"] as { readonly [key: string]: string } | undefined;
  const skipRange = annotations?.["olm.skipRange"];
  return {
    name: entry.csv.metadata.name,
    ...(replaces === undefined ? {} : { replaces }),
    ...(skips === undefined ? {} : { skips: [...skips] }),
    ...(skipRange === undefined ? {} : { skipRange }),
  };
}

function toBundle(name: string, entry: Entry): Json {
  const { version, customresourcedefinitions: crds = {} } = specOf(entry);
  const gvk =
    (type: string) =>
    (each: Crd): Json => ({
      type,
      value: { group: each.name.slice(each.name.indexOf(".") + 1), kind: each.kind, version: each.version },
    });
  return {
    schema: "olm.bundle",
    name: entry.csv.metadata.name,
    package: name,
    image: "",
    properties: [
      { type: "olm.package", value: { packageName: name, version } },
      ...(crds.owned ?? []).map(gvk("olm.gvk")),
      ...(crds.required ?? []).map(gvk("olm.gvk.required")),
      ...(entry.properties ?? []),
      ...[entry.csv, ...(entry.objects ?? [])].map((object) => ({
        type: "olm.bundle.object",
        value: { data: Buffer.from(JSON.stringify(object)).toString("base64") },
      })),
    ],
  };
}

/** Serves a catalog, and creates its CatalogSource. */
export function catalog(
  names: Names,
  content: readonly Json[],
  {
    name = "cat",
    place = names.ns,
    spec = {},
  }: { readonly name?: string; readonly place?: string; readonly spec?: object } = {},
): readonly Step[] {
  return [
    { do: "serve", catalog: `${names.id}-${name}`, blobs: content },
    apply({
      apiVersion: `${OLM}/v1alpha1`,
      kind: "CatalogSource",
      metadata: { name, namespace: place },
      spec: { sourceType: "grpc", address: `$ADDRESS(${names.id}-${name})`, ...spec },
    }),
  ];
}

/** A Subscription. */
export function subscribe(place: string, spec: { readonly [field: string]: unknown } = {}, name = "sub"): Step {
  const all = { name: "foo", channel: "stable", source: "cat", sourceNamespace: place, ...spec };
  return apply({
    apiVersion: `${OLM}/v1alpha1`,
    kind: "Subscription",
    metadata: { name, namespace: place },
    spec: all,
  });
}

/** The prerequisites of an operator that is created without a plan. */
export function ready(names: Names, name = "foo", place = names.ns): readonly Step[] {
  const permission = (kind: string, roleKind: string, binding: string, rules: object): readonly Step[] => [
    apply({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: roleKind,
      metadata: { name: `${names.id}-${name}`, ...(kind === "namespaced" ? { namespace: place } : {}) },
      rules: [rules],
    }),
    apply({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: binding,
      metadata: { name: `${names.id}-${name}`, ...(kind === "namespaced" ? { namespace: place } : {}) },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: roleKind, name: `${names.id}-${name}` },
      subjects: [{ kind: "ServiceAccount", name, namespace: place }],
    }),
  ];
  return [
    account(place, name),
    ...permission("namespaced", "Role", "RoleBinding", { apiGroups: [""], resources: ["pods"], verbs: ["get"] }),
    ...permission("cluster", "ClusterRole", "ClusterRoleBinding", {
      apiGroups: [""],
      resources: ["nodes"],
      verbs: ["get"],
    }),
    apply(crd(names, name)),
  ];
}
