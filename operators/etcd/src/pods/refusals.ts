/** What a template may not say: flags that belong to the operator, told by variables, and another place for the data. */
import { OWN_FLAGS } from "../kinds/index.ts";
import { DATA_PATH } from "./flags.ts";
import { claimName } from "./names.ts";

/** A container of a pod spec that was merged, as far as it matters. */
export interface MergedContainer {
  readonly name: string;
  readonly env?: readonly { readonly name: string }[];
  readonly envFrom?: unknown;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath?: string; readonly subPath?: string }[];
}

interface MergedVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
}

/** etcd takes every flag from a variable, too, unless it is on the command line: one may make two clusters of one. */
export function refuseOwn(container: MergedContainer): MergedContainer {
  const { env = [], envFrom, volumeMounts = [] } = container;
  const own = env.find(({ name }) => isOwnVariable(name))?.name;
  if (own !== undefined)
    throw new Error(`spec.podTemplate sets ${own} of the container etcd, which belongs to the operator: leave it out`);
  if (envFrom !== undefined)
    throw new Error(
      "spec.podTemplate has envFrom for the container etcd, which may set flags that belong to the operator: name single variables in env",
    );
  const isElsewhere = volumeMounts.some(({ name, mountPath = "", subPath }) =>
    name === "data" ? mountPath !== DATA_PATH || subPath !== undefined : isWithin(mountPath),
  );
  if (isElsewhere)
    throw new Error(`spec.podTemplate moves ${DATA_PATH} of the container etcd, which is the member's volume`);
  return container;
}

function isOwnVariable(name: string): boolean {
  if (!name.startsWith("ETCD_")) return false;
  const flag = name.slice("ETCD_".length).toLowerCase().replaceAll("_", "-");
  return new RegExp(OWN_FLAGS, "u").test(flag);
}

function isWithin(path: string): boolean {
  return path === DATA_PATH || path.startsWith(`${DATA_PATH}/`) || DATA_PATH.startsWith(`${path.replace(/\/$/u, "")}/`);
}

/** All members on one volume, or on none, would be the end of all of them. */
export function refuseForeignData({ volumes }: { readonly volumes?: unknown }, member: string): void {
  const all = Array.isArray(volumes) ? (volumes as readonly MergedVolume[]) : [];
  const data = all.filter(({ name }) => name === "data");
  const isOurs =
    data.length === 1 &&
    data.every((one) => Object.keys(one).length === 2 && one.persistentVolumeClaim?.claimName === claimName(member));
  if (!isOurs)
    throw new Error("spec.podTemplate changes the volume data, which is the member's own: give yours another name");
}
