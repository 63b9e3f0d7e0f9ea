/** An object to try a kind with. */
import type { ApiInputs, Inputs } from "../project/inputs.ts";
import { fileOf } from "./source.ts";

/** samples/<kind>.yaml */
export function sampleFile(inputs: Inputs, api: ApiInputs): string {
  const spec = api.image === undefined ? "  image: busybox:1.37\n" : "  size: 3\n";
  return `apiVersion: ${api.group}/${api.webhooks?.conversion ?? api.version}
kind: ${api.kind}
metadata:
  name: example-${fileOf(inputs, api)}
spec:
${spec}`;
}
