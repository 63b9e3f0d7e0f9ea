/** What the built-in controllers are made with. */
import type { Client } from "@capstan/client";
import type { Api, Clock, Log } from "@capstan/runtime";

/** The cluster as the built-in controllers see it. */
export interface ControllerContext {
  readonly client: Client;
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Log;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/** The name under which the built-in controllers write. */
export const FIELD_MANAGER = "kube-controller-manager";
