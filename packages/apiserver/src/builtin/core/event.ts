/** Event: a report about an object, kept for an hour. Stored once, served by the core group and by events.k8s.io. */
import type { Event } from "@capstan/kinds/v1";
import {
  apiErrors,
  byteLength,
  checkDns1123Subdomain,
  fieldErrors,
  isDeepEqual,
  type FieldError,
} from "@capstan/model";
import { checkMetadata, checkMetadataUpdate } from "../../metadata/check.ts";
import { checkUnchanged, checkQualified, invalidEach, isEmpty } from "../meta/checks.ts";
import { toInternal } from "../meta/internal-form.ts";
import { checkChangedMetadata, checkNamespaced } from "../meta/metadata.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { sinceCell } from "../table/cells.ts";
import { eventsGroup, eventVersions, toCoreEvent } from "./event-versions.ts";

const secondsToLive = 60 * 60;

export const eventRules: KindRules<Event> = defineRules<Event>({
  hub: "v1",
  versions: eventVersions,
  // The core group applies only the metadata checks that every kind has.
  name: "path-segment",
  createOnUpdate: true,
  timeToLive: () => secondsToLive,
  deletion: { propagation: "Unsupported" },
  validateCreate(event) {
    const errors = [...checkLegacy(event), ...(isNewStyle(event) ? checkNewStyle(event) : [])];
    // Metadata is checked only if there are no other errors.
    return refuse(event, errors.length > 0 ? errors : checkMetadata(event.metadata, true, "path-segment"));
  },
  validatesMetadata: true,
  validateUpdate(event, old) {
    const errors = [...checkLegacy(event), ...(isNewStyle(event) ? checkNewUpdate(event, old) : [])];
    if (errors.length === 0) return errors;
    const metadata = [
      ...checkMetadata(event.metadata, true, "path-segment"),
      ...checkMetadataUpdate(event.metadata, old.metadata),
    ];
    return refuse(event, [...metadata, ...errors]);
  },
  fields: {
    "involvedObject.kind": ({ involvedObject }) => involvedObject.kind ?? "",
    "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace ?? "",
    "involvedObject.name": ({ involvedObject }) => involvedObject.name ?? "",
    "involvedObject.uid": ({ involvedObject }) => involvedObject.uid ?? "",
    "involvedObject.apiVersion": ({ involvedObject }) => involvedObject.apiVersion ?? "",
    "involvedObject.resourceVersion": ({ involvedObject }) => involvedObject.resourceVersion ?? "",
    "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath ?? "",
    reason: ({ reason = "" }) => reason,
    reportingComponent: ({ reportingComponent = "" }) => reportingComponent,
    source: ({ source, reportingComponent = "" }) => source?.component || reportingComponent,
    type: ({ type = "" }) => type,
  },
  table: { row: (event, now) => ({ cells: cellsOf(isNewStyle(event) ? toCoreEvent(event) : event, now) }) },
});

/** Errors name the kind of the core group, whichever group was used. */
function refuse({ metadata }: Event, errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length > 0) throw apiErrors.invalid({ group: "", kind: "Event" }, metadata.name ?? "", errors);
  return errors;
}

/** The draft still has the apiVersion of the request. */
function isNewStyle({ apiVersion }: Event): boolean {
  return (apiVersion as string) === eventsGroup;
}

const limits = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

function checkLegacy(event: Event): FieldError[] {
  const namespace = event.metadata.namespace ?? "";
  const involved = event.involvedObject.namespace ?? "";
  const hasTime = event.eventTime !== undefined && event.eventTime !== null;
  const isElsewhere = hasTime
    ? involved === "" && namespace !== "default" && namespace !== "kube-system"
    : involved === ""
      ? namespace !== "" && namespace !== "default"
      : namespace !== involved;
  return [
    ...(isElsewhere
      ? [fieldErrors.invalid("involvedObject.namespace", involved, "does not match event.namespace")]
      : []),
    ...(hasTime ? checkReport(event) : []),
    ...invalidEach("namespace", namespace, checkDns1123Subdomain(namespace)),
  ];
}

/** Events with an eventTime must name the reporter and the action. */
function checkReport(event: Event): FieldError[] {
  const path = isNewStyle(event) ? "reportingController" : "reportingComponent";
  const controller = event.reportingComponent ?? "";
  const sized = (field: keyof typeof limits, isRequired: boolean): FieldError[] => {
    const value = event[field] ?? "";
    if (value === "") return isRequired ? [fieldErrors.required(field)] : [];
    if (byteLength(value) <= limits[field]) return [];
    return [fieldErrors.invalid(field, "", `can have at most ${limits[field]} characters`)];
  };
  return [
    ...(controller === "" ? [fieldErrors.required(path)] : []),
    ...checkQualified(controller, path),
    ...sized("reportingInstance", true),
    ...sized("action", true),
    ...sized("reason", true),
    ...sized("message", false),
  ];
}

function checkNewStyle(event: Event): FieldError[] {
  const unset = (field: string, isSet: boolean): FieldError[] =>
    isSet ? [fieldErrors.invalid(field, "", "needs to be unset")] : [];
  return [
    ...checkNamespaced(event),
    ...checkSeries(event),
    ...(isTime(event.eventTime) ? [] : [fieldErrors.required("eventTime")]),
    ...(event.type === "Normal" || event.type === "Warning"
      ? []
      : [fieldErrors.invalid("type", "", `has invalid value: ${event.type ?? ""}`)]),
    ...unset("firstTimestamp", isTime(event.firstTimestamp)),
    ...unset("lastTimestamp", isTime(event.lastTimestamp)),
    ...unset("count", (event.count ?? 0) !== 0),
    ...unset("source", !isEmpty(event.source?.component) || !isEmpty(event.source?.host)),
  ];
}

function isTime(time: string | null | undefined): boolean {
  return time !== undefined && time !== null;
}

function checkSeries({ series }: Event): FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [fieldErrors.invalid("series.count", "", "should be at least 2")] : []),
    ...(isTime(series.lastObservedTime) ? [] : [fieldErrors.required("series.lastObservedTime")]),
  ];
}

function checkNewUpdate(event: Event, old: Event): FieldError[] {
  const same = (field: keyof Event, path: string = field): FieldError[] =>
    checkUnchanged(event[field] ?? "", old[field] ?? "", path);
  return [
    ...checkChangedMetadata(event, old),
    ...(isDeepEqual(event.series, old.series) ? [] : checkSeries(event)),
    ...(isDeepEqual(event.involvedObject, old.involvedObject)
      ? []
      : [
          fieldErrors.invalid(
            "involvedObject",
            toInternal("ObjectReference", event.involvedObject),
            "field is immutable",
          ),
        ]),
    ...same("reason"),
    ...same("message"),
    ...checkUnchanged(shownSource(event.source), shownSource(old.source), "source"),
    ...checkUnchanged(event.firstTimestamp, old.firstTimestamp, "firstTimestamp"),
    ...checkUnchanged(event.lastTimestamp, old.lastTimestamp, "lastTimestamp"),
    ...checkUnchanged(event.count ?? 0, old.count ?? 0, "count"),
    ...same("reason"),
    ...same("type"),
    ...checkUnchanged(event.eventTime, old.eventTime, "eventTime"),
    ...same("action"),
    ...checkUnchanged(shownReference(event.related), shownReference(old.related), "related"),
    ...same("reportingComponent", "reportingController"),
    ...same("reportingInstance"),
  ];
}

function shownSource({ component = "", host = "" }: NonNullable<Event["source"]> = {}): object {
  return { Component: component, Host: host };
}

function shownReference(reference: Event["related"]): unknown {
  return reference === undefined ? undefined : toInternal("ObjectReference", reference);
}

function cellsOf(event: Event, now: number): (string | number)[] {
  const first = sinceCell((event.firstTimestamp ?? event.eventTime) || undefined, now);
  const last = isTime(event.lastTimestamp) ? sinceCell(event.lastTimestamp ?? undefined, now) : first;
  const { series, involvedObject, type = "", reason = "", message = "", count } = event;
  return [
    series === undefined ? last : sinceCell(series.lastObservedTime ?? undefined, now),
    type,
    reason,
    targetCell(involvedObject),
    involvedObject.fieldPath ?? "",
    sourceCell(event),
    message.trim(),
    first,
    series === undefined ? count || 1 : (series.count ?? 0),
    event.metadata.name ?? "",
  ];
}

function targetCell({ kind = "", name }: Event["involvedObject"]): string {
  return isEmpty(name) ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceCell({ source, reportingComponent = "", reportingInstance = "" }: Event): string {
  const component = source?.component || reportingComponent;
  const instance = source?.host || reportingInstance;
  return instance === "" ? component : `${component}, ${instance}`;
}
