/** Profiles: presets of resources, volume size and quota. */
import { parseQuantity, quantityToInteger } from "capstan";

export interface Profile {
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly limits: { readonly memory: string };
  readonly storage: string;
  /** Bytes of the database: a third of the volume is left for logs and defragmentation. */
  readonly quota: number;
}

const GIB = 2 ** 30;

export const PROFILES: { readonly [name in "small" | "medium" | "large"]: Profile } = {
  small: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "1Gi" }, storage: "4Gi", quota: 2 * GIB },
  medium: { requests: { cpu: "500m", memory: "1Gi" }, limits: { memory: "4Gi" }, storage: "12Gi", quota: 4 * GIB },
  large: { requests: { cpu: "2", memory: "4Gi" }, limits: { memory: "16Gi" }, storage: "32Gi", quota: 8 * GIB },
};

/** The quota of the databases: from the option, or the profile. */
export function quotaOf(spec: {
  readonly profile: keyof typeof PROFILES;
  readonly options: { readonly [flag: string]: string };
}): number {
  const flag = Number(spec.options["quota-backend-bytes"]);
  return flag > 0 ? flag : PROFILES[spec.profile].quota;
}

/** A quantity in whole bytes. */
export function toBytes(quantity: string | number): number {
  return Number(quantityToInteger(parseQuantity(String(quantity))));
}
