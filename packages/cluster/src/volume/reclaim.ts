/** What becomes of a volume that shall be deleted once its claim is gone: removed, left to whoever made it, or failed. Pure. */
import type { PersistentVolume } from "@capstan/kinds/v1";

/** What to do with it. */
export type ReclaimAction =
  /** Its files, if it has any that are ours, and the volume itself go. */
  | { readonly do: "remove"; readonly path: string | undefined }
  /** It is somebody else's to remove. */
  | { readonly do: "leave" }
  /** Nobody can remove it, for this reason. */
  | { readonly do: "fail"; readonly why: string };

/** The annotation that names the provisioner of a volume. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
const MIGRATED_TO = "pv.kubernetes.io/migrated-to";

/** Decides as kube-controller-manager does, and in its words. */
export function reclaimOf({ metadata, spec }: PersistentVolume, ownProvisioner: string): ReclaimAction {
  const { [PROVISIONED_BY]: provisioner = "", [MIGRATED_TO]: migratedTo } = metadata.annotations ?? {};
  const path = spec?.hostPath?.path;
  if (provisioner === ownProvisioner) return { do: "remove", path };
  if (provisioner !== "" && !provisioner.startsWith(inTree)) return { do: "leave" };
  if (provisioner !== "" && provisioner !== `${inTree}host-path`)
    return { do: "fail", why: `no volume plugin matched name: ${provisioner}` };
  if (migratedTo !== undefined || spec?.csi !== undefined) return { do: "leave" };
  if (path === undefined) return { do: "fail", why: noDeleter(metadata.name, spec) };
  // It was never made by us, so its files stay, wherever they are: only the volume goes.
  if (/\/tmp\/./.test(path)) return { do: "remove", path: undefined };
  return { do: "fail", why: `host_path deleter only supports /tmp/.+ but received provided ${path}` };
}

const inTree = "kubernetes.io/";

function noDeleter(name: string, spec: PersistentVolume["spec"]): string {
  const isKnown = spec?.nfs !== undefined || spec?.fc !== undefined || spec?.iscsi !== undefined;
  const none = isKnown ? "no deletable volume plugin" : "no volume plugin";
  return `error getting deleter volume plugin for volume ${JSON.stringify(name)}: ${none} matched`;
}
