/** Which releases can be built, and what goes with each. */

import { KubernetesToolError } from "./errors.ts";

/** A Kubernetes release with the etcd that its control plane stores into. */
export interface Release {
  readonly kubernetes: string;
  readonly etcd: string;
}

const RELEASES: readonly [Release, ...Release[]] = [
  { kubernetes: "1.36.3", etcd: "3.6.16" },
  { kubernetes: "1.34.4", etcd: "3.6.16" },
];

/** The default release. */
export const DEFAULT_RELEASE: Release = RELEASES[0];

/** The newest release of each etcd minor version that the tests run as an application. */
export const ETCD_VERSIONS: readonly string[] = ["3.5.35", "3.6.16", "3.7.3"];

/** Node parts that do not follow the Kubernetes version. */
export const CONTAINERD_VERSION = "2.2.1";
export const COREDNS_VERSION = "1.14.0";

/** The Helm with which charts are installed. */
export const HELM_VERSION = "4.3.1";

/** The version of a third-party operator that runs unchanged. */
export const CLOUDNATIVE_PG_VERSION = "1.30.0";

/** Finds a release by its Kubernetes version; a leading v is fine. */
export function findRelease(version: string): Release {
  const wanted = version.replace(/^v/, "");
  const found = RELEASES.find((release) => release.kubernetes === wanted);
  if (found) return found;
  const known = RELEASES.map((release) => release.kubernetes).join(" and ");
  throw new KubernetesToolError(
    "unknown-version",
    `there is no recipe for Kubernetes ${JSON.stringify(version)}: use --version with one of ${known}`,
  );
}

/** The library of the operator in Go. */
export const CONTROLLER_RUNTIME_VERSION = "0.25.2";

/** The tools of file-based catalogs. */
export const OPERATOR_REGISTRY_VERSION = "1.73.0";

/** The manager of operators that ours is compared with. */
export const OPERATOR_LIFECYCLE_MANAGER_VERSION = "0.46.0";
