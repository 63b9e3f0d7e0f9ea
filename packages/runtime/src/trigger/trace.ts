/** Carries traces across objects: a write leaves its trace on the child, and the reconcile that the child triggers continues it. */
import type { KubeObject } from "@capstan/model";
import type { Change } from "../cache/change.ts";

/** The annotation with the trace of the last write, in the W3C format: `00-<trace>-<span>-<flags>`. */
export const traceAnnotation = "capstan.dev/traceparent";

/** The identifiers of a span, as in OpenTelemetry. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** A context in the format of the annotation. https://www.w3.org/TR/trace-context/#traceparent-header */
export function formatTrace({ traceId, spanId, traceFlags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Parses the annotation; undefined if it is invalid. Versions after 00 may have more at the end. */
export function parseTrace(text: string | undefined): TraceContext | undefined {
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/u.exec(text ?? "");
  const [, traceId = "", spanId = "", flags = ""] = match ?? [];
  if (match === null || /^0+$/u.test(traceId) || /^0+$/u.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** The trace of the write behind a change: an unchanged annotation belongs to an earlier write. */
export function traceOf({ type, metadata, old }: Change): string | undefined {
  if (type === "removed") return undefined;
  const text = noted({ metadata });
  return text === undefined || (old !== undefined && noted(old) === text) ? undefined : text;
}

function noted({ metadata }: Pick<KubeObject, "metadata">): string | undefined {
  return metadata.annotations?.[traceAnnotation];
}

/** The object with a trace annotation; unchanged if there is no trace. */
export function withTrace(object: KubeObject, trace: string | undefined): KubeObject {
  if (trace === undefined) return object;
  const annotations = { ...object.metadata.annotations, [traceAnnotation]: trace };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
