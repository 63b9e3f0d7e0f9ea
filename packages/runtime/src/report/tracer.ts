/** Traces for a tracer of the user: the used part of OpenTelemetry's API, so that no dependency is needed. */
import type { TraceContext } from "../trigger/trace.ts";

/**
 * A started span. OpenTelemetry's `Span` is compatible.
 *
 * @example
 * const finish = (span: Span, error?: Error) => {
 *   if (error !== undefined) span.recordException(error);
 *   span.end();
 * };
 */
export interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  recordException(error: Error): unknown;
  end(): void;
  spanContext(): TraceContext;
}

export interface SpanOptions {
  readonly attributes?: { readonly [name: string]: string | number | boolean };
  /** Spans that this one follows from. */
  readonly links?: { readonly context: TraceContext }[];
}

/**
 * Starts spans. OpenTelemetry's `Tracer` is compatible.
 *
 * @example
 * const named = (tracer: Tracer): Tracer => ({
 *   startSpan: (name, options, parent) => tracer.startSpan(`memcached ${name}`, options, parent),
 * });
 */
export interface Tracer {
  startSpan(name: string, options?: SpanOptions, parent?: ParentContext): Span;
}

/** OpenTelemetry's `Context`: values by key, from which a tracer reads the parent span. */
export interface ParentContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): ParentContext;
  deleteValue(key: symbol): ParentContext;
}

/** The key of the span in a context of OpenTelemetry's API. It is registered globally, for all copies of the API. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** A context in which a span of another process, or of an earlier reconcile, is the parent. */
export function parentContext(trace: TraceContext): ParentContext {
  const remote = { ...trace, isRemote: true };
  return contextOf(new Map([[SPAN, { spanContext: () => remote, isRecording: () => false }]]));
}

function contextOf(values: ReadonlyMap<symbol, unknown>): ParentContext {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextOf(new Map([...values, [key, value]])),
    deleteValue: (key) => contextOf(new Map([...values].filter(([other]) => other !== key))),
  };
}
