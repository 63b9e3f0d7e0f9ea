/** Meters of an operator. The runtime carries them; the metering service observes what they say. */
import type { Kind } from "@capstan/model";

/**
 * A meter by the name of its Meter object, and the spec of that.
 *
 * @example
 * const isOfObjects = (meter: MeterDeclaration) => meter.kind !== undefined;
 */
export interface MeterDeclaration {
  readonly name: string;
  readonly spec: { readonly type: "level" | "event"; readonly unit: string };
  /** The kind that is counted; absent for what the operator records. */
  readonly kind?: Kind;
}
