/** The option that says which cluster is meant. */
import type { TextOption } from "../command/define.ts";

/** `--name`. */
export const nameOption = {
  type: "text",
  value: "NAME",
  default: "capstan",
  describe: "the cluster's name; several can run side by side",
} as const satisfies TextOption;
