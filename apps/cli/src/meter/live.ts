/** The options of commands that observe a live cluster. */
import { parseDuration } from "@capstan/metering";
import type { TextOption } from "../command/define.ts";
import { CliError } from "../errors.ts";

/** Which cluster, and for how long. */
export const liveOptions = {
  kubeconfig: { type: "text", value: "FILE", describe: "the kubeconfig (KUBECONFIG, else that of the user)" },
  context: { type: "text", value: "NAME", describe: "the context in it" },
  cluster: { type: "text", value: "NAME", describe: "the name of the cluster in reports" },
  for: { type: "text", value: "DURATION", describe: "end after this time (else when interrupted)" },
} as const satisfies { readonly [name: string]: TextOption };

/** The milliseconds of a duration of the command line. */
export function durationFrom(option: string, text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration === 0)
    throw new CliError("Usage", `--${option} ${JSON.stringify(text)} is not a duration such as 60s`);
  return duration;
}
