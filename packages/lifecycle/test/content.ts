/** Operators and CRDs for tests. */
import type { Manifest } from "@capstan/lifecycle";

/** What differs between the operators of tests. */
export interface OperatorFacts {
  readonly version: string;
  readonly name?: string;
  readonly replaces?: string;
  readonly modes?: readonly string[];
  readonly spec?: object;
  readonly deployment?: string;
}

const MODES = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];

/** A ClusterServiceVersion with one Deployment, one service account and the CRD `NAMEs.example.com`. */
export function operatorCsv({
  version,
  name = "foo",
  replaces,
  modes = MODES,
  spec = {},
  deployment = name,
}: OperatorFacts): Manifest {
  const labels = { app: name };
  const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
  const containers = [{ name, image: `${name}:${version}` }];
  const template = { metadata: { labels }, spec: { serviceAccountName: name, containers } };
  const strategy = {
    permissions: [{ serviceAccountName: name, rules: [rule("pods")] }],
    clusterPermissions: [{ serviceAccountName: name, rules: [rule("nodes")] }],
    deployments: [{ name: deployment, spec: { replicas: 1, selector: { matchLabels: labels }, template } }],
  };
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: `${name}.v${version}`, namespace: "placeholder" },
    spec: {
      displayName: name,
      version,
      ...(replaces === undefined ? {} : { replaces }),
      installModes: MODES.map((type) => ({ type, supported: modes.includes(type) })),
      customresourcedefinitions: { owned: [{ name: `${name}s.example.com`, version: "v1", kind: kindOf(name) }] },
      install: { strategy: "deployment", spec: strategy },
      ...spec,
    },
  };
}

function kindOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The CRD of such an operator. */
export function operatorCrd(
  name = "foo",
  schema: object = { type: "object", "x-kubernetes-preserve-unknown-fields": true },
): Manifest {
  const kind = kindOf(name);
  const names = { plural: `${name}s`, singular: name, kind, listKind: `${kind}List` };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.example.com` },
    spec: { group: "example.com", scope: "Namespaced", names, versions },
  };
}

/** A catalog with one package of one channel. */
export function oneChannel(head: string, csvs: readonly Manifest[], crds: readonly Manifest[] = [operatorCrd()]) {
  const packageName = head.split(".")[0] ?? "";
  return { csvs, crds, packages: [{ packageName, channels: [{ name: "stable", currentCSV: head }] }] };
}
