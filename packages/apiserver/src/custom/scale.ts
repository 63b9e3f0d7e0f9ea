/** The scale subresource of a custom object, read and written at the paths of its definition. */
import {
  apiErrors,
  fieldErrors,
  isDeepEqual,
  StatusError,
  toFailure,
  type FieldError,
  type GroupVersionKind,
  type KubeObject,
} from "@capstan/model";
import type { ReplicasPaths } from "@capstan/patch";
import type { AnyDraft, JsonObject, JsonValue } from "../builtin/draft.ts";
import type { ProjectionRules } from "../builtin/rules.ts";
import { fieldManagerOf } from "../managed/builtin.ts";
import type { FieldManager } from "../managed/field-manager.ts";
import type { ScalePaths } from "./definition.ts";
import { fieldsOf, nestedInteger, nestedString, type NestedField } from "./nested-field.ts";

const maxReplicas = 2 ** 31 - 1;
/** Marks unset replicas. */
const unsetReplicas = -(2 ** 31);

export const scaleKind: GroupVersionKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** The field manager of a scale. It tracks owners only if the replicas already have one. */
export function scaleManager(): FieldManager | undefined {
  const manager = fieldManagerOf(scaleKind, { resetFields: [], subresource: "scale" });
  if (manager === undefined) return undefined;
  return {
    get schema() {
      return manager.schema;
    },
    update: (live, draft, origin) =>
      live?.metadata.managedFields === undefined ? withoutOwners(draft) : manager.update(live, draft, origin),
    apply(live, applied, origin) {
      const isScale = applied["apiVersion"] === "autoscaling/v1" && applied["kind"] === scaleKind.kind;
      if (isScale && live?.metadata.managedFields === undefined) throw unmanageable("live");
      const made = manager.apply(live, applied, origin);
      if (live !== undefined && isDeepEqual(withoutOwners(made), withoutOwners(live))) return made;
      throw unmanageable("new", applied["metadata"] as KubeObject["metadata"] | undefined);
    },
  };
}

function withoutOwners<T extends AnyDraft | KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** kube-apiserver tries to convert the custom object to a Scale here and fails with an internal error. */
function unmanageable(which: "live" | "new", { namespace = "", name = "" }: KubeObject["metadata"] = {}): StatusError {
  const intro = which === "live" ? "failed to create manager for existing fields: " : "";
  const object = `${which} object (${namespace}/${name}; autoscaling/v1, Kind=Scale)`;
  const why = "request to convert CR to an invalid group/version: autoscaling/v1";
  const message = `${intro}failed to convert ${object} to proper version: ${why}`;
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}

/** The projection of the scale subresource; `fields` contains the replicas path of each version. */
export function scaleRules(paths: ScalePaths, fields: ReplicasPaths): ProjectionRules {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  const shown = (object: KubeObject, missing: number): KubeObject => {
    const replicas = readable(nestedInteger(object, specReplicasPath)) ?? missing;
    const current = readable(nestedInteger(object, statusReplicasPath)) ?? 0;
    const selector = labelSelectorPath === undefined ? undefined : readable(nestedString(object, labelSelectorPath));
    return toScale(object, { replicas, current, selector });
  };
  return {
    type: "projection",
    kind: scaleKind,
    fields,
    read(object) {
      if (nestedInteger(object, specReplicasPath).type === "absent") {
        throw apiErrors.internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
      }
      return shown(object, unsetReplicas);
    },
    base: (object) => shown(object, unsetReplicas),
    written: (object) => shown(object, 0),
    write(projection, draft) {
      const { spec } = projection as unknown as { spec?: { replicas?: number } };
      if (spec?.replicas === unsetReplicas) throw emptyReplicas(specReplicasPath);
      setAt(draft as unknown as JsonObject, specReplicasPath, spec?.replicas ?? 0);
    },
  };
}

function emptyReplicas(path: string): StatusError {
  return apiErrors.badRequest(`the spec replicas field ${JSON.stringify(path)} cannot be empty`);
}

/** kube-apiserver cannot read such a scale either and returns the same error. */
function readable<T>(field: NestedField<T>): T | undefined {
  if (field.type === "mismatch") throw new StatusError(toFailure({ code: 500, reason: "", message: field.why }));
  return field.type === "found" ? field.value : undefined;
}

/** Validates the desired replicas of an object with a scale. */
export function checkScaleSpec(object: KubeObject, { specReplicasPath }: ScalePaths): FieldError[] {
  return checkReplicas(object, specReplicasPath);
}

/** Validates the current replicas and the selector. */
export function checkScaleStatus(object: KubeObject, paths: ScalePaths): FieldError[] {
  const errors = checkReplicas(object, paths.statusReplicasPath);
  if (paths.labelSelectorPath === undefined) return errors;
  const selector = nestedString(object, paths.labelSelectorPath);
  if (selector.type === "mismatch") errors.push(fieldErrors.invalid(paths.labelSelectorPath, "", selector.why));
  return errors;
}

function checkReplicas(object: KubeObject, path: string): FieldError[] {
  const replicas = nestedInteger(object, path);
  switch (replicas.type) {
    case "absent":
      return [];
    case "mismatch":
      return [fieldErrors.invalid(path, 0, replicas.why)];
    case "found":
      if (replicas.value < 0) return [fieldErrors.invalid(path, replicas.value, "should be a non-negative integer")];
      if (replicas.value <= maxReplicas) return [];
      return [fieldErrors.invalid(path, replicas.value, `should be less than or equal to ${maxReplicas}`)];
  }
}

interface ScaleParts {
  readonly replicas: number;
  readonly current: number;
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
    status: { replicas: current, ...(selector === undefined || selector === "" ? {} : { selector }) },
  } as unknown as KubeObject;
}

function setAt(object: JsonObject, path: string, value: JsonValue): void {
  const parts = fieldsOf(path);
  const last = parts.pop() ?? "";
  let at = object;
  for (const part of parts) {
    const next = at[part];
    at = (typeof next === "object" && next !== null && !Array.isArray(next) ? next : (at[part] = {})) as JsonObject;
  }
  at[last] = value;
}
