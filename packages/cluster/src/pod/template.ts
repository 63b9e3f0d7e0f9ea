/** Creates pods from templates. */
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import type { ObjectMeta, OwnerReference } from "@capstan/model";

/** A pod before its creation. */
export interface NewPod {
  readonly metadata: ObjectMeta & { readonly namespace: string };
  readonly spec: NonNullable<PodTemplateSpec["spec"]>;
}

/** What a pod gets besides its template. */
export interface PodOptions {
  readonly namespace: string;
  readonly owner: OwnerReference;
  /** The name or its prefix. */
  readonly name: { readonly exact: string } | { readonly prefix: string };
}

/** Creates the pod. */
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

/** A name with a dash, unless the result is too long. */
function prefixOf(name: string): string {
  const prefix = `${name}-`;
  return prefix.length > 253 ? name : prefix;
}
