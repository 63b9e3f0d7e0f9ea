/** Which ClusterServiceVersion replaces which, within one namespace. */
import type { ClusterServiceVersion } from "../kinds/csv.ts";

type Csv = ClusterServiceVersion;

/** The existing one that another replaces. */
export function replacedBy({ spec, metadata }: Csv, all: readonly Csv[]): Csv | undefined {
  if (spec.replaces === undefined || spec.replaces === "" || spec.replaces === metadata.name) return undefined;
  return all.find((other) => other.metadata.name === spec.replaces);
}

/** The one that replaces another. */
export function replacementOf({ metadata }: Csv, all: readonly Csv[]): Csv | undefined {
  return all.find(({ spec, metadata: own }) => spec.replaces === metadata.name && own.name !== metadata.name);
}

/** The last one in the chain of replacements that begins with this one; undefined if the chain is a cycle. */
export function lastReplacement(start: Csv, all: readonly Csv[]): Csv | undefined {
  const seen = new Set<string>();
  let last = start;
  for (;;) {
    if (seen.has(last.metadata.name)) return undefined;
    seen.add(last.metadata.name);
    const next = replacementOf(last, all);
    if (next === undefined) return last;
    last = next;
  }
}

/** The names of the chain around one: what it replaces, directly or not, and what replaces it. */
export function replacementChain(csv: Csv, all: readonly Csv[]): ReadonlySet<string> {
  const names = new Set([csv.metadata.name]);
  const walk = (step: (from: Csv) => Csv | undefined): void => {
    for (let next = step(csv); next !== undefined && !names.has(next.metadata.name); next = step(next)) {
      names.add(next.metadata.name);
    }
  };
  walk((from) => replacementOf(from, all));
  walk((from) => replacedBy(from, all));
  return names;
}

/** Whether another operator of the namespace, outside the chain, owns one of the CRDs. */
export function hasCrdConflict(csv: Csv, all: readonly Csv[]): boolean {
  const chain = replacementChain(csv, all);
  const owned = new Set(csv.spec.customresourcedefinitions?.owned?.map(({ name }) => name));
  return all.some(
    ({ metadata, spec }) =>
      !chain.has(metadata.name) && spec.customresourcedefinitions?.owned?.some(({ name }) => owned.has(name)) === true,
  );
}

/** Whether one is a copy of an operator in another namespace. */
export function isCopied({ metadata, status }: Csv): boolean {
  const home = metadata.annotations?.["olm.operatorNamespace"];
  return (
    status?.reason === "Copied" ||
    metadata.labels?.["olm.copiedFrom"] !== undefined ||
    (home !== undefined && home !== metadata.namespace)
  );
}
