/** The errors of running a pod, distinguished by code. */
import type { Exit } from "./runtime/runtime.ts";

/** Why a step failed. The codes of containers are the reasons that Kubernetes shows for a waiting container. */
export type NodeErrorCode =
  | "ErrImagePull"
  | "ErrImageNeverPull"
  | "InvalidImageName"
  | "CreateContainerConfigError"
  | "CreateContainerError"
  | "RunContainerError"
  | "PostStartHookError"
  | "FailedMount"
  | "FailedCreatePodSandBox"
  | "NotFound"
  | "BadRequest"
  | "MachineUnfit"
  | "Internal";

/** A step of running a pod failed. */
export class NodeError extends Error {
  readonly code: NodeErrorCode;

  constructor(code: NodeErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "NodeError";
    this.code = code;
  }
}

/** The program of a container could not be started; the container terminates with this exit. */
export class StartError extends NodeError {
  readonly exit: Exit;

  constructor(exit: Exit) {
    super("RunContainerError", exit.message ?? "the program could not be started");
    this.name = "StartError";
    this.exit = exit;
  }
}

/** Any failure as a `NodeError`; an error without a code gets the given one. */
export function toNodeError(thrown: unknown, code: NodeErrorCode): NodeError {
  if (thrown instanceof NodeError) return thrown;
  return new NodeError(code, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}
