/** The image of a catalog that depends on the version of Kubernetes: an annotation with placeholders. */
import type { Condition } from "@capstan/model";

/** The annotation with the template. */
export const templateAnnotation = "olm.catalogImageTemplate";

/** What a template resolves to: an image, or the conditions that say why not. */
export interface ResolvedTemplate {
  readonly image: string | undefined;
  readonly conditions: readonly Omit<Condition, "lastTransitionTime">[];
}

/** Characters of an image reference; braces are what remains of a malformed template. */
const REFERENCE = /^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/u;

/** Replaces the placeholders by the parts of a server version such as `v1.36.2`. */
export function resolveTemplate(template: string, serverVersion: string): ResolvedTemplate {
  const [major = "", minor = "", patch = ""] = serverVersion.replace(/^v/u, "").split(/[.+-]/u);
  const values: { readonly [name: string]: string } = {
    kube_major_version: major,
    kube_minor_version: minor,
    kube_patch_version: patch,
  };
  const unresolved: string[] = [];
  const image = template.replaceAll(/\{([^{}]*)\}/gu, (text, name: string) => {
    const value = values[name] ?? "";
    if (value !== "") return value;
    unresolved.push(name);
    return text;
  });
  const isValid = REFERENCE.test(image);
  if (unresolved.length === 0 && isValid) {
    return {
      image,
      conditions: both("True", "AllTemplatesResolved", ["catalog image reference was successfully resolved", image]),
    };
  }
  return { image: undefined, conditions: both("False", "UnableToResolve", [problem(unresolved, isValid), image]) };
}

function problem(unresolved: readonly string[], isValid: boolean): string {
  const variables = `variable(s) ${unresolved.map((name) => `"${name}"`).join(", ")} could not be resolved`;
  const syntax = "one or more template(s) has improper syntax";
  const because = unresolved.length === 0 ? syntax : isValid ? variables : `${variables} and ${syntax}`;
  return `cannot construct catalog image reference, because ${because}`;
}

function both(
  status: "True" | "False",
  reason: string,
  [templates, image]: readonly [string, string],
): ResolvedTemplate["conditions"] {
  return [
    { type: "TemplatesHaveResolved", status, reason, message: templates },
    { type: "ResolvedImage", status, reason, message: image },
  ];
}
