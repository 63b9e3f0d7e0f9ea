/** Scale: the desired and the current number of replicas of any scalable kind. */
import { fieldErrors, type FieldError, type KubeObject } from "@capstan/model";
import { checkObjectMetadata } from "../../metadata/check.ts";
import type { Draft } from "../draft.ts";
import type { ProjectionRules } from "../rules.ts";

/** A Scale of autoscaling/v1. */
interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

/** An object that has replicas. */
interface Scalable extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status: { readonly replicas?: number };
}

/** All versions in which workloads were ever served; managed fields may still refer to the old ones. */
const workloadVersions = ["apps/v1beta1", "apps/v1beta2", "apps/v1"];

/** The rules of `scale`; `selectorOf` returns the selector of the counted pods as text. */
export function scaleOf<T extends Scalable>(
  selectorOf: (object: T) => string,
  versions: readonly string[] = workloadVersions,
): ProjectionRules<T> {
  return {
    type: "projection",
    kind: { group: "autoscaling", version: "v1", kind: "Scale" },
    fields: Object.fromEntries(versions.map((version) => [version, ["f:spec", "f:replicas"]])),
    read: (object) => toScale(object, selectorOf(object)),
    write(projection, draft) {
      const { spec } = draft as Draft<Scalable>;
      spec.replicas = (projection as Scale).spec?.replicas ?? 0;
    },
    validate: checkScale,
  };
}

function toScale({ metadata, spec, status }: Scalable, selector: string): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { replicas = 0 } = spec;
  const object = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: present({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status.replicas ?? 0, ...(selector === "" ? {} : { selector }) },
  };
  return object;
}

function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function checkScale(scale: Scale): FieldError[] {
  const { replicas = 0 } = scale.spec ?? {};
  return [
    ...checkObjectMetadata(scale, true, "dns-subdomain"),
    ...(replicas < 0 ? [fieldErrors.invalid("spec.replicas", replicas, "must be greater than or equal to 0")] : []),
  ];
}
