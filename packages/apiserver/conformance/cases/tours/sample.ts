/** A valid object of every kind that the server does not change by itself, with its paths. */
import { fuzzedKinds } from "../../../test/fuzz/kinds.ts";
import { del, post, type Step } from "../../case.ts";
import type { Part } from "../explored/widget.ts";

/** An object of a kind, and its paths. */
export interface Sample {
  /** Includes the version if the kind has two. */
  readonly title: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly at: string;
  readonly name: string;
  readonly isNamespaced: boolean;
  readonly subresources: readonly string[];
  readonly object: Part & { readonly metadata: Part };
  readonly make: Step;
  /** Deletes a cluster-scoped object, which is not deleted with the namespace of the case. */
  readonly clean: readonly Step[];
}

/** Selects the objects of a case. */
export const mine = "labelSelector=sel%3D{ns}";

/** All samples. Kinds that the server itself changes soon after creation are left out. */
export const samples: readonly Sample[] = fuzzedKinds
  .filter(({ writtenBy, kind }) => writtenBy !== "server" && kind !== "Namespace")
  .map(({ apiVersion, kind, path, name, base, subresources }) => {
    const at = `${path}/${name}`;
    const given = (base["metadata"] ?? {}) as Part;
    const labels = { ...(given["labels"] as Part | undefined), sel: "{ns}" };
    const object = { apiVersion, kind, ...base, metadata: { ...given, name, labels } };
    const isNamespaced = path.includes("/namespaces/{ns}/");
    return {
      title: `${apiVersion} ${kind}`,
      apiVersion,
      kind,
      path,
      at,
      name,
      isNamespaced,
      subresources,
      object,
      make: post(path, object, { quiet: true }),
      clean: isNamespaced ? [] : [del(`${at}?gracePeriodSeconds=0`, undefined, { quiet: true })],
    };
  });

/** One case for every kind. */
export function ofEvery(casesOf: (sample: Sample) => readonly Step[] | undefined): { [name: string]: readonly Step[] } {
  return Object.fromEntries(
    samples.flatMap((sample) => {
      const steps = casesOf(sample);
      return steps === undefined ? [] : [[sample.title, steps] as const];
    }),
  );
}

/** The value with every number incremented and every boolean negated; strings stay, as they may be names. */
export function altered(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return value.map(altered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, altered(part)]));
}
