/** What happens to a released volume with the policy Delete: removed, left to its provisioner, or failed. Pure. */
import type { PersistentVolume } from "@capstan/kinds/v1";

/** What to do with the volume. */
export type ReclaimAction =
  /** Remove the volume, and its files if our provisioner made it. */
  | { readonly do: "remove"; readonly path: string | undefined }
  /** Another provisioner removes it. */
  | { readonly do: "leave" }
  /** The volume cannot be removed, for this reason. */
  | { readonly do: "fail"; readonly why: string };

/** The annotation that names the provisioner of a volume. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
const MIGRATED_TO = "pv.kubernetes.io/migrated-to";

/** Decides as kube-controller-manager does, with its messages. */
export function reclaimOf({ metadata, spec }: PersistentVolume, ownProvisioner: string): ReclaimAction {
  const { [PROVISIONED_BY]: provisioner = "", [MIGRATED_TO]: migratedTo } = metadata.annotations ?? {};
  const path = spec?.hostPath?.path;
  if (provisioner === ownProvisioner) return { do: "remove", path };
  if (provisioner !== "" && !provisioner.startsWith(inTree)) return { do: "leave" };
  if (provisioner !== "" && provisioner !== `${inTree}host-path`)
    return { do: "fail", why: `no volume plugin matched name: ${provisioner}` };
  if (migratedTo !== undefined || spec?.csi !== undefined) return { do: "leave" };
  if (path === undefined) return { do: "fail", why: noDeleter(metadata.name, spec) };
  // Another tool created the files, so they stay: only the volume object is deleted.
  if (/\/tmp\/./.test(path)) return { do: "remove", path: undefined };
  return { do: "fail", why: `host_path deleter only supports /tmp/.+ but received provided ${path}` };
}

const inTree = "kubernetes.io/";

function noDeleter(name: string, spec: PersistentVolume["spec"]): string {
  const isKnown = spec?.nfs !== undefined || spec?.fc !== undefined || spec?.iscsi !== undefined;
  const none = isKnown ? "no deletable volume plugin" : "no volume plugin";
  return `error getting deleter volume plugin for volume ${JSON.stringify(name)}: ${none} matched`;
}
