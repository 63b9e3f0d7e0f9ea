/** The option that selects a cluster. */
import type { TextOption } from "../command/define.ts";

/** `--name`. */
export const nameOption = {
  type: "text",
  value: "NAME",
  default: "capstan",
  describe: "the cluster's name; several can run side by side",
} as const satisfies TextOption;
