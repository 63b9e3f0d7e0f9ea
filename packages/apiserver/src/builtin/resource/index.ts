/** The rules of the group resource.k8s.io: devices and claims. */
import type {
  DeviceClass as ClassObject,
  DeviceRequestAllocationResult,
  ResourceClaim as ClaimObject,
  ResourceClaimTemplate as TemplateObject,
  ResourceSlice as SliceObject,
} from "@capstan/kinds/resource.k8s.io/v1";
import { fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import type { ResourceName } from "../context.ts";
import type { Draft } from "../draft.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { finalSubdomain } from "../meta/metadata.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { checkTemplateMetadata } from "../pod-template/claim-spec.ts";
import { defineRules, type ResourceRules } from "../rules.ts";
import { keepMetadata } from "../storage/keep-metadata.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { toInternal } from "../meta/internal-form.ts";
import { isExtendedResource } from "../meta/resource-name.ts";
import { checkAdminRequests, checkAdminResults } from "./admin-access.ts";
import { checkClaimSpec, defaultClaimSpec, requestNamesOf } from "./claim-spec.ts";
import { checkClaimStatus, dropDeallocated } from "./claim-status.ts";
import { checkConfiguration, maxConfigurations } from "./configuration.ts";
import { checkSelectors } from "./selectors.ts";
import { checkList } from "./sets.ts";
import { checkSlice } from "./slice.ts";

type DeviceClass = Whole<ClassObject>;
type Claim = Whole<ClaimObject>;
type Template = Whole<TemplateObject>;
type Slice = Whole<SliceObject>;

const deviceClass = defineRules<DeviceClass>({
  name: finalSubdomain,
  deletion: { returnsObject: true },
  prepareForCreate: startGeneration,
  prepareForUpdate: (draft, old) => bumpGeneration(draft, old),
  validateCreate: checkClass,
  validateUpdate: (object) => [...checkObjectMetadata(object, false, finalSubdomain), ...checkClass(object)],
  table: { row: (object, now) => ({ cells: [object.metadata.name, ageOf(object, now)] }) },
});

function checkClass({ spec }: DeviceClass): FieldError[] {
  const { selectors = [], config = [], extendedResourceName } = spec;
  const path = "spec.extendedResourceName";
  return [
    ...checkSelectors(selectors, "spec.selectors"),
    ...checkList(config, "spec.config", maxConfigurations, checkConfiguration),
    ...(extendedResourceName === undefined || isExtendedResource(extendedResourceName)
      ? []
      : [fieldErrors.invalid(path, extendedResourceName, "must be a valid extended resource name")]),
  ];
}

const resourceClaim = defineRules<Claim>({
  deletion: { returnsObject: true },
  validatesMetadata: true,
  defaults: ({ spec }) => defaultClaimSpec(spec),
  prepareForCreate: (draft) => dropField(draft, "status"),
  prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
  validateCreate: (object, context) => [
    ...checkAdminRequests(object.spec.devices?.requests ?? [], context),
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkClaimSpec(object.spec, "spec"),
  ],
  validateUpdate: (object, old) => [...checkClaimMetadata(object, old), ...checkSameClaim(object.spec, old.spec)],
  subresources: {
    status: statusView<Claim>({
      hasNoTable: true,
      resetFields: ["metadata", "spec"],
      prepare(draft, old) {
        keepMetadata(draft, old);
        dropDeallocated(draft.status, old.status);
      },
      validatesMetadata: false,
      validate: (object, old, context) => [
        ...checkAdminResults(resultsOf(object), resultsOf(old), context),
        ...checkClaimStatus(object.status, {
          old: old.status,
          requests: requestNamesOf(object.spec.devices ?? {}),
          isDeleted: object.metadata.deletionTimestamp !== undefined,
        }),
      ],
    }),
  },
  table: { row: (object, now) => ({ cells: [object.metadata.name, stateOf(object), ageOf(object, now)] }) },
});

function resultsOf({ status }: Claim): readonly DeviceRequestAllocationResult[] {
  return status.allocation?.devices?.results ?? [];
}

function checkClaimMetadata(object: Claim | Template, old: Claim | Template): FieldError[] {
  return [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
  ];
}

function checkSameClaim(spec: Claim["spec"], old: Claim["spec"]): FieldError[] {
  if (isDeepEqual(spec, old)) return [];
  return [fieldErrors.invalid("spec", toInternal("ResourceClaimSpec", spec), "field is immutable")];
}

function checkTemplate(object: Template): FieldError[] {
  return [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkTemplateMetadata(object.spec.metadata ?? {}, "spec.metadata"),
    ...checkClaimSpec(object.spec.spec, "spec.spec"),
  ];
}

function checkSameTemplate(spec: Template["spec"], old: Template["spec"]): FieldError[] {
  if (isDeepEqual(spec, old)) return [];
  const shown = { ...spec.metadata, Spec: toInternal("ResourceClaimSpec", spec.spec) };
  return [fieldErrors.invalid("spec", shown, "field is immutable")];
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
  validateCreate: (object, context) => [
    ...checkAdminRequests(object.spec.spec.devices?.requests ?? [], context),
    ...checkTemplate(object),
  ],
  validateUpdate: (object, old) => [
    ...checkTemplate(object),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
    ...checkSameTemplate(object.spec, old.spec),
  ],
  table: { row: (object, now) => ({ cells: [object.metadata.name, ageOf(object, now)] }) },
});

/** Drops fields of feature gates that are off in kube-apiserver. */
function dropSwitchedOff({ spec }: Draft<Slice>): void {
  for (const device of spec.devices ?? []) {
    dropField(device, "nodeAllocatableResourceMappings");
    for (const attribute of Object.values(device.attributes ?? {})) {
      for (const list of ["bools", "ints", "strings", "versions"]) dropField(attribute, list);
    }
  }
}

/** timeAdded of a taint defaults to the time of the write. */
function dateTaints({ spec }: Draft<Slice>, now: string): void {
  for (const { taints = [] } of spec.devices ?? []) for (const taint of taints) taint.timeAdded ??= now;
}

const resourceSlice = defineRules<Slice>({
  deletion: { returnsObject: true },
  selectsByNamespace: false,
  fields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.driver": ({ spec }) => spec.driver,
  },
  unknownField: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  prepareForCreate: (draft, { now }) => {
    dropSwitchedOff(draft);
    dateTaints(draft, now);
    startGeneration(draft);
  },
  prepareForUpdate: (draft, old, { now }) => {
    dropSwitchedOff(draft);
    dateTaints(draft, now);
    bumpGeneration(draft, old);
  },
  validateCreate: ({ spec }) => checkSlice(spec),
  validateUpdate: ({ spec }, old) => checkSlice(spec, old.spec),
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

export const resourceRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["deviceclasses.resource.k8s.io", deviceClass],
  ["resourceclaims.resource.k8s.io", resourceClaim],
  ["resourceclaimtemplates.resource.k8s.io", resourceClaimTemplate],
  ["resourceslices.resource.k8s.io", resourceSlice],
]);
