/** PriorityLevelConfiguration: the concurrency of a level, and whether further requests are queued or rejected. */
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration as PriorityLevelObject,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from "@capstan/kinds/flowcontrol.apiserver.k8s.io/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkObjectMetadata } from "../../metadata/check.ts";
import type { Draft } from "../draft.ts";
import { requireOneOf } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { keepMetadata } from "../storage/keep-metadata.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { tellSchemasOf } from "./dangling.ts";
import { checkFixedLevel } from "./fixed.ts";
import { checkTypes } from "./flow-schema.ts";

type PriorityLevel = Whole<PriorityLevelObject>;

const preserveZero = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

export const priorityLevel: KindRules<PriorityLevel> = defineRules<PriorityLevel>({
  validatesMetadata: true,
  defaults: ({ spec }) => setDefaults(spec),
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
  },
  prepareForUpdate(draft, old) {
    bumpGeneration(draft, old);
    keepField(draft, old, "status");
  },
  validateCreate: checkPriorityLevel,
  validateUpdate: checkPriorityLevel,
  stored: tellSchemasOf,
  subresources: {
    status: statusView<PriorityLevel>({
      resetFields: ["metadata", "spec"],
      prepare: keepMetadata,
      validate: ({ status }) => checkTypes(status.conditions ?? []),
    }),
  },
  table: {
    row: (object, now) => {
      const { limited, type } = object.spec;
      const { queues, handSize, queueLengthLimit } = limited?.limitResponse?.queuing ?? {};
      const shown = [limited?.nominalConcurrencyShares, queues, handSize, queueLengthLimit];
      return {
        cells: [object.metadata.name, type, ...shown.map((value) => value ?? "<none>"), ageOf(object, now)],
      };
    },
  },
});

function setDefaults({ exempt, limited }: Draft<PriorityLevelConfigurationSpec>): void {
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (!limited) return;
  limited.nominalConcurrencyShares ??= 30;
  limited.lendablePercent ??= 0;
  const queuing = limited.limitResponse?.queuing;
  if (!queuing) return;
  if (!queuing.handSize) queuing.handSize = 8;
  if (!queuing.queues) queuing.queues = 64;
  if (!queuing.queueLengthLimit) queuing.queueLengthLimit = 50;
}

function checkPriorityLevel(object: PriorityLevel): FieldError[] {
  const { metadata, spec, status } = object;
  const isMarked = metadata.annotations?.[preserveZero] !== undefined;
  return [
    ...checkObjectMetadata(object, false, "dns-subdomain"),
    ...(isMarked ? [fieldErrors.forbidden("metadata.annotations", `annotation '${preserveZero}' is forbidden`)] : []),
    ...checkSpec(spec, metadata.name),
    ...checkFixedLevel(metadata.name, spec),
    ...checkTypes(status?.conditions ?? []),
  ];
}

function checkSpec(spec: PriorityLevelConfigurationSpec, name: string): FieldError[] {
  const isMisnamed = (name === "exempt") !== (spec.type === "Exempt");
  return [
    ...(isMisnamed
      ? [fieldErrors.invalid("spec.type", spec.type, "must be 'Exempt' if and only if `name` is 'exempt'")]
      : []),
    ...checkKind(spec),
  ];
}

function checkKind({ type, exempt, limited }: PriorityLevelConfigurationSpec): FieldError[] {
  switch (type) {
    case "Exempt":
      return [
        ...(limited === undefined
          ? []
          : [fieldErrors.forbidden("spec.limited", "must be nil if the type is not Limited")]),
        ...(exempt === undefined ? [] : checkShares(exempt, "spec.exempt")),
        ...(exempt === undefined ? [] : checkLendable(exempt.lendablePercent, "spec.exempt.lendablePercent")),
      ];
    case "Limited":
      return [
        ...(exempt === undefined ? [] : [fieldErrors.forbidden("spec.exempt", "must be nil if the type is Limited")]),
        ...(limited === undefined
          ? [fieldErrors.required("spec.limited", "must not be empty when type is Limited")]
          : checkLimited(limited, "spec.limited")),
      ];
    default:
      return requireOneOf(type, "spec.type", ["Exempt", "Limited"]);
  }
}

function checkShares(
  { nominalConcurrencyShares: shares = 0 }: LimitedPriorityLevelConfiguration,
  path: string,
): FieldError[] {
  if (shares >= 0) return [];
  return [fieldErrors.invalid(`${path}.nominalConcurrencyShares`, shares, "must be a non-negative integer")];
}

function checkLendable(percent = 0, path: string): FieldError[] {
  return percent >= 0 && percent <= 100
    ? []
    : [fieldErrors.invalid(path, percent, "must be between 0 and 100, inclusive")];
}

function checkLimited(limited: LimitedPriorityLevelConfiguration, path: string): FieldError[] {
  const { limitResponse, lendablePercent, borrowingLimitPercent: borrowed = 0 } = limited;
  const why = "if specified, must be a non-negative integer";
  return [
    ...checkShares(limited, path),
    ...checkResponse(limitResponse ?? { type: "" }, `${path}.limitResponse`),
    ...checkLendable(lendablePercent, `${path}.lendablePercent`),
    ...(borrowed < 0 ? [fieldErrors.invalid(`${path}.borrowingLimitPercent`, borrowed, why)] : []),
  ];
}

function checkResponse({ type, queuing }: LimitResponse, path: string): FieldError[] {
  const at = `${path}.queuing`;
  switch (type) {
    case "Reject":
      if (queuing === undefined) return [];
      return [fieldErrors.forbidden(at, "must be nil if limited.limitResponse.type is not Limited")];
    case "Queue":
      if (queuing !== undefined) return checkQueuing(queuing, at);
      return [fieldErrors.required(at, "must not be empty if limited.limitResponse.type is Limited")];
    default:
      return requireOneOf(type, `${path}.type`, ["Queue", "Reject"]);
  }
}

const maxQueues = 10_000_000;
const maxBits = 60;

function checkQueuing(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: QueuingConfiguration,
  path: string,
): FieldError[] {
  const tooMany = queues > maxQueues ? `must not be greater than ${maxQueues}` : undefined;
  const queueProblem = queues <= 0 ? "must be positive" : tooMany;
  const handProblem = handSize <= 0 ? "must be positive" : handSizeProblem(handSize, queues);
  return [
    ...(queueLengthLimit <= 0
      ? [fieldErrors.invalid(`${path}.queueLengthLimit`, queueLengthLimit, "must be positive")]
      : []),
    ...(queueProblem === undefined ? [] : [fieldErrors.invalid(`${path}.queues`, queues, queueProblem)]),
    ...(handProblem === undefined ? [] : [fieldErrors.invalid(`${path}.handSize`, handSize, handProblem)]),
  ];
}

/** Shuffle sharding uses a hash with a limited number of bits, which bounds the hand size. */
function handSizeProblem(handSize: number, queues: number): string | undefined {
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  let bits = 0;
  for (let card = 0; card < handSize && bits <= maxBits; card++) bits += Math.log2(queues - card);
  if (Math.ceil(bits) <= maxBits) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxBits}`;
}
