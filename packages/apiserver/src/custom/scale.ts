/** The scale of a custom object, read from and written to where its definition says. */
import { apiErrors, type KubeObject } from "@capstan/model";
import type { JsonObject, JsonValue } from "../builtin/draft.ts";
import type { ProjectionRules } from "../builtin/rules.ts";
import type { ScalePaths } from "./definition.ts";

/** Scale as a projection. */
export function scaleRules({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): ProjectionRules {
  return {
    type: "projection",
    kind: { group: "autoscaling", version: "v1", kind: "Scale" },
    read(object) {
      const replicas = valueAt(object, specReplicasPath);
      if (replicas === undefined) {
        throw apiErrors.internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
      }
      const selector = labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath);
      return toScale(object, {
        replicas,
        current: valueAt(object, statusReplicasPath) ?? 0,
        selector: typeof selector === "string" ? selector : undefined,
      });
    },
    write(projection, draft) {
      const { spec } = projection as unknown as { spec?: { replicas?: number } };
      setAt(draft as unknown as JsonObject, specReplicasPath, spec?.replicas ?? 0);
    },
  };
}

interface ScaleParts {
  readonly replicas: JsonValue;
  readonly current: JsonValue;
  readonly selector: string | undefined;
}

function toScale({ metadata }: KubeObject, { replicas, current, selector }: ScaleParts): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const known = { name, namespace, uid, resourceVersion, creationTimestamp };
  const kept = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: kept,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: current, ...(selector === undefined ? {} : { selector }) },
  } as unknown as KubeObject;
}

function partsOf(path: string): string[] {
  return path.split(".").filter((part) => part !== "");
}

function valueAt(object: KubeObject, path: string): JsonValue | undefined {
  let value = object as unknown as JsonValue | undefined;
  for (const part of partsOf(path)) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = value[part];
  }
  return value;
}

function setAt(object: JsonObject, path: string, value: JsonValue): void {
  const parts = partsOf(path);
  const last = parts.pop() ?? "";
  let at = object;
  for (const part of parts) {
    const next = at[part];
    at = (typeof next === "object" && next !== null && !Array.isArray(next) ? next : (at[part] = {})) as JsonObject;
  }
  at[last] = value;
}
