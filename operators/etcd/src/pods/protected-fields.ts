/** What a template cannot change about a member is put back: flags that belong to the operator, told by variables, and where the data is. */
import { OWN_FLAGS } from "../kinds/index.ts";
import { DATA_PATH } from "./flags.ts";

/** A container of a pod spec that was merged, as far as it matters. */
export interface MergedContainer {
  readonly name: string;
  readonly env?: readonly { readonly name: string }[];
  readonly envFrom?: unknown;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath?: string }[];
}

/**
 * etcd takes every flag from a variable, too, unless it is on the command line, and one may make two clusters of one. What comes from elsewhere
 * as a whole may hold any of them.
 */
export function withoutOperatorFields(container: MergedContainer): MergedContainer {
  const { env = [], envFrom: _envFrom, volumeMounts = [], ...rest } = container;
  const others = volumeMounts.filter(({ name, mountPath = "" }) => name !== DATA && !isWithin(mountPath));
  return {
    ...rest,
    env: env.filter(({ name }) => !isOperatorVariable(name)),
    volumeMounts: [{ name: DATA, mountPath: DATA_PATH }, ...others],
  };
}

/** The name of the member's own volume in its pod. */
const DATA = "data";

function isOperatorVariable(name: string): boolean {
  if (!name.startsWith("ETCD_")) return false;
  const flag = name.slice("ETCD_".length).toLowerCase().replaceAll("_", "-");
  return new RegExp(OWN_FLAGS, "u").test(flag);
}

function isWithin(path: string): boolean {
  const whole = path.replace(/\/+$/u, "");
  return whole === DATA_PATH || whole.startsWith(`${DATA_PATH}/`) || DATA_PATH.startsWith(`${whole}/`);
}

/** All members on one volume, or on none, would be the end of all of them. */
export function withDataVolume(volumes: unknown, own: { readonly name: string }): unknown {
  if (!Array.isArray(volumes)) return [own];
  const others = (volumes as readonly { readonly name: string }[]).filter(({ name }) => name !== own.name);
  return [own, ...others];
}
