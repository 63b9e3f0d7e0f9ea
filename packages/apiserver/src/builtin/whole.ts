/** Objects as rules see them: structs that Go has by value are present even if the client did not send them. */
import type { KubeObject } from "@capstan/model";

/** A decoded object: `spec`, `status` and the other parts named are present. */
export type Whole<T extends KubeObject, Part extends keyof T = Extract<keyof T, "spec" | "status">> = T & {
  readonly [P in Part]-?: NonNullable<T[P]>;
};
