/** A pod made from a template, as every controller that starts pods makes it. */
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import type { ObjectMeta, OwnerReference } from "@capstan/model";

/** The pod that is to be created. */
export interface NewPod {
  readonly metadata: ObjectMeta & { readonly namespace: string };
  readonly spec: NonNullable<PodTemplateSpec["spec"]>;
}

/** What a pod gets besides its template. */
export interface PodOptions {
  readonly namespace: string;
  readonly owner: OwnerReference;
  /** The name or how the name begins. */
  readonly name: { readonly exact: string } | { readonly prefix: string };
}

/** Makes the pod. */
export function podFromTemplate({ metadata, spec }: PodTemplateSpec, { namespace, owner, name }: PodOptions): NewPod {
  const { labels, annotations, finalizers } = metadata ?? {};
  return {
    metadata: {
      ...("exact" in name ? { name: name.exact } : { generateName: prefixOf(name.prefix) }),
      namespace,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [owner],
    },
    spec: spec ?? { containers: [] },
  };
}

/** A name with a dash, unless that makes it one that a pod may not have. */
function prefixOf(name: string): string {
  const prefix = `${name}-`;
  return prefix.length > 253 ? name : prefix;
}
