/** Finds the image of a container, and pulls it according to the pull policy. */
import { NodeError, toNodeError } from "../../errors.ts";
import type { ImageRecord } from "../../runtime/runtime.ts";
import type { Bench } from "../bench.ts";
import { delays } from "../situation.ts";

export async function pullImage(bench: Bench, name: string): Promise<void> {
  const { image, container } = bench.recordOf(name);
  const { image: reference = "" } = container.spec;
  bench.change(name, { image: { is: "pulling", before: image.is === "missing" ? image : undefined } });
  try {
    const found = await findOrPull(bench, name);
    bench.change(name, { image: { is: "present", image: found }, pullDelay: delays.first });
  } catch (thrown) {
    const { code, message } = toNodeError(thrown, "ErrImagePull");
    const failedAt = bench.tools.clock.now();
    const { pullDelay } = bench.recordOf(name);
    bench.change(name, {
      image: { is: "missing", code, message, failedAt, retryAt: failedAt + pullDelay },
      pullDelay: Math.min(delays.longest, pullDelay * 2),
    });
    tellFailure(bench, name, { code, message, reference });
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly reference: string;
}

function tellFailure(bench: Bench, name: string, { code, message, reference }: Failure): void {
  switch (code) {
    case "InvalidImageName":
      bench.tell("Warning", "InspectFailed", message, name);
      return bench.tell("Warning", "Failed", `Error: ${code}`, name);
    case "ErrImageNeverPull":
      bench.tell("Warning", "ErrImageNeverPull", message, name);
      return bench.tell("Warning", "Failed", `Error: ${code}`, name);
    default:
      bench.tell("Warning", "Failed", `Failed to pull image "${reference}": ${message}`, name);
      bench.tell("Warning", "Failed", `Error: ${code}`, name);
      bench.tell("Normal", "BackOff", `Back-off pulling image "${reference}"`, name);
      bench.tell("Warning", "Failed", "Error: ImagePullBackOff", name);
  }
}

async function findOrPull(bench: Bench, name: string): Promise<ImageRecord> {
  const { image: reference = "", imagePullPolicy: policy = "IfNotPresent" } = bench.recordOf(name).container.spec;
  const { runtime, clock } = bench.tools;
  const found = policy === "Always" ? undefined : await runtime.findImage(reference);
  if (found !== undefined) {
    const text = `Container image "${reference}" already present on machine and can be accessed by the pod`;
    bench.tell("Normal", "Pulled", text, name);
    return found;
  }
  if (policy === "Never")
    throw new NodeError("ErrImageNeverPull", `Container image "${reference}" is not present with pull policy of Never`);
  bench.tell("Normal", "Pulling", `Pulling image "${reference}"`, name);
  const began = clock.now();
  const { pod } = bench.situation;
  const image = await runtime.pullImage(reference, pod, bench.tools.pullSecrets(pod));
  const took = `${Math.round(clock.now() - began)}ms`;
  const text = `Successfully pulled image "${reference}" in ${took} (${took} including waiting). Image size: ${image.bytes} bytes.`;
  bench.tell("Normal", "Pulled", text, name);
  return image;
}
