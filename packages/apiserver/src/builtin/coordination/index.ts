/** The rules of the group coordination.k8s.io: leases for leader election and heartbeats. */
import type { Lease as LeaseObject, LeaseSpec } from "@capstan/kinds/coordination.k8s.io/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import type { ResourceName } from "../context.ts";
import type { Draft } from "../draft.ts";
import { checkNonNegative } from "../meta/checks.ts";
import { defineRules, type ResourceRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";

type Lease = Whole<LeaseObject>;

const lease = defineRules<Lease>({
  finalizers: "any",
  createOnUpdate: true,
  unconditionalUpdate: false,
  prepareForCreate: ({ spec }) => dropCoordination(spec),
  prepareForUpdate: ({ spec }, old) => dropCoordination(spec, old.spec),
  validateCreate: ({ spec }) => checkSpec(spec),
  validateUpdate: ({ spec }) => checkSpec(spec),
  table: {
    row: (object, now) => ({
      cells: [object.metadata.name, object.spec.holderIdentity ?? "", ageOf(object, now)],
    }),
  },
});

/** Drops the fields of coordinated leader election, a feature gate that is off by default. */
function dropCoordination(spec: Draft<LeaseSpec>, old: LeaseSpec = {}): void {
  if (old.strategy === undefined) delete spec.strategy;
  if (old.preferredHolder === undefined) delete spec.preferredHolder;
}

function checkSpec({ leaseDurationSeconds: duration, leaseTransitions }: LeaseSpec): FieldError[] {
  return [
    ...(duration !== undefined && duration <= 0
      ? [fieldErrors.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0")]
      : []),
    ...checkNonNegative(leaseTransitions, "spec.leaseTransitions"),
  ];
}

export const coordinationRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["leases.coordination.k8s.io", lease],
]);
