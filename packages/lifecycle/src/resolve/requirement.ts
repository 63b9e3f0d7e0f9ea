/** Requirements: conditions on a bundle that another bundle states. */
import { parseRange } from "@capstan/bundle";
import { formatApi, type Api, type Entry } from "./entry.ts";
import { ResolveError } from "./error.ts";

/** A condition on one entry. The narrowing tells which entries of a source can fulfil it at all. */
export interface Requirement {
  readonly isMetBy: (entry: Entry) => boolean;
  /** As the messages of the Operator Lifecycle Manager describe it. */
  readonly text: string;
  /** In plain English: "the package etcd in a version in the range >1.0.0". */
  readonly explanation: string;
  readonly narrowing?: { readonly type: "api" | "package"; readonly key: string };
}

/** An operator that provides an API. */
export function apiRequirement(api: Api): Requirement {
  const { group, version, kind } = api;
  const key = formatApi(api);
  return {
    isMetBy: ({ facts }) => facts.apis.has(key),
    text: `providing an API with group: ${group}, version: ${version}, kind: ${kind}`,
    explanation: `an operator that provides ${kind} of ${group}/${version}`,
    narrowing: { type: "api", key },
  };
}

/** An operator of a package, in a range of versions. */
export function packageRequirement(name: string, versionRange: string): Requirement {
  const range = parseRange(versionRange);
  if (range === undefined)
    throw new ResolveError(
      "BadRequirement",
      `Could not parse Range "${versionRange}" that is required of package ${name}: ` +
        "comparisons such as >=1.0.0 are separated by spaces, alternatives by ||",
    );
  return {
    isMetBy: (entry) =>
      (entry.package === name || entry.facts.packageNames.has(name)) &&
      (entry.facts.packages.some(({ version }) => version !== undefined && range(version)) ||
        (entry.version !== undefined && range(entry.version))),
    text: `with package: ${name} and with version in range: ${versionRange}`,
    explanation: `the package ${name} in a version in the range ${versionRange}`,
    narrowing: { type: "package", key: name },
  };
}

/** An operator with a label. */
export function labelRequirement(label: string): Requirement {
  return {
    isMetBy: ({ facts }) => facts.labels.has(label),
    text: `with label: ${label}`,
    explanation: `an operator with the label ${label}`,
  };
}
