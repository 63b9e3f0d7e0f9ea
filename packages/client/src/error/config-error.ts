/** Configuration errors: the server or the way to reach it is unclear. */
import { ApiError } from "./api-error.ts";

/** The kinds of configuration errors. */
export type ConfigProblem =
  /** Not YAML, or not a kubeconfig. */
  | "Malformed"
  /** A named context, cluster or user does not exist. */
  | "Missing"
  /** A named file cannot be read. */
  | "Unreadable"
  /** A file cannot be written. */
  | "Unwritable"
  /** Two settings contradict each other, or one is unknown. */
  | "Contradiction"
  /** No configuration was found. */
  | "NoConfiguration";

/**
 * A configuration cannot be used.
 *
 * @example
 * try {
 *   await loadConfig(processHost());
 * } catch (error) {
 *   if (error instanceof ConfigError && error.problem === "NoConfiguration") console.error("Set KUBECONFIG.");
 * }
 */
export class ConfigError extends ApiError {
  override readonly name = "ConfigError";
  readonly problem: ConfigProblem;

  constructor(problem: ConfigProblem, message: string, cause?: unknown) {
    super({ code: "InvalidConfig", message, cause });
    this.problem = problem;
  }
}
