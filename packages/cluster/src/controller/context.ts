/** The dependencies of the built-in controllers. */
import type { Client } from "@capstan/client";
import type { Api, Clock, Log } from "@capstan/runtime";

/** The dependencies that all built-in controllers share. */
export interface ControllerContext {
  readonly client: Client;
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Log;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/** The field manager of the built-in controllers. */
export const FIELD_MANAGER = "kube-controller-manager";
