/** ControllerRevision: a past state of the template of a StatefulSet or DaemonSet. */
import type { ControllerRevision } from "@capstan/kinds/apps/v1";
import { fieldErrors, isDeepEqual, parseApiVersion, type FieldError } from "@capstan/model";
import { checkObjectMetadata } from "../../metadata/check.ts";
import { checkNonNegative } from "../meta/checks.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";

export const controllerRevision: KindRules<ControllerRevision> = defineRules<ControllerRevision>({
  validateCreate: ({ revision, data }) => [...checkNonNegative(revision, "revision"), ...checkData(data)],
  validateUpdate: (object, old) => [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkNonNegative(object.revision, "revision"),
    ...(isDeepEqual(object.data, old.data)
      ? []
      : [fieldErrors.invalid("data", object.data ?? null, "field is immutable")]),
  ],
  table: {
    row: (object, now) => ({
      cells: [object.metadata.name, controllerOf(object), object.revision, ageOf(object, now)],
    }),
  },
});

function checkData(data: unknown): FieldError[] {
  if (data === undefined || data === null) return [fieldErrors.required("data", "data is mandatory")];
  if (typeof data === "object" && !Array.isArray(data)) return [];
  return [fieldErrors.required("data", "data must be a valid JSON object")];
}

/** The controlling owner, as `statefulset.apps/name`. */
function controllerOf({ metadata }: ControllerRevision): string {
  const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const { group } = parseApiVersion(owner.apiVersion);
  const kind = owner.kind.toLowerCase();
  return `${group === "" ? kind : `${kind}.${group}`}/${owner.name}`;
}
