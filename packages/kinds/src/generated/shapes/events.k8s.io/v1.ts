import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { EventSource, EventSourceApply, ObjectReference, ObjectReferenceApply } from "../v1.ts";

export interface Event {
  readonly action?: string;
  readonly apiVersion: "events.k8s.io/v1";
  readonly deprecatedCount?: number;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedSource?: EventSource;
  readonly eventTime: string;
  readonly kind: "Event";
  readonly metadata: StoredMeta;
  readonly note?: string;
  readonly reason?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly series?: EventSeries;
  readonly type?: string;
}

export interface EventApply {
  readonly action?: string;
  readonly apiVersion?: "events.k8s.io/v1";
  readonly deprecatedCount?: number;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedSource?: EventSourceApply;
  readonly eventTime?: string;
  readonly kind?: "Event";
  readonly metadata?: ObjectMeta;
  readonly note?: string;
  readonly reason?: string;
  readonly regarding?: ObjectReferenceApply;
  readonly related?: ObjectReferenceApply;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly series?: EventSeriesApply;
  readonly type?: string;
}

export type EventList = KubeList<Event>;

export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}

export interface EventSeriesApply {
  readonly count?: number;
  readonly lastObservedTime?: string;
}
