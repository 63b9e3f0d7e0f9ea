/** The kind by which the objects of a CRD are listed and deleted. */
import type { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Kind } from "@capstan/model";

/** The stored version if it is served, because it needs no conversion; else any served one. */
export function crdKind({ spec }: CustomResourceDefinition): Kind | undefined {
  const served = spec.versions.filter((each) => each.served);
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (version === undefined) return undefined;
  const { group, names, scope } = spec;
  return { group, version: version.name, kind: names.kind, plural: names.plural, scope: scope as Kind["scope"] };
}
