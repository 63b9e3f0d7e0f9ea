/** The requirements that the properties of a bundle state. */
import type { Property } from "@capstan/bundle";
import { parseConstraint } from "./constraint.ts";
import { apiOf, fieldsOf, textOf } from "./entry.ts";
import { apiRequirement, labelRequirement, packageRequirement, type Requirement } from "./requirement.ts";

/** The requirements that the properties of a bundle state. Unknown properties do not count. Equal keys: equal requirements. */
export function requirementsOf(properties: readonly Property[]): (Requirement & { readonly key: string })[] {
  return properties.flatMap((property) => {
    const requirement = requirementOf(property);
    return requirement === undefined ? [] : [{ ...requirement, key: JSON.stringify(property) }];
  });
}

function requirementOf({ type, value }: Property): Requirement | undefined {
  const fields = fieldsOf(value);
  switch (type) {
    case "olm.gvk.required":
      return apiRequirement(apiOf(fields));
    case "olm.package.required":
      return packageRequirement(textOf(fields, "packageName"), textOf(fields, "versionRange"));
    case "olm.label.required":
      return labelRequirement(textOf(fields, "label"));
    case "olm.constraint":
      return parseConstraint(value);
    default:
      return undefined;
  }
}
