/** The type of a pod security check, and helpers for its messages. */
import type { Container, Pod } from "@capstan/kinds/v1";

/** The checked pod, or the pod of a template. */
export interface Checked {
  readonly annotations: { readonly [key: string]: string };
  readonly spec: NonNullable<Pod["spec"]>;
  readonly containers: readonly Container[];
  readonly security: NonNullable<NonNullable<Pod["spec"]>["securityContext"]>;
}

/** Why a pod is rejected: short reason and detail. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** The versions of a check, the newest last. */
export interface Check {
  readonly id: string;
  readonly versions: readonly {
    readonly since: number;
    /** Checks of the level `baseline` that this one replaces. */
    readonly overrides?: string;
    check(pod: Checked): Violation | undefined;
  }[];
}

/** `"a", "b"`; quotes inside names are not escaped. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** The unique values, sorted and quoted. */
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

/** What violates the check: the pod, some containers, or both. */
export function setters(isPod: boolean, containers: readonly Container[]): string {
  const all = [...(isPod ? ["pod"] : []), ...(containers.length > 0 ? [containersNamed(containers)] : [])];
  return all.join(" and ");
}

/** Whether the pod has its own user namespace, so its users are not those of the node. */
export function hasOwnUsers({ spec }: Checked): boolean {
  return spec.hostUsers === false;
}

export function isWindows({ spec }: Checked): boolean {
  return spec.os?.name === "windows";
}
