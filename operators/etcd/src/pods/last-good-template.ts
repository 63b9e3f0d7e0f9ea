/** The last good template, recorded on a PodTemplate: members are recreated with it while the API server rejects the desired pods. */
import { createHash } from "node:crypto";
import type { ClusterSpec, PodTemplateInput } from "./pod.ts";

/** Annotation of the PodTemplate: the parts of the spec that determine its pods. */
export const templateAnnotation = "etcd.capstan.dev/form";

export function lastGoodTemplateName(cluster: string): string {
  return `${cluster}-form`;
}

/** The parts of a spec that determine pods. */
export function formatTemplate({ spec }: PodTemplateInput): string {
  const { podTemplate, resources, profile, image, imagePullSecrets, options } = spec;
  return JSON.stringify({ podTemplate, resources, profile, image, imagePullSecrets, options });
}

/** Digest of these parts. */
export function digestTemplate(template: PodTemplateInput): string {
  return createHash("sha256").update(formatTemplate(template)).digest("hex").slice(0, 16);
}

/** The template with these parts instead of its own; undefined for invalid text. */
export function withTemplate(template: PodTemplateInput, text: string | undefined): PodTemplateInput | undefined {
  const { podTemplate: _template, resources: _resources, ...rest } = template.spec;
  try {
    const parts: unknown = JSON.parse(text ?? "");
    if (typeof parts !== "object" || parts === null || !("profile" in parts)) return undefined;
    // Only the operator writes it, from a spec that the API server accepted.
    return { ...template, spec: { ...rest, ...(parts as Pick<ClusterSpec, "profile">) } };
  } catch {
    return undefined;
  }
}
