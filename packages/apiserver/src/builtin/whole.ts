/** Objects as rules see them: the parts that the server keeps as structures are there even if the client sent none. */
import type { KubeObject } from "@capstan/model";

/** A decoded object: `spec`, `status` and the other parts named are present. */
export type Whole<T extends KubeObject, Part extends keyof T = Extract<keyof T, "spec" | "status">> = T & {
  readonly [P in Part]-?: NonNullable<T[P]>;
};
