/** Paths into a typed value, as template literal types, so that a mistyped path does not compile. */

type Leaf = string | number | boolean | null | undefined;

/** Every dotted path to a field of `T`, not entering lists: `"spec.size" | "spec.storage.class"`. Depth is bounded for the compiler's sake. */
export type Path<T, Depth extends readonly unknown[] = []> = Depth["length"] extends 6
  ? never
  : T extends Leaf | readonly unknown[]
    ? never
    : {
        [K in keyof T & string]: string extends K ? never : K | `${K}.${Path<NonNullable<T[K]>, [...Depth, unknown]>}`;
      }[keyof T & string];

/** Paths that every object has. */
export type MetadataPath =
  | "metadata.name"
  | "metadata.namespace"
  | "metadata.creationTimestamp"
  | "metadata.generation"
  | "metadata.uid";
