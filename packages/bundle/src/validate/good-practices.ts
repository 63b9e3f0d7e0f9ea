/** Good practices: resource requests, descriptions of kinds, usual channel and bundle names, no rights over CRDs. */
import { quote } from "@capstan/model";
import type { Csv, Rule } from "../csv.ts";
import type { Bundle } from "../read/bundle.ts";
import { parseVersion } from "../semver.ts";
import { failed, type Finding } from "./finding.ts";

/** What could be better. */
export function validateGoodPractices(bundle: Bundle): Finding[] {
  const { csv } = bundle;
  const name = csv.metadata?.name ?? "";
  const { errors, warnings } = requestProblems(csv);
  return [
    ...errors.map((detail) => failed("Error", name, detail)),
    ...[
      ...warnings,
      ...descriptionProblems(csv),
      ...channelProblems(bundle),
      ...(createsCrds(csv) ? [metaOperator] : []),
      ...nameProblems(name),
    ].map((detail) => failed("Warning", name, detail)),
  ];
}

interface Problems {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

function requestProblems({ spec }: Csv): Problems {
  const deployments = spec?.install?.spec?.deployments;
  if (deployments === undefined) return { errors: ["unable to find a deployment to install in the CSV"], warnings: [] };
  const containers = deployments.flatMap((one) => one.spec?.template?.spec?.containers ?? []);
  const warnings = containers
    .filter(({ resources }) => resources?.requests === undefined)
    .map(
      ({ name = "" }) =>
        `unable to find the resource requests for the container: (${name}). It is recommended to ensure the resource request for CPU and Memory. Be aware that for some clusters configurations it is required to specify requests or limits for those values. Otherwise, the system or quota may reject Pod creation. More info: https://master.sdk.operatorframework.io/docs/best-practices/managing-resources/`,
    );
  return { errors: [], warnings };
}

function descriptionProblems({ spec }: Csv): string[] {
  const { owned = [], required = [] } = spec?.customresourcedefinitions ?? {};
  const silent = (list: typeof owned, relation: string): string[] =>
    list
      .filter(({ description = "" }) => description === "")
      .map(({ name = "" }) => `${relation} CRD ${quote(name)} has an empty description`);
  return [...silent(owned, "owned"), ...silent(required, "required")];
}

function channelProblems({ metadata }: Bundle): string[] {
  const channels = new Set([...metadata.channels, metadata.defaultChannel].map((channel) => channel.trim()));
  const unusual = [...channels].filter((channel) => channel !== "" && !/^(candidate|stable|fast)/.test(channel)).sort();
  if (unusual.length === 0) return [];
  return [
    `channel(s) [${unusual.map(quote).join(" ")}] are not following the recommended naming convention: https://olm.operatorframework.io/docs/best-practices/channel-naming`,
  ];
}

const metaOperator =
  "CSV contains permissions to create CRD. An Operator shouldn't deploy or manage other operators (such patterns are known as meta or super operators or include CRDs in its Operands). It's the Operator Lifecycle Manager's job to manage the deployment and lifecycle of operators.  Please, review the design of your solution and if you should not be using Dependency Resolution from OLM instead. More info: https://sdk.operatorframework.io/docs/best-practices/common-recommendation/";

function createsCrds({ spec }: Csv): boolean {
  const { permissions = [], clusterPermissions = [] } = spec?.install?.spec ?? {};
  return [...permissions, ...clusterPermissions].some(({ rules = [] }) => rules.some(mayCreateCrds));
}

function mayCreateCrds({ apiGroups = [], resources = [], verbs = [] }: Rule): boolean {
  return (
    apiGroups.includes("apiextensions.k8s.io") &&
    resources.some((resource) => ["customresourcedefinitions", "*", "[*]"].includes(resource)) &&
    verbs.some((verb) => ["create", "*", "[*]", "patch"].includes(verb))
  );
}

const versionAtEnd = /([0-9]+)\.([0-9]+)\.([0-9]+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+)?$/;

function nameProblems(name: string): string[] {
  // No version is longer, and the pattern must not wander through a name that is.
  const version = versionAtEnd.exec(name.slice(-256))?.[0];
  const isVersioned = version !== undefined && parseVersion(version) !== undefined;
  return [
    ...(isVersioned
      ? []
      : [
          `csv.metadata.Name ${name} is not following the versioning convention (MAJOR.MINOR.PATCH e.g 0.0.1): https://semver.org/`,
        ]),
    ...(name.split(".v").length === 2
      ? []
      : [
          `csv.metadata.Name ${name} is not following the recommended naming convention: <operator-name>.v<semver> e.g. memcached-operator.v0.0.1`,
        ]),
  ];
}
