/** Observes the kinds that the meters of an operator count, in a world of virtual time. */
import type { ApiServer } from "@capstan/apiserver";
import { attachSink, type EventMeter, type ObjectMeter } from "@capstan/metering/declare";
import { ObservedUsage, type UsageFilter } from "@capstan/metering/testing";
import type { MeterDeclaration, Operator } from "@capstan/runtime";
import type { VirtualClock } from "@capstan/runtime/testing";

/** The usage of a world. */
export interface WorldUsage {
  readonly of: (meter: ObjectMeter | EventMeter, filter?: UsageFilter) => string;
  /** Observes no longer. */
  readonly end: () => void;
}

interface World {
  readonly server: Pick<ApiServer, "store">;
  readonly clock: VirtualClock;
}

/** Begins to observe what an operator meters. */
export function startUsage(operator: Operator | (() => Operator), { server, clock }: World): WorldUsage {
  const observed = new ObservedUsage(() => clock.wall());
  const ends = [attachSink(observed.sink)];
  const { definition } = typeof operator === "function" ? operator() : operator;
  for (const { kind } of (definition.meters ?? []).filter(isOfObjects)) {
    if (!observed.begin(kind)) continue;
    // The store tells of changes at the moment of the write: no watch delays them.
    const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
    ends.push(server.store.listen(resource, ({ type, entry }) => observed.seen({ type, object: entry.object })));
  }
  return { of: (meter, filter) => observed.of(meter, filter), end: () => ends.forEach((end) => end()) };
}

function isOfObjects(
  meter: MeterDeclaration,
): meter is MeterDeclaration & { readonly kind: NonNullable<MeterDeclaration["kind"]> } {
  return meter.kind !== undefined;
}
