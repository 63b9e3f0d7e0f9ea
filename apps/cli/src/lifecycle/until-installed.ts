/** Makes the OperatorGroup that a namespace needs, and waits for what a Subscription installs. */
import { ClusterServiceVersion, InstallPlan, OperatorGroup, Subscription } from "@capstan/lifecycle";
import type { Connected } from "./options.ts";

/** Creates an OperatorGroup unless the namespace has one. */
export async function ensureGroup({ cluster, namespace }: Connected, watchesAll: boolean): Promise<void> {
  if ((await cluster.list(OperatorGroup, { namespace })).length > 0) return;
  const spec = watchesAll ? {} : { targetNamespaces: [namespace] };
  await cluster.create(OperatorGroup, { metadata: { name: namespace, namespace }, spec });
}

/** How an installation ended. */
export interface Ended {
  readonly ok: boolean;
  readonly phase: string;
  readonly message: string;
}

const LOOK = 500;

/** Waits until the operator of a Subscription runs, or until its plan needs an approval. */
export async function untilInstalled(
  connected: Connected,
  { name, seconds }: { readonly name: string; readonly seconds: number },
): Promise<Ended> {
  if (seconds === 0) {
    return { ok: true, phase: "", message: "not waiting: `capstan lifecycle status` says how far it is" };
  }
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const seen = await look(connected, name);
    if (seen.isFinal || performance.now() > end) return seen;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

/** What is seen, and whether it stays that way. */
interface Seen extends Ended {
  readonly isFinal: boolean;
}

async function look(connected: Connected, name: string): Promise<Seen> {
  const { cluster, namespace } = connected;
  const { status } = (await cluster.get(Subscription, { namespace, name })) ?? {};
  const failed = status?.conditions?.find((each) => each.type === "ResolutionFailed" && each.status === "True");
  if (failed?.reason === "ConstraintsNotSatisfiable") {
    return { ok: false, phase: "", message: failed.message ?? "", isFinal: true };
  }
  const plan = await cluster.get(InstallPlan, { namespace, name: status?.installPlanRef?.name ?? "-" });
  if (plan?.status?.phase === "RequiresApproval") {
    const message = `the plan waits: capstan lifecycle approve ${name} -n ${namespace}`;
    return { ok: true, phase: "RequiresApproval", message, isFinal: true };
  }
  return lookAtOperator(connected, status?.currentCSV ?? "-");
}

async function lookAtOperator({ cluster, namespace }: Connected, name: string): Promise<Seen> {
  const csv = await cluster.get(ClusterServiceVersion, { namespace, name });
  const { phase = "", message = "" } = csv?.status ?? {};
  if (phase === "Succeeded") return { ok: true, phase, message: `${name} is installed`, isFinal: true };
  const waiting = "nothing happened yet: is `capstan lifecycle run` or OLM running?";
  return { ok: false, phase, message: phase === "" ? waiting : `${name} is ${phase}: ${message}`, isFinal: false };
}
