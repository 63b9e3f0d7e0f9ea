/** Restores what a pod template may not change about a member: reserved flags in variables, and the data volume. */
import { OWN_FLAGS } from "../kinds/index.ts";
import { DATA_PATH } from "./flags.ts";

/** The fields of a merged container that matter here. */
export interface MergedContainer {
  readonly name: string;
  readonly env?: readonly { readonly name: string }[];
  readonly envFrom?: unknown;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath?: string }[];
}

/**
 * etcd also reads every flag from a variable, unless it is on the command line, and some flags could split the cluster. `envFrom` may
 * contain any of them, so it is removed.
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

/** The name of the data volume. */
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

/** All members on one shared volume, or on none, would lose their data. */
export function withDataVolume(volumes: unknown, own: { readonly name: string }): unknown {
  if (!Array.isArray(volumes)) return [own];
  const others = (volumes as readonly { readonly name: string }[]).filter(({ name }) => name !== own.name);
  return [own, ...others];
}
