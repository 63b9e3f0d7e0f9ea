/** The requirements of a ClusterServiceVersion, and whether the cluster meets them. */
import type { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { parseVersion, compareVersions } from "@capstan/bundle";
import type { ClusterServiceVersion, CsvCrd, CsvSpec, RequirementStatus } from "../kinds/csv.ts";
import { isCopied } from "./replacement.ts";

/** What the cluster offers. */
export interface Offer {
  /** The version of the server, such as `v1.36.0`. */
  readonly serverVersion: string;
  readonly crds: (name: string) => CustomResourceDefinition | undefined;
  readonly apiServices: (name: string) => APIService | undefined;
  /** Whether the server serves a kind. */
  readonly serves: (group: string, version: string, kind: string) => boolean;
  /** The other ClusterServiceVersions of the namespace. */
  readonly siblings: readonly ClusterServiceVersion[];
}

/** Requirements with the statement whether all of them are met. */
export interface Requirements {
  readonly areMet: boolean;
  readonly statuses: readonly RequirementStatus[];
}

const MET: ReadonlySet<string> = new Set(["Present", "DeploymentFound"]);

/** Everything but the permissions, in OLM's order. */
export function requirementsOf(csv: ClusterServiceVersion, offer: Offer): Requirements {
  const { customresourcedefinitions: crds, apiservicedefinitions: services } = csv.spec;
  const owned = new Set(crds?.owned?.map(({ name }) => name));
  const statuses = [
    ...kubeVersionStatus(csv, offer.serverVersion),
    ...uniqueCrds([...(crds?.required ?? []), ...(crds?.owned ?? [])]).map((crd) =>
      crdStatus({ crd, csv, isOwned: owned.has(crd.name) }, offer),
    ),
    ...(services?.required ?? []).map(({ group, version, kind }) => apiServiceStatus({ group, version, kind }, offer)),
    ...ownedApiServices(csv.spec),
    ...nativeApis(csv.spec, offer),
  ];
  return { areMet: statuses.every(({ status }) => MET.has(status)), statuses };
}

/** Each CRD once, owned descriptions over required ones, by name. */
function uniqueCrds(crds: readonly CsvCrd[]): readonly CsvCrd[] {
  const byName = new Map(crds.map((crd) => [crd.name, crd]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kubeVersionStatus({ metadata, spec }: ClusterServiceVersion, serverVersion: string): RequirementStatus[] {
  const { minKubeVersion = "" } = spec;
  if (minKubeVersion === "") return [];
  const facts = {
    group: "operators.coreos.com",
    version: "v1alpha1",
    kind: "ClusterServiceVersion",
    name: metadata.name,
  };
  const plain = serverVersion.replace(/^v/u, "").split("-")[0]?.split("+")[0] ?? "";
  const wanted = parseVersion(minKubeVersion.replace(/^v/u, ""));
  const running = parseVersion(plain);
  const unmet = (message: string): RequirementStatus[] => [{ ...facts, status: "PresentNotSatisfied", message }];
  if (running === undefined) return unmet("Server version parsing error");
  if (wanted === undefined) return unmet("CSV version parsing error");
  if (compareVersions(wanted, running) > 0) {
    return unmet(`CSV version requirement not met: minKubeVersion (${minKubeVersion}) > server version (${plain})`);
  }
  const message = `CSV minKubeVersion (${minKubeVersion}) less than server version (${serverVersion})`;
  return [{ ...facts, status: "Present", message }];
}

interface WantedCrd {
  readonly crd: CsvCrd;
  readonly csv: ClusterServiceVersion;
  readonly isOwned: boolean;
}

function crdStatus({ crd, csv, isOwned }: WantedCrd, offer: Offer): RequirementStatus {
  const facts = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition", name: crd.name };
  const found = offer.crds(crd.name);
  if (found === undefined) return { ...facts, status: "NotPresent", message: "CRD is not present" };
  const others = isOwned ? otherInstallers(found, csv, offer.siblings) : [];
  if (others.length > 0) {
    const message = `CRD installed alongside other CSV(s): ${others.join(", ")}`;
    return { ...facts, status: "PresentNotSatisfied", message };
  }
  if (!found.spec.versions.some(({ name, served }) => name === crd.version && served)) {
    return { ...facts, status: "NotPresent", message: "CRD version not served" };
  }
  const holds = (type: string): boolean =>
    found.status?.conditions?.some((each) => each.type === type && each.status === "True") === true;
  if (holds("Established") && holds("NamesAccepted")) {
    const message = "CRD is present and Established condition is true";
    return { ...facts, status: "Present", message, uuid: found.metadata.uid };
  }
  const message = "CRD is present but the Established condition is False (not available)";
  return { ...facts, status: "PresentNotAvailable", message };
}

/** The annotation that says with which ClusterServiceVersion a CRD was installed. */
export const alongsidePrefix = "operatorframework.io/installed-alongside-";

/** The ClusterServiceVersions with which a CRD was installed, as `namespace/name`. */
export function installedAlongside({ metadata }: Pick<CustomResourceDefinition, "metadata">): readonly string[] {
  return Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(alongsidePrefix) && value.split("/").length === 2)
    .map(([, value]) => value);
}

/** The ancestors with which an owned CRD was installed, unless it was installed with this one too. */
function otherInstallers(
  crd: CustomResourceDefinition,
  { metadata, spec }: ClusterServiceVersion,
  siblings: readonly ClusterServiceVersion[],
): readonly string[] {
  const places = new Set(installedAlongside(crd).filter((place) => place.startsWith(`${metadata.namespace}/`)));
  if (places.has(`${metadata.namespace}/${metadata.name}`)) return [];
  const named = siblings.filter((each) => places.has(`${metadata.namespace}/${each.metadata.name}`) && !isCopied(each));
  const ancestors = new Set<string>();
  let next = spec.replaces;
  while (next !== undefined && next !== "" && !ancestors.has(next)) {
    ancestors.add(next);
    const name: string = next;
    const replaces: string | undefined = named.find((each) => each.metadata.name === name)?.spec.replaces;
    next = named.some((each) => each.metadata.name === replaces) ? replaces : undefined;
  }
  return named.map((each) => each.metadata.name).filter((name) => ancestors.has(name) && name !== metadata.name);
}

interface Api {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function apiServiceStatus({ group, version, kind }: Api, offer: Offer): RequirementStatus {
  const name = `${version}.${group}`;
  const facts = { group: "apiregistration.k8s.io", version: "v1", kind: "APIService", name, message: "" };
  const found = offer.apiServices(name);
  if (found === undefined || !offer.serves(group, version, kind) || !isAvailable(found)) {
    return { ...facts, status: "NotPresent" };
  }
  return { ...facts, status: "Present", uuid: found.metadata.uid };
}

/** Whether an APIService is available. */
export function isAvailable({ status }: APIService): boolean {
  return status?.conditions?.some((each) => each.type === "Available" && each.status === "True") === true;
}

function ownedApiServices({ apiservicedefinitions, install }: CsvSpec): RequirementStatus[] {
  const deployments = new Set(install.spec?.deployments?.map(({ name }) => name));
  return (apiservicedefinitions?.owned ?? []).map(({ group, version, deploymentName = "" }) => ({
    group: "apiregistration.k8s.io",
    version: "v1",
    kind: "APIService",
    name: `${version}.${group}`,
    status: deployments.has(deploymentName) ? "DeploymentFound" : "DeploymentNotFound",
    message: "",
  }));
}

function nativeApis({ nativeAPIs }: CsvSpec, offer: Offer): RequirementStatus[] {
  return (nativeAPIs ?? []).map(({ group, version, kind }) => {
    const facts = { group, version, kind, name: `${version}.${group}` };
    return offer.serves(group, version, kind)
      ? { ...facts, status: "Present", message: "Native API exists" }
      : { ...facts, status: "NotPresent", message: "Native API does not exist" };
  });
}
