/** Objects of manifests, and their labels. */
import type { KubeObject } from "@capstan/model";
import type { Program } from "./program.ts";

/** An object of a manifest. */
export type Manifest = KubeObject & { readonly [field: string]: unknown };

/** The labels of everything that belongs to an operator. */
export function labelsOf({ name }: Pick<Program, "name">): { readonly [key: string]: string } {
  return { "app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "capstan" };
}
