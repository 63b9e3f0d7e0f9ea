/** What can go wrong with a real Kubernetes, each with a code and the cure in its message. */

/** Why a command of this tool could not do its work. */
export type KubernetesToolErrorCode =
  | "usage"
  | "unknown-version"
  | "unknown-cluster"
  | "cluster-exists"
  | "no-root"
  | "no-linux"
  | "no-go"
  | "no-node"
  | "missing-program"
  | "build-failed"
  | "port-in-use"
  | "not-started"
  | "interrupted"
  | "api-request"
  | "bad-archive"
  | "package-install";

/** Says what could not be done, why, and what to do now. */
export class KubernetesToolError extends Error {
  override readonly name = "KubernetesToolError";
  readonly code: KubernetesToolErrorCode;

  constructor(code: KubernetesToolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
