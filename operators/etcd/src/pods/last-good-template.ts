/**
 * The form that all members had when all was well, written on a PodTemplate: whoever is gone while the spec asks for pods that cannot
 * be made comes back in it.
 */
import { createHash } from "node:crypto";
import type { ClusterSpec, PodTemplateInput } from "./pod.ts";

/** On the PodTemplate: the parts of the spec that its pods were made from. */
export const templateAnnotation = "etcd.capstan.dev/form";

/** The PodTemplate that the form is written on. */
export function lastGoodTemplateName(cluster: string): string {
  return `${cluster}-form`;
}

/** The parts of a spec that decide what pods look like. */
export function formatTemplate({ spec }: PodTemplateInput): string {
  const { podTemplate, resources, profile, image, imagePullSecrets, options } = spec;
  return JSON.stringify({ podTemplate, resources, profile, image, imagePullSecrets, options });
}

/** The same as one word, by which forms are told apart. */
export function digestTemplate(template: PodTemplateInput): string {
  return createHash("sha256").update(formatTemplate(template)).digest("hex").slice(0, 16);
}

/** A form with those parts in the place of its own. What is no form counts as none. */
export function withTemplate(template: PodTemplateInput, text: string | undefined): PodTemplateInput | undefined {
  const { podTemplate: _template, resources: _resources, ...rest } = template.spec;
  try {
    const parts: unknown = JSON.parse(text ?? "");
    if (typeof parts !== "object" || parts === null || !("profile" in parts)) return undefined;
    // Only the operator writes it, out of a spec that the API server had taken.
    return { ...template, spec: { ...rest, ...(parts as Pick<ClusterSpec, "profile">) } };
  } catch {
    return undefined;
  }
}
