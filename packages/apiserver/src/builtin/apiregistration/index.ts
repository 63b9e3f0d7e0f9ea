/** The rules of the group apiregistration.k8s.io: which server serves which group at which version. */
import type { APIService as ApiServiceObject, APIServiceSpec } from "@capstan/kinds/apiregistration.k8s.io/v1";
import {
  checkDns1035Label,
  checkPathSegment,
  checkPortNumber,
  cloneJson,
  fieldErrors,
  quote,
  type FieldError,
} from "@capstan/model";
import { checkMetadata } from "../../metadata/check.ts";
import type { ResourceName } from "../context.ts";
import type { Draft } from "../draft.ts";
import { checkOneOf, checkPresent, checkSubdomain, invalidEach } from "../meta/checks.ts";
import { keepField, statusView } from "../meta/status.ts";
import { defineRules, type ResourceRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";

type ApiService = Whole<ApiServiceObject>;

const maxGroupPriority = 20_000;
const maxVersionPriority = 1000;

const apiService = defineRules<ApiService>({
  finalizers: "any",
  name: "path-segment",
  unconditionalUpdate: false,
  defaults({ spec }) {
    if (spec.service) spec.service.port ??= 443;
  },
  prepareForCreate(draft, { now }) {
    draft.status = {};
    if (draft.spec.service === undefined) draft.status.conditions = [localCondition(now)];
  },
  prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
  validateCreate: (object) => [...checkRequiredName(object), ...checkSpec(object.spec)],
  validateUpdate: (object) => [
    ...checkMetadata(object.metadata, false, "path-segment"),
    ...checkRequiredName(object),
    ...checkSpec(object.spec),
  ],
  subresources: {
    status: statusView<ApiService>({
      resetFields: ["metadata", "spec"],
      hasNoTable: true,
      prepare: keepMarks,
      validate: ({ status }) =>
        (status.conditions ?? []).flatMap((condition, index) =>
          checkOneOf(condition.status, `status.conditions[${index}].status`, ["True", "False", "Unknown"]),
        ),
    }),
  },
  table: {
    row: (object, now) => {
      const { service } = object.spec;
      const where = service === undefined ? "Local" : `${service.namespace ?? ""}/${service.name ?? ""}`;
      return { cells: [object.metadata.name, where, availability(object), ageOf(object, now)] };
    },
  },
});

/** An APIService that this server serves itself is always available. */
function localCondition(now: string): Draft<NonNullable<ApiService["status"]["conditions"]>[number]> {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: now,
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

function keepMarks({ metadata }: Draft<ApiService>, { metadata: old }: ApiService): void {
  for (const field of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
    if (old[field] === undefined) delete metadata[field];
    else Reflect.set(metadata, field, cloneJson(old[field]));
  }
}

function availability({ status }: ApiService): string {
  const condition = (status.conditions ?? []).find(({ type }) => type === "Available");
  if (condition === undefined) return "Unknown";
  const { status: value, reason = "" } = condition;
  return value === "True" || reason === "" ? value : `${value} (${reason})`;
}

/** The name must be `version.group`. */
function checkRequiredName({ metadata, spec }: ApiService): FieldError[] {
  const required = `${spec.version ?? ""}.${spec.group ?? ""}`;
  const why = `must be \`spec.version+"."+spec.group\`: ${quote(required)}`;
  return (["generateName", "name"] as const).flatMap((field) => {
    const value = metadata[field] ?? "";
    if (value === "" || value === required || checkPathSegment(value).length > 0) return [];
    return [fieldErrors.invalid(`metadata.${field}`, value, why)];
  });
}

function checkSpec(spec: APIServiceSpec): FieldError[] {
  const { group = "", version = "", groupPriorityMinimum: priority, versionPriority } = spec;
  const legacy = "only v1 may have an empty group and it better be legacy kube";
  return [
    ...(group === "" && version !== "v1" ? [fieldErrors.required("spec.group", legacy)] : []),
    ...(group === "" ? [] : checkSubdomain(group, "spec.group")),
    ...invalidEach("spec.version", version, checkDns1035Label(version)),
    ...checkPriority(priority, "spec.groupPriorityMinimum", maxGroupPriority),
    ...checkPriority(versionPriority, "spec.versionPriority", maxVersionPriority),
    ...(spec.service === undefined ? checkLocal(spec) : checkService(spec.service, spec)),
  ];
}

function checkPriority(priority: number, path: string, most: number): FieldError[] {
  if (priority > 0 && priority <= most) return [];
  return [fieldErrors.invalid(path, priority, `must be positive and less than ${most}`)];
}

function checkLocal({ caBundle = "", insecureSkipTLSVerify = false }: APIServiceSpec): FieldError[] {
  const bytes = Buffer.from(caBundle, "base64").length;
  const insecure = "local APIServices may not have insecureSkipTLSVerify";
  return [
    ...(bytes === 0
      ? []
      : [fieldErrors.invalid("spec.caBundle", `${bytes} bytes`, "local APIServices may not have a caBundle")]),
    ...(insecureSkipTLSVerify ? [fieldErrors.invalid("spec.insecureSkipTLSVerify", true, insecure)] : []),
  ];
}

function checkService(service: NonNullable<APIServiceSpec["service"]>, spec: APIServiceSpec): FieldError[] {
  const { namespace, name, port = 443 } = service;
  const problems = checkPortNumber(port);
  const isBoth = spec.insecureSkipTLSVerify === true && (spec.caBundle ?? "") !== "";
  return [
    ...checkPresent(namespace, "spec.service.namespace"),
    ...checkPresent(name, "spec.service.name"),
    ...(problems.length === 0
      ? []
      : [fieldErrors.invalid("spec.service.port", port, `port is not valid: ${problems.join(", ")}`)]),
    ...(isBoth
      ? [fieldErrors.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present")]
      : []),
  ];
}

export const apiregistrationRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["apiservices.apiregistration.k8s.io", apiService],
]);
