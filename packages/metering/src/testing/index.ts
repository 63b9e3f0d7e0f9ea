/** Meters in tests: usage in virtual time. */
export { ObservedUsage } from "./observed-usage.ts";
export type { SeenChange, UsageFilter } from "./observed-usage.ts";
