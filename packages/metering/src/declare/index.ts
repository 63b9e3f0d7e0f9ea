/** Meters for authors of operators. */
export { meter } from "./meter.ts";
export type {
  DeclareMeter,
  EventMeter,
  EventMeterOptions,
  MeterOptions,
  MeterPath,
  MeterSpec,
  MeterValue,
  ObjectMeter,
} from "./meter.ts";
export { attachSink, record } from "./record.ts";
export type { RecordOptions, UsageEvent, UsageSink } from "./record.ts";
