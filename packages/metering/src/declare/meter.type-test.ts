/** Mistakes in meters that do not compile. */
import { defineResource, s } from "@capstan/schema";
import { meter } from "./meter.ts";

const Db = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Db",
  spec: s.object({ size: s.int32().default(1), tags: s.array(s.string()).default([]) }),
});
const names = { name: "db", unit: "member" };

meter(Db, { ...names, value: ({ spec }) => spec.size, dimensions: { name: "metadata.name", size: "spec.size" } });
// @ts-expect-error: there is no field sizes
meter(Db, { ...names, value: ({ spec }) => spec.sizes });
// @ts-expect-error: there is no path spec.sizes
meter(Db, { ...names, value: "spec.sizes" });
// @ts-expect-error: a list is no level
meter(Db, { ...names, value: ({ spec }) => spec.tags });
// @ts-expect-error: a dimension is a path of the kind
meter(Db, { ...names, value: "spec.size", dimensions: { zone: "spec.zone" } });
// @ts-expect-error: an event meter reads no object
meter.events({ ...names, value: "spec.size" });
