/** Carries traces across objects: a write leaves its trace on the child, and whoever the child wakes goes on with it. */
import type { KubeObject } from "@capstan/model";
import type { Change } from "../cache/reflector.ts";

/** Where the trace of the last write is, in the form of the W3C: `00-<trace>-<span>-<flags>`. */
export const traceAnnotation = "capstan.dev/traceparent";

/** A span that others can name, as OpenTelemetry has it. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** A context as the annotation holds it. https://www.w3.org/TR/trace-context/#traceparent-header */
export function formatTrace({ traceId, spanId, traceFlags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** A context out of what somebody wrote; undefined where it is none. Versions after 00 may say more at the end. */
export function parseTrace(text: string | undefined): TraceContext | undefined {
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/u.exec(text ?? "");
  const [, traceId = "", spanId = "", flags = ""] = match ?? [];
  if (match === null || /^0+$/u.test(traceId) || /^0+$/u.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** The trace of the write that a change tells: one that was there before belongs to an earlier write. */
export function traceOf({ type, metadata, old }: Change): string | undefined {
  if (type === "removed") return undefined;
  const text = noted({ metadata });
  return text === undefined || (old !== undefined && noted(old) === text) ? undefined : text;
}

function noted({ metadata }: Pick<KubeObject, "metadata">): string | undefined {
  return metadata.annotations?.[traceAnnotation];
}

/** An object with a trace on it, or as it is. */
export function withTrace(object: KubeObject, trace: string | undefined): KubeObject {
  if (trace === undefined) return object;
  const annotations = { ...object.metadata.annotations, [traceAnnotation]: trace };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
