/** What the cluster demands of a bundle: its Kubernetes version, the namespaces to watch, the CRDs that it has. */
import { compareVersions, parseTolerant, type CatalogBundle } from "@capstan/bundle";
import { fieldsOf, textOf } from "./entry.ts";

/** What is known about a CRD of the cluster. */
export interface ExistingCrd {
  readonly name: string;
  /** The versions in which objects may be stored. */
  readonly storedVersions: readonly string[];
}

/** The cluster and the OperatorGroup, for a resolution that respects them. */
export interface ClusterFacts {
  readonly kubernetesVersion: string;
  /** The namespaces of the OperatorGroup; `[""]` for all. Without it, install modes do not count. */
  readonly targetNamespaces?: readonly string[];
  readonly crds?: readonly ExistingCrd[];
}

/** Why a bundle cannot run on the cluster. */
export interface Obstacle {
  readonly message: string;
  readonly explanation: string;
}

/** What a bundle says about the clusters that it can run on. */
interface Needs {
  readonly minKubeVersion: string;
  readonly installModes: ReadonlyMap<string, boolean>;
  /** The versions of the CRDs that are part of the bundle, by name; known if the catalog has the content of the bundle. */
  readonly crds: ReadonlyMap<string, readonly string[]>;
}

const known = new WeakMap<CatalogBundle, Needs>();

/** The obstacles to a bundle; none if nothing is known about it. */
export function obstaclesOf(bundle: CatalogBundle, namespace: string, facts: ClusterFacts): Obstacle[] {
  const needs = known.get(bundle) ?? needsOf(bundle);
  known.set(bundle, needs);
  return [
    ...versionObstacle(bundle, needs, facts),
    ...modeObstacle(bundle, { ...needs, namespace, targets: facts.targetNamespaces }),
    ...crdObstacles(bundle, needs, facts),
  ];
}

function versionObstacle({ name }: CatalogBundle, needs: Needs, { kubernetesVersion }: ClusterFacts): Obstacle[] {
  const [least, actual] = [parseTolerant(needs.minKubeVersion), parseTolerant(kubernetesVersion)];
  if (needs.minKubeVersion === "" || least === undefined || actual === undefined) return [];
  // A pre-release or a build of the cluster's version is that version, as in the original.
  if (compareVersions({ ...actual, pre: [], build: [] }, least) >= 0) return [];
  return [
    {
      message: `bundle ${name} requires Kubernetes ${needs.minKubeVersion} or newer`,
      explanation: `${name} needs Kubernetes ${needs.minKubeVersion} or newer, and the cluster has ${kubernetesVersion}`,
    },
  ];
}

interface ModeQuestion extends Needs {
  readonly namespace: string;
  readonly targets: readonly string[] | undefined;
}

function modeObstacle({ name }: CatalogBundle, { installModes, namespace, targets }: ModeQuestion): Obstacle[] {
  if (targets === undefined || targets.length === 0 || installModes.size === 0) return [];
  const missing = modesFor(targets, namespace).filter((mode) => installModes.get(mode) !== true);
  if (missing.length === 0) return [];
  const watched = targets.includes("") ? "all namespaces" : targets.join(", ");
  return [
    {
      message: `bundle ${name} does not support the install mode ${missing.join(" and ")}`,
      explanation: `the OperatorGroup wants ${watched} to be watched, and ${name} does not support the install mode ${missing.join(" and ")}`,
    },
  ];
}

/** The install modes that a bundle has to support to watch namespaces from one of them. */
export function modesFor(targets: readonly string[], namespace: string): string[] {
  if (targets.includes("")) return ["AllNamespaces"];
  const [first, ...others] = targets;
  if (others.length === 0) return [first === namespace ? "OwnNamespace" : "SingleNamespace"];
  return ["MultiNamespace", ...(targets.includes(namespace) ? ["OwnNamespace"] : [])];
}

function crdObstacles({ name }: CatalogBundle, { crds }: Needs, { crds: existing = [] }: ClusterFacts): Obstacle[] {
  return existing.flatMap((crd) => {
    const versions = crds.get(crd.name);
    const lost = crd.storedVersions.filter((version) => versions !== undefined && !versions.includes(version));
    if (lost.length === 0) return [];
    return [
      {
        message: `bundle ${name} removes the stored version ${lost.join(", ")} of CRD ${crd.name}`,
        explanation:
          `${name} has a CRD ${crd.name} without the version ${lost.join(", ")}, in which objects of the cluster may be stored; ` +
          "migrate them and remove the version from status.storedVersions first",
      },
    ];
  });
}

function needsOf({ properties: small, readLarge }: CatalogBundle): Needs {
  const properties = [...small, ...(readLarge?.() ?? [])];
  const objects = properties.filter(({ type }) => type === "olm.bundle.object").flatMap(({ value }) => objectOf(value));
  const csv = objects.find((one) => one["kind"] === "ClusterServiceVersion");
  const metadata = properties.find(({ type }) => type === "olm.csv.metadata")?.value;
  const spec = fieldsOf(metadata ?? csv?.["spec"]);
  const modes: readonly unknown[] = Array.isArray(spec["installModes"]) ? spec["installModes"] : [];
  return {
    minKubeVersion: textOf(spec, "minKubeVersion"),
    installModes: new Map(modes.map(fieldsOf).map((mode) => [textOf(mode, "type"), mode["supported"] === true])),
    crds: new Map(objects.filter((one) => one["kind"] === "CustomResourceDefinition").map(crdVersions)),
  };
}

function crdVersions(crd: Readonly<Record<string, unknown>>): [string, string[]] {
  const { versions } = fieldsOf(crd["spec"]);
  const names = (Array.isArray(versions) ? versions : []).map((one: unknown) => textOf(fieldsOf(one), "name"));
  return [textOf(fieldsOf(crd["metadata"]), "name"), names];
}

/** An object in base64; none if it cannot be read, which is for the unpacking of the bundle to report. */
function objectOf(value: unknown): Readonly<Record<string, unknown>>[] {
  const data = textOf(fieldsOf(value), "data");
  if (data === "") return [];
  try {
    const text = new TextDecoder().decode(Uint8Array.from(atob(data), (character) => character.charCodeAt(0)));
    return [fieldsOf(JSON.parse(text))];
  } catch {
    return [];
  }
}
