/** CronJob: creates jobs on a schedule. */
import type { CronJob as CronJobObject, CronJobSpec, JobSpec } from "@capstan/kinds/batch/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { nameWarnings } from "../apps/workload.ts";
import { checkNonNegative, isEmpty, requireOneOf } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { dropDisabledFields } from "../pod-template/template.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf, containerCells, selectorCell, sinceCell } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { isTimeZone, scheduleProblem } from "./cron-schedule.ts";
import { checkJobSpec, jobSpecWarnings } from "./job-spec.ts";
import { defaultJobSpec } from "./job.ts";

type Spec = CronJobSpec & { readonly jobTemplate: { readonly spec: JobSpec } };
type CronJob = Whole<CronJobObject> & { readonly spec: Spec };

const maxNameLength = 52;

export const cronJob: KindRules<CronJob> = defineRules<CronJob>({
  defaults({ spec }) {
    if (isEmpty(spec.concurrencyPolicy)) spec.concurrencyPolicy = "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    defaultJobSpec(spec.jobTemplate.spec);
  },
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
    dropDisabledFields(draft.spec.jobTemplate.spec.template.spec);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    dropDisabledFields(draft.spec.jobTemplate.spec.template.spec, old.spec.jobTemplate.spec.template.spec);
    bumpGeneration(draft, old);
  },
  validateCreate: ({ metadata, spec }) => [
    ...checkSpec(spec),
    ...(metadata.name.length > maxNameLength
      ? [fieldErrors.invalid("metadata.name", metadata.name, `must be no more than ${maxNameLength} characters`)]
      : []),
  ],
  validateUpdate: ({ spec }, old) => checkSpec(spec, old.spec),
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? nameWarnings(metadata.name) : []),
    ...(old === undefined || old.metadata.generation !== metadata.generation
      ? jobSpecWarnings(spec.jobTemplate.spec, "spec.jobTemplate.spec")
      : []),
    ...(old !== undefined && spec.schedule.includes("TZ")
      ? [
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
        ]
      : []),
  ],
  subresources: { status: statusView<CronJob>({ validatesMetadata: true }) },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = object;
      const template = spec.jobTemplate.spec;
      return {
        cells: [
          metadata.name,
          spec.schedule,
          spec.timeZone ?? "<none>",
          spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
          (status.active ?? []).length,
          status.lastScheduleTime === undefined ? "<none>" : sinceCell(status.lastScheduleTime, now),
          ageOf(object, now),
          ...containerCells(template.template.spec?.containers ?? []),
          selectorCell(template.selector),
        ],
      };
    },
  },
});

function checkSpec(spec: Spec, old?: Spec): FieldError[] {
  return [
    ...checkSchedule(spec, old),
    ...checkNonNegative(spec.startingDeadlineSeconds, "spec.startingDeadlineSeconds"),
    ...(old === undefined || old.timeZone !== spec.timeZone ? checkTimeZone(spec.timeZone, "spec.timeZone") : []),
    ...requireOneOf(spec.concurrencyPolicy, "spec.concurrencyPolicy", ["Allow", "Forbid", "Replace"]),
    ...checkTemplate(spec.jobTemplate.spec, "spec.jobTemplate.spec", old),
    ...checkNonNegative(spec.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit"),
    ...checkNonNegative(spec.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit"),
  ];
}

function checkSchedule({ schedule, timeZone }: Spec, old: Spec | undefined): FieldError[] {
  const path = "spec.schedule";
  if (schedule === "") return [fieldErrors.required(path)];
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [fieldErrors.invalid(path, schedule, problem)];
  if (!schedule.includes("TZ")) return errors;
  if (old?.schedule.includes("TZ") !== true) {
    const why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    return [...errors, fieldErrors.invalid(path, schedule, why)];
  }
  if (timeZone === undefined) return errors;
  return [
    ...errors,
    fieldErrors.invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"),
  ];
}

const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

function checkTimeZone(zone: string | undefined, path: string): FieldError[] {
  if (zone === undefined) return [];
  if (zone === "") return [fieldErrors.invalid(path, zone, "timeZone must be nil or non-empty string")];
  const isNamed = zone
    .split("/")
    .every((part) => part !== "." && part !== ".." && !part.startsWith("-") && zonePart.test(part));
  const unknown = `unknown time zone ${zone}`;
  if (!isNamed) return [fieldErrors.invalid(path, fieldErrors.named(zone), unknown)];
  const explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [
    ...(zone.toLowerCase() === "local" ? [fieldErrors.invalid(path, fieldErrors.named(zone), explicit)] : []),
    ...(zone === "Local" || isTimeZone(zone) ? [] : [fieldErrors.invalid(path, fieldErrors.named(zone), unknown)]),
  ];
}

function checkTemplate(spec: JobSpec, path: string, old: Spec | undefined): FieldError[] {
  const { selector, manualSelector } = spec;
  return [
    ...checkJobSpec(spec, path, old?.jobTemplate.spec.template),
    ...(selector === undefined
      ? []
      : [fieldErrors.invalid(`${path}.selector`, selector, "`selector` will be auto-generated")]),
    ...(manualSelector === true
      ? [fieldErrors.notSupported(`${path}.manualSelector`, manualSelector, ["nil", "false"])]
      : []),
  ];
}
