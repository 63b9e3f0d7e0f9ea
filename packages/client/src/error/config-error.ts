/** Errors of the configuration: there is no way to tell which server is meant, or how to talk to it. */
import { ApiError } from "./api-error.ts";

/** What is wrong with a configuration. */
export type ConfigProblem =
  /** Not YAML, or not what a kubeconfig looks like. */
  | "Malformed"
  /** A context, cluster or user that is named is not there. */
  | "Missing"
  /** A file that is named cannot be read. */
  | "Unreadable"
  /** A file that shall keep something new cannot be changed. */
  | "Unwritable"
  /** Two settings contradict each other, or one is unknown. */
  | "Contradiction"
  /** There is no configuration at all. */
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
