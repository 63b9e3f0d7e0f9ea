/** IngressClass: the controller of an ingress. */
import type { IngressClass as IngressClassObject, IngressClassSpec } from "@capstan/kinds/networking.k8s.io/v1";
import { byteLength, fieldErrors, type FieldError } from "@capstan/model";
import { checkObjectMetadata } from "../../metadata/check.ts";
import { checkDomainPath } from "../batch/job-spec.ts";
import { checkLabelName, checkUnchanged } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { checkReference } from "./reference.ts";

type IngressClass = Whole<IngressClassObject>;
type Parameters = NonNullable<IngressClassSpec["parameters"]>;

const maxControllerBytes = 250;
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

export const ingressClass: KindRules<IngressClass> = defineRules<IngressClass>({
  defaults({ spec }) {
    if (spec.parameters) spec.parameters.scope ??= "Cluster";
  },
  prepareForCreate: startGeneration,
  prepareForUpdate: (draft, old) => bumpGeneration(draft, old),
  validateCreate: ({ spec }) => checkSpec(spec),
  validateUpdate: (object, old) => [
    ...checkUnchanged(object.spec.controller ?? "", old.spec.controller ?? "", "spec.controller"),
    ...checkObjectMetadata(object, false, "dns-subdomain"),
    ...checkSpec(object.spec),
  ],
  table: {
    row: (object, now) => {
      const { metadata, spec } = object;
      const isDefault = metadata.annotations?.[defaultAnnotation] === "true";
      const name = isDefault ? `${metadata.name} (default)` : metadata.name;
      return { cells: [name, spec.controller ?? "", parametersCell(spec.parameters), ageOf(object, now)] };
    },
  },
});

function parametersCell(parameters: Parameters | undefined): string {
  if (parameters === undefined) return "<none>";
  const { kind, apiGroup, name } = parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}

function checkSpec({ controller = "", parameters }: IngressClassSpec): FieldError[] {
  const path = "spec.controller";
  return [
    ...(byteLength(controller) > maxControllerBytes ? [fieldErrors.tooLong(path, maxControllerBytes)] : []),
    ...checkDomainPath(controller, path),
    ...(parameters === undefined ? [] : checkParameters(parameters, "spec.parameters")),
  ];
}

function checkParameters(parameters: Parameters, path: string): FieldError[] {
  return [...checkReference(parameters, path), ...checkScope(parameters, path)];
}

function checkScope({ scope = "", namespace }: Parameters, path: string): FieldError[] {
  const at = `${path}.namespace`;
  switch (scope) {
    case "Namespace":
      return namespace === undefined
        ? [fieldErrors.required(at, "`parameters.scope` is set to 'Namespace'")]
        : checkLabelName(namespace, at);
    case "Cluster":
      return namespace === undefined ? [] : [fieldErrors.forbidden(at, "`parameters.scope` is set to 'Cluster'")];
    default:
      return [fieldErrors.notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"])];
  }
}
