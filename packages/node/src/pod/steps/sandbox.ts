/** Makes and removes the place in which the containers of a pod run. */
import { toNodeError } from "../../errors.ts";
import type { Bench } from "../bench.ts";

const retryAfter = 2000;

export async function prepareSandbox(bench: Bench): Promise<void> {
  bench.set({ sandbox: { is: "preparing" } });
  const { runtime, volumes, handler, clock } = bench.tools;
  const { pod } = bench.situation;
  try {
    const order = { pod, volumes: await volumes(pod), handler: await handler(pod) };
    const sandbox = await runtime.createSandbox(order);
    bench.set({ sandbox: { is: "ready", sandbox } });
    void tellMissingSecrets(bench).catch(() => undefined);
  } catch (thrown) {
    const { code, message } = toNodeError(thrown, "FailedCreatePodSandBox");
    bench.set({ sandbox: { is: "refused", code, message, retryAt: clock.now() + retryAfter } });
    bench.tell("Warning", code, code === "FailedMount" ? message : `Failed to create pod sandbox: ${message}`);
  }
}

/** Its images may be there already, or for everybody: it is only told. */
async function tellMissingSecrets(bench: Bench): Promise<void> {
  const missing = await bench.tools.missingPullSecrets(bench.situation.pod);
  if (missing.length === 0) return;
  const text = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
  bench.tell("Warning", "FailedToRetrieveImagePullSecret", text);
}

export async function removeSandbox(bench: Bench): Promise<void> {
  const { sandbox, pod } = bench.situation;
  if (sandbox.is !== "ready") return;
  const { runtime, clock } = bench.tools;
  bench.set({ sandbox: { is: "removing", sandbox: sandbox.sandbox } });
  try {
    await runtime.removeSandbox(sandbox.sandbox, pod);
    bench.set({ sandbox: { is: "removed", sandbox: sandbox.sandbox } });
  } catch (thrown) {
    const { message } = toNodeError(thrown, "Internal");
    bench.tell("Warning", "FailedKillPod", `error killing pod: ${message}`);
    await new Promise<void>((resolve) => void clock.later(retryAfter, resolve));
    // Back to where it was: the next thought tries again.
    bench.set({ sandbox });
  }
}
