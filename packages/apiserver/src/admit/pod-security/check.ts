/** What a check of pod security is, and the words that checks share. */
import type { Container, Pod } from "@capstan/kinds/v1";

/** What is checked: a pod, or the pod that a template stands for. */
export interface Checked {
  readonly annotations: { readonly [key: string]: string };
  readonly spec: NonNullable<Pod["spec"]>;
  readonly containers: readonly Container[];
  readonly security: NonNullable<NonNullable<Pod["spec"]>["securityContext"]>;
}

/** Why a pod is not allowed: in brief, and in detail. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** A check at the versions from which it holds, the newest last. */
export interface Check {
  readonly id: string;
  readonly versions: readonly {
    readonly since: number;
    /** Checks of the lower level that this one stands for. */
    readonly overrides?: string;
    check(pod: Checked): Violation | undefined;
  }[];
}

/** `"a", "b"`; what is quoted inside stays as it is. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** The values, each once, in order, quoted. */
export function quotedSet(values: readonly string[]): string {
  return quoted(sortedSet(values));
}

export function sortedSet(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** `container "a"`, `containers "a", "b"`. */
export function containersNamed(containers: readonly Container[]): string {
  return `${counted("container", containers.length)} ${quoted(containers.map(({ name }) => name))}`;
}

export function counted(singular: string, count: number): string {
  return count === 1 ? singular : `${singular}s`;
}

/** Who set something wrong: the pod, some containers, or both. */
export function setters(isPod: boolean, containers: readonly Container[]): string {
  const all = [...(isPod ? ["pod"] : []), ...(containers.length > 0 ? [containersNamed(containers)] : [])];
  return all.join(" and ");
}

/** Users of a pod with its own user namespace are not those of the node. */
export function hasOwnUsers({ spec }: Checked): boolean {
  return spec.hostUsers === false;
}

export function isWindows({ spec }: Checked): boolean {
  return spec.os?.name === "windows";
}
