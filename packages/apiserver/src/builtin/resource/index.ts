/** The rules of the group resource.k8s.io: devices, and who claims them. Slices and classes are checked structurally. */
import type {
  DeviceClass as ClassObject,
  ResourceClaim as ClaimObject,
  ResourceClaimTemplate as TemplateObject,
  ResourceSlice as SliceObject,
} from "@capstan/kinds/resource.k8s.io/v1";
import { fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import type { ResourceName } from "../context.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { finalSubdomain } from "../meta/metadata.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defineRules, type ResourceRules } from "../rules.ts";
import { keepMetadata } from "../storage/keep-metadata.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { checkClaimSpec, defaultClaimSpec } from "./claim-spec.ts";

type DeviceClass = Whole<ClassObject>;
type Claim = Whole<ClaimObject>;
type Template = Whole<TemplateObject>;
type Slice = Whole<SliceObject>;

const deviceClass = defineRules<DeviceClass>({
  name: finalSubdomain,
  deletion: { returnsObject: true },
  prepareForCreate: startGeneration,
  prepareForUpdate: (draft, old) => bumpGeneration(draft, old),
  table: { row: (object, now) => ({ cells: [object.metadata.name, ageOf(object, now)] }) },
});

const resourceClaim = defineRules<Claim>({
  deletion: { returnsObject: true },
  validatesMetadata: true,
  defaults: ({ spec }) => defaultClaimSpec(spec),
  prepareForCreate: (draft) => dropField(draft, "status"),
  prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
  validateCreate: (object) => [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkClaimSpec(object.spec, "spec"),
  ],
  validateUpdate: (object, old) => [...checkClaimMetadata(object, old), ...checkSameSpec(object.spec, old.spec)],
  subresources: {
    status: statusView<Claim>({ hasNoTable: true, resetFields: ["metadata", "spec"], prepare: keepMetadata }),
  },
  table: { row: (object, now) => ({ cells: [object.metadata.name, stateOf(object), ageOf(object, now)] }) },
});

function checkClaimMetadata(object: Claim | Template, old: Claim | Template): FieldError[] {
  return [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
  ];
}

/** What was claimed stays. */
function checkSameSpec(spec: object, old: object): FieldError[] {
  return isDeepEqual(spec, old) ? [] : [fieldErrors.invalid("spec", fieldErrors.omittedValue, "field is immutable")];
}

function stateOf({ metadata, status }: Claim): string {
  const isGoing = metadata.deletionTimestamp !== undefined;
  const isReserved = (status.reservedFor ?? []).length > 0;
  const allocation = status.allocation === undefined ? [] : ["allocated", ...(isReserved ? ["reserved"] : [])];
  const pending = status.allocation === undefined && !isGoing ? ["pending"] : [];
  return [...(isGoing ? ["deleted"] : []), ...pending, ...allocation].join(",");
}

const resourceClaimTemplate = defineRules<Template>({
  deletion: { returnsObject: true },
  validatesMetadata: true,
  defaults({ spec }) {
    defaultClaimSpec(spec.spec);
  },
  validateCreate: (object) => [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkClaimSpec(object.spec.spec, "spec.spec"),
  ],
  validateUpdate: (object, old) => [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkClaimSpec(object.spec.spec, "spec.spec"),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
    ...checkSameSpec(object.spec, old.spec),
  ],
  table: { row: (object, now) => ({ cells: [object.metadata.name, ageOf(object, now)] }) },
});

const resourceSlice = defineRules<Slice>({
  deletion: { returnsObject: true },
  selectsByNamespace: false,
  fields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.driver": ({ spec }) => spec.driver,
  },
  unknownField: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  prepareForCreate: startGeneration,
  prepareForUpdate: (draft, old) => bumpGeneration(draft, old),
  warnings: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`],
  table: {
    row: (object, now) => {
      const { metadata, spec } = object;
      return { cells: [metadata.name, spec.nodeName ?? "", spec.driver, spec.pool.name, ageOf(object, now)] };
    },
  },
});

/** By resource. */
export const resourceRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["deviceclasses.resource.k8s.io", deviceClass],
  ["resourceclaims.resource.k8s.io", resourceClaim],
  ["resourceclaimtemplates.resource.k8s.io", resourceClaimTemplate],
  ["resourceslices.resource.k8s.io", resourceSlice],
]);
