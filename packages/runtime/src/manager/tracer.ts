/** Traces, for whoever hands in a tracer: the two methods of OpenTelemetry's API that are used, so that no package is needed for them. */

/** A span that was begun. OpenTelemetry's `Span` is one. */
export interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  recordException(error: Error): unknown;
  end(): void;
}

/** Begins spans. OpenTelemetry's `Tracer` is one. */
export interface Tracer {
  startSpan(
    name: string,
    options?: { readonly attributes?: { readonly [name: string]: string | number | boolean } },
  ): Span;
}
