/** Creates and removes the sandbox of a pod. */
import { toNodeError } from "../../errors.ts";
import type { Bench } from "../bench.ts";
import { survivesLoss } from "../decide.ts";

const retryAfter = 2000;

export async function prepareSandbox(bench: Bench): Promise<void> {
  const { pod, sandbox: before } = bench.situation;
  const replaces = before.is === "lost" ? before.sandbox : before.is === "refused" ? before.replaces : undefined;
  if (before.is === "lost") beginAnew(bench);
  bench.set({ sandbox: { is: "preparing" } });
  const { runtime, volumes, handler, clock } = bench.tools;
  try {
    // It may be lost before `createSandbox` resolves.
    const loss = { id: "" };
    const lost = (id: string): void => ((loss.id = id), loseSandbox(bench, id));
    const order = { pod, volumes: await volumes(pod), handler: await handler(pod), replaces, lost };
    const sandbox = await runtime.createSandbox(order);
    bench.set({ sandbox: { is: "ready", sandbox } });
    if (loss.id === sandbox.id) loseSandbox(bench, sandbox.id);
    void tellMissingSecrets(bench).catch(() => undefined);
  } catch (thrown) {
    const { code, message } = toNodeError(thrown, "FailedCreatePodSandBox");
    bench.set({ sandbox: { is: "refused", code, message, retryAt: clock.now() + retryAfter, replaces } });
    bench.tell("Warning", code, code === "FailedMount" ? message : `Failed to create pod sandbox: ${message}`);
  }
}

/** The containers of a lost sandbox are stopped; most pods get a new sandbox. */
export function loseSandbox(bench: Bench, id: string): void {
  const { sandbox, containers, pod, verdict } = bench.situation;
  if (sandbox.is !== "ready" || sandbox.sandbox.id !== id) return;
  const isEnding = verdict !== undefined || pod.metadata.deletionTimestamp !== undefined;
  const goesOn = !isEnding && survivesLoss(bench.situation);
  bench.set({ sandbox: { is: "lost", sandbox: sandbox.sandbox } });
  if (goesOn) {
    bench.tell("Normal", "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
    for (const [name, { life }] of containers) {
      const isBusy = life.is === "running" || life.is === "starting";
      bench.change(name, { atLoss: isBusy ? "running" : "ended" });
    }
  }
  bench.wake();
}

/** Init containers run again in a new sandbox. */
function beginAnew(bench: Bench): void {
  for (const [name, { container, life, restarts }] of bench.situation.containers)
    if (container.kind === "init" && life.is === "exited")
      bench.change(name, { life: { is: "waiting" }, last: life.exit, restarts: restarts + 1 });
}

/** Only an event: the image may already be present, or be public. */
async function tellMissingSecrets(bench: Bench): Promise<void> {
  const missing = await bench.tools.missingPullSecrets(bench.situation.pod);
  if (missing.length === 0) return;
  const text = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
  bench.tell("Warning", "FailedToRetrieveImagePullSecret", text);
}

export async function removeSandbox(bench: Bench): Promise<void> {
  const { sandbox, pod } = bench.situation;
  if (sandbox.is !== "ready" && sandbox.is !== "lost") return;
  const { runtime, clock } = bench.tools;
  bench.set({ sandbox: { is: "removing", sandbox: sandbox.sandbox } });
  try {
    await runtime.removeSandbox(sandbox.sandbox, pod);
    bench.set({ sandbox: { is: "removed", sandbox: sandbox.sandbox } });
  } catch (thrown) {
    const { message } = toNodeError(thrown, "Internal");
    bench.tell("Warning", "FailedKillPod", `error killing pod: ${message}`);
    await new Promise<void>((resolve) => void clock.later(retryAfter, resolve));
    // Restores the previous state: the next decision retries.
    bench.set({ sandbox });
  }
}
