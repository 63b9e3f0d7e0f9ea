/** Mistakes that do not compile. */
import type { ApplyOf, ObjectOf } from "@capstan/model";
import { defineResource } from "./resource.ts";
import { s } from "./s.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<T extends true>(_proof?: T): void {}

const Cache = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Cache",
  spec: s.object({
    size: s.int32().default(1),
    image: s.string(),
    zone: s.enum("a", "b").optional(),
    tags: s.array(s.string()).default([]),
  }),
  status: s.object({ nodes: s.array(s.string()).default([]) }),
  conditions: { Available: "it answers" },
  columns: { Size: "spec.size", Ready: "condition:Available" },
});

type Read = ObjectOf<typeof Cache>;
holds<
  Equal<
    Read["spec"],
    { readonly size: number; readonly image: string; readonly tags: readonly string[]; readonly zone?: "a" | "b" }
  >
>();
holds<Equal<NonNullable<Read["status"]>["nodes"], readonly string[] | undefined>>();

type Written = NonNullable<ApplyOf<typeof Cache>["spec"]>;
holds<Equal<Written["size"], number | undefined>>();
const written: Written = { image: "x" };
// @ts-expect-error: size is a number
const wrongSize: Written = { image: "x", size: [] };
// @ts-expect-error: image is required
const withoutImage: Written = { size: 1 };
// @ts-expect-error: zone is a or b
const wrongZone: Written = { image: "x", zone: "c" };
void [written, wrongSize, withoutImage, wrongZone];

declare const read: Read;
// @ts-expect-error: objects from the cache cannot be changed
read.spec.size = 2;
// @ts-expect-error: nor can lists in them
read.spec.tags.push("x");

const names = { group: "example.com", version: "v1", kind: "A" } as const;
// @ts-expect-error: there is no field spec.sise
const Mistaken = defineResource({ ...names, spec: s.object({ size: s.int32() }), columns: { Size: "spec.sise" } });
// One mistake is one error: code that uses the resource still has its type.
holds<Equal<ObjectOf<typeof Mistaken>["spec"], { readonly size: number }>>();
// @ts-expect-error: Ready was not declared as a condition
defineResource({ ...names, spec: s.object({}), conditions: { Available: "" }, columns: { Ready: "condition:Ready" } });
// @ts-expect-error: a default must have the type of its field
s.int32().default("one");
// @ts-expect-error: items have no field named id
s.array(s.object({ name: s.string() })).map("id");

const v1 = s.object({ size: s.int32() });
const v2 = s.object({ replicas: s.int32() });
defineResource({
  group: "example.com",
  kind: "W",
  versions: { v1: { spec: v1 }, v2: { spec: v2, storage: true } },
  // @ts-expect-error: the way back from v2 to v1 is missing
  convert: { "v1->v2": ({ size }: { readonly size: number }) => ({ replicas: size }) },
});
defineResource({
  group: "example.com",
  kind: "W",
  versions: { v1: { spec: v1 }, v2: { spec: v2, storage: true } },
  // @ts-expect-error: v2 has replicas, not size
  convert: { "v1->v2": ({ size }) => ({ size }), "v2->v1": ({ replicas }) => ({ size: replicas }) },
});

const convert = {
  "v1->v2": ({ size }: { readonly size: number }) => ({ replicas: size }),
  "v2->v1": ({ replicas }: { readonly replicas: number }) => ({ size: replicas }),
};
defineResource({
  group: "example.com",
  kind: "W",
  versions: {
    v1: { spec: v1, columns: { Size: "spec.size" } },
    v2: { spec: v2, storage: true, columns: { Size: "spec.replicas", Ready: "condition:Ready" } },
  },
  conditions: { Ready: "it is" },
  convert,
});
defineResource({
  group: "example.com",
  kind: "W",
  versions: {
    v1: { spec: v1 },
    // @ts-expect-error: size is a field of v1
    v2: { spec: v2, storage: true, columns: { Size: "spec.size" } },
  },
  convert,
});

const Lenient = defineResource({
  ...names,
  spec: s.object({ size: s.int32() }).optional(),
  columns: { Size: "spec.size" },
});
declare const lenient: ObjectOf<typeof Lenient>;
holds<Equal<(typeof lenient)["spec"], { readonly size: number } | undefined>>();
// @ts-expect-error: the spec may be missing
lenient.spec.size.toFixed();
// @ts-expect-error: a text is no spec
defineResource({ ...names, spec: s.string() });
const status = s.object({ phase: s.string() });
defineResource({ ...names, spec: s.object({}), status, statusRequired: ["phase"] });
// @ts-expect-error: there is no field fase
defineResource({ ...names, spec: s.object({}), status, statusRequired: ["fase"] });
defineResource({ ...names, spec: s.object({}), columns: { Any: { jsonPath: ".spec['x']", type: "string" } } });
// @ts-expect-error: nobody knows the type of what a JSONPath finds
defineResource({ ...names, spec: s.object({}), columns: { Any: { jsonPath: ".spec.x" } } });
